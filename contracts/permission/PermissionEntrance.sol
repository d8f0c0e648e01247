// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// The rules that an entrance passes calls on to, for both models. The last argument says who calls.
interface Rules {
    function setPolicy(string calldata, string calldata, string calldata) external;
    function init(uint256, uint256) external;
    function addAdminAccount(address) external;
    function updateNetworkBootStatus() external returns (bool);
    function updateOrgStatus(string calldata, uint256, address) external;
    function approveOrgStatus(string calldata, uint256, address) external;
    function addNewRole(string calldata, string calldata, uint256, bool, bool, address) external;
    function removeRole(string calldata, string calldata, address) external;
    function assignAdminRole(string calldata, address, string calldata, address) external;
    function approveAdminRole(string calldata, address, address) external;
    function assignAccountRole(address, string calldata, string calldata, address) external;
    function updateAccountStatus(string calldata, address, uint256, address) external;
    function startBlacklistedAccountRecovery(string calldata, address, address) external;
    function approveBlacklistedAccountRecovery(string calldata, address, address) external;
    function getNetworkBootStatus() external view returns (bool);
    function getPendingOp(string calldata)
        external
        view
        returns (string memory, string memory, address, uint256);
    function isNetworkAdmin(address) external view returns (bool);
    function isOrgAdmin(address, string calldata) external view returns (bool);
    function validateAccount(address, string calldata) external view returns (bool);
}

/// The one contract that accounts call: its address stays when the rules are replaced.
abstract contract PermissionEntrance {
    Upgradable private immutable upgradable;
    address internal implementation;

    /// Whoever sets up a network names its administrators.
    modifier onlyGuardian() {
        require(msg.sender == upgradable.getGuardian(), "invalid caller");
        _;
    }

    constructor(address _permImplUpgradeable) {
        upgradable = Upgradable(_permImplUpgradeable);
    }

    function setPermImplementation(address _permImplementation) external {
        require(msg.sender == address(upgradable), "invalid caller");
        implementation = _permImplementation;
    }

    function getPermissionsImpl() external view returns (address) {
        return implementation;
    }

    function setPolicy(
        string calldata _nwAdminOrg,
        string calldata _nwAdminRole,
        string calldata _oAdminRole
    ) external onlyGuardian {
        rules().setPolicy(_nwAdminOrg, _nwAdminRole, _oAdminRole);
    }

    function init(uint256 _breadth, uint256 _depth) external onlyGuardian {
        rules().init(_breadth, _depth);
    }

    function addAdminAccount(address _acct) external onlyGuardian {
        rules().addAdminAccount(_acct);
    }

    function updateNetworkBootStatus() external onlyGuardian returns (bool) {
        return rules().updateNetworkBootStatus();
    }

    function updateOrgStatus(string calldata _orgId, uint256 _action) external {
        rules().updateOrgStatus(_orgId, _action, msg.sender);
    }

    function approveOrgStatus(string calldata _orgId, uint256 _action) external {
        rules().approveOrgStatus(_orgId, _action, msg.sender);
    }

    function addNewRole(
        string calldata _roleId,
        string calldata _orgId,
        uint256 _access,
        bool _voter,
        bool _admin
    ) external {
        rules().addNewRole(_roleId, _orgId, _access, _voter, _admin, msg.sender);
    }

    function removeRole(string calldata _roleId, string calldata _orgId) external {
        rules().removeRole(_roleId, _orgId, msg.sender);
    }

    function assignAdminRole(string calldata _orgId, address _account, string calldata _roleId) external {
        rules().assignAdminRole(_orgId, _account, _roleId, msg.sender);
    }

    function approveAdminRole(string calldata _orgId, address _account) external {
        rules().approveAdminRole(_orgId, _account, msg.sender);
    }

    function assignAccountRole(address _account, string calldata _orgId, string calldata _roleId) external {
        rules().assignAccountRole(_account, _orgId, _roleId, msg.sender);
    }

    function updateAccountStatus(string calldata _orgId, address _account, uint256 _action) external {
        rules().updateAccountStatus(_orgId, _account, _action, msg.sender);
    }

    function startBlacklistedAccountRecovery(string calldata _orgId, address _account) external {
        rules().startBlacklistedAccountRecovery(_orgId, _account, msg.sender);
    }

    function approveBlacklistedAccountRecovery(string calldata _orgId, address _account) external {
        rules().approveBlacklistedAccountRecovery(_orgId, _account, msg.sender);
    }

    function getNetworkBootStatus() external view returns (bool) {
        return rules().getNetworkBootStatus();
    }

    function getPendingOp(string calldata _orgId)
        external
        view
        returns (string memory, string memory, address, uint256)
    {
        return rules().getPendingOp(_orgId);
    }

    function isNetworkAdmin(address _account) external view returns (bool) {
        return rules().isNetworkAdmin(_account);
    }

    function isOrgAdmin(address _account, string calldata _orgId) external view returns (bool) {
        return rules().isOrgAdmin(_account, _orgId);
    }

    function validateAccount(address _account, string calldata _orgId) external view returns (bool) {
        return rules().validateAccount(_account, _orgId);
    }

    function rules() private view returns (Rules) {
        return Rules(implementation);
    }
}
