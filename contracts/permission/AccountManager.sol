// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// Accounts, each of one organisation forever, with its role. An organisation has one recorded administrator.
contract AccountManager is Managed {
    uint256 private constant PROPOSED = 1;
    uint256 private constant ACTIVE = 2;
    uint256 private constant SUSPENDED = 4;
    uint256 private constant BLACKLISTED = 5;
    uint256 private constant REVOKED = 6;
    uint256 private constant RECOVERY_STARTED = 7;

    struct Account {
        address account;
        string orgId;
        string role;
        uint256 status;
        bool orgAdmin;
    }

    Account[] private accounts;
    /// Place in `accounts` plus one.
    mapping(address => uint256) private places;
    string private adminRole;
    string private orgAdminRole;
    /// By hash of the organisation's full id.
    mapping(bytes32 => address) private orgAdmins;

    event AccountAccessModified(address _account, string _orgId, string _roleId, bool _orgAdmin, uint256 _status);
    event AccountAccessRevoked(address _account, string _orgId, string _roleId, bool _orgAdmin);
    event AccountStatusChanged(address _account, string _orgId, uint256 _status);

    constructor(address _permUpgradable) Managed(_permUpgradable) {}

    function setDefaults(string calldata _nwAdminRole, string calldata _oAdminRole) external onlyImplementation {
        adminRole = _nwAdminRole;
        orgAdminRole = _oAdminRole;
    }

    function assignAdminRole(
        address _account,
        string calldata _orgId,
        string calldata _roleId,
        uint256 _status
    ) external onlyImplementation {
        require(isReserved(_roleId), "can be called to assign admin roles only");
        setRole(_account, _orgId, _roleId, _status, true);
    }

    function assignAccountRole(
        address _account,
        string calldata _orgId,
        string calldata _roleId,
        bool _adminRole
    ) external onlyImplementation {
        require(!isReserved(_roleId), "cannot be called fro assigning org admin and network admin roles");
        setRole(_account, _orgId, _roleId, ACTIVE, _adminRole);
    }

    /// Revokes the recorded administrator. `voterUpdate`: it is a network administrator too.
    function removeExistingAdmin(string calldata _orgId)
        external
        onlyImplementation
        returns (bool voterUpdate, address account)
    {
        if (!orgAdminExists(_orgId)) return (false, address(0));
        bytes32 key = keccak256(bytes(_orgId));
        Account storage old = record(orgAdmins[key]);
        delete orgAdmins[key];
        old.status = REVOKED;
        old.orgAdmin = false;
        announce(old);
        return (same(old.role, adminRole), old.account);
    }

    /// `voterUpdate`: it is a network administrator now.
    function addNewAdmin(string calldata _orgId, address _account)
        external
        onlyImplementation
        returns (bool voterUpdate)
    {
        Account storage one = record(_account);
        if (same(one.role, orgAdminRole) && one.status == PROPOSED) orgAdmins[keccak256(bytes(_orgId))] = _account;
        one.status = ACTIVE;
        one.orgAdmin = true;
        announce(one);
        return same(one.role, adminRole);
    }

    /// 1 suspend, 2 activate, 3 blacklist, 4 start the recovery, 5 finish it.
    function updateAccountStatus(string calldata _orgId, address _account, uint256 _action)
        external
        onlyImplementation
    {
        require(places[_account] != 0, "account does not exists");
        Account storage one = record(_account);
        require(same(one.orgId, _orgId), "account in different org");
        require(_action > 0 && _action < 6, "invalid status change request");
        require(!checkOrgAdmin(_account, _orgId, ""), "status change not possible for org admin accounts");
        one.status = nextStatus(one.status, _action);
        emit AccountStatusChanged(_account, _orgId, one.status);
    }

    function getAccountDetails(address _account)
        external
        view
        returns (address, string memory, string memory, uint256, bool)
    {
        if (places[_account] == 0) return (_account, "NONE", "", 0, false);
        return getAccountDetailsFromIndex(places[_account] - 1);
    }

    function getAccountDetailsFromIndex(uint256 _aIndex)
        public
        view
        returns (address, string memory, string memory, uint256, bool)
    {
        Account storage one = accounts[_aIndex];
        return (one.account, one.orgId, one.role, one.status, one.orgAdmin);
    }

    function getAccountOrgRole(address _account) external view returns (string memory, string memory) {
        if (places[_account] == 0) return ("NONE", "");
        Account storage one = record(_account);
        return (one.orgId, one.role);
    }

    function getNumberOfAccounts() external view returns (uint256) {
        return accounts.length;
    }

    /// It is unknown, or of this organisation.
    function validateAccount(address _account, string calldata _orgId) external view returns (bool) {
        return places[_account] == 0 || same(record(_account).orgId, _orgId);
    }

    function orgAdminExists(string memory _orgId) public view returns (bool) {
        address admin = orgAdmins[keccak256(bytes(_orgId))];
        return admin != address(0) && getAccountStatus(admin) == ACTIVE;
    }

    function getAccountRole(address _account) public view returns (string memory) {
        return getAccountStatus(_account) == 0 ? "NONE" : record(_account).role;
    }

    function getAccountStatus(address _account) public view returns (uint256) {
        return places[_account] == 0 ? 0 : record(_account).status;
    }

    /// A network administrator of one of the two organisations, or the recorded administrator of one.
    function checkOrgAdmin(address _account, string memory _orgId, string memory _ultParent)
        public
        view
        returns (bool)
    {
        if (places[_account] == 0) return false;
        Account storage one = record(_account);
        if (same(one.role, adminRole)) return same(one.orgId, _orgId) || same(one.orgId, _ultParent);
        return orgAdmins[keccak256(bytes(_orgId))] == _account || orgAdmins[keccak256(bytes(_ultParent))] == _account;
    }

    function nextStatus(uint256 status, uint256 action) private pure returns (uint256) {
        if (action == 1) {
            require(status == ACTIVE, "account is not in active status. operation cannot be done");
            return SUSPENDED;
        }
        if (action == 2) {
            require(status == SUSPENDED, "account is not in suspended status. operation cannot be done");
            return ACTIVE;
        }
        if (action == 3) {
            require(status != BLACKLISTED, "account is already blacklisted. operation cannot be done");
            return BLACKLISTED;
        }
        if (action == 4) {
            require(status == BLACKLISTED, "account is not blacklisted. operation cannot be done");
            return RECOVERY_STARTED;
        }
        require(status == RECOVERY_STARTED, "account recovery not initiated. operation cannot be done");
        return ACTIVE;
    }

    function setRole(address account, string memory orgId, string memory roleId, uint256 status, bool isAdmin)
        private
    {
        if (places[account] == 0) {
            accounts.push(Account(account, orgId, roleId, status, isAdmin));
            places[account] = accounts.length;
        } else {
            Account storage one = record(account);
            require(same(one.orgId, orgId), "account in different org");
            one.role = roleId;
            one.status = status;
            one.orgAdmin = isAdmin;
        }
        emit AccountAccessModified(account, orgId, roleId, isAdmin, status);
    }

    function announce(Account storage one) private {
        emit AccountAccessModified(one.account, one.orgId, one.role, one.orgAdmin, one.status);
    }

    function record(address account) private view returns (Account storage) {
        return accounts[places[account] - 1];
    }

    function isReserved(string memory roleId) private view returns (bool) {
        return same(roleId, adminRole) || same(roleId, orgAdminRole);
    }
}
