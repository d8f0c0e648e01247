// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Records.sol";

/// Who somebody is in the network: what anybody may ask, and what the rules require.
abstract contract Standing is Records {
    modifier onlyInterface() {
        requireInterface();
        _;
    }

    modifier beforeBoot() {
        require(!networkBoot, "Incorrect network boot status");
        _;
    }

    modifier networkAdmin(address account) {
        requireNetworkAdmin(account);
        _;
    }

    // What anybody may ask.

    function getNetworkBootStatus() external view returns (bool) {
        return networkBoot;
    }

    function getPendingOp(string memory _orgId)
        external
        view
        returns (string memory, string memory, address, uint256)
    {
        return voters.getPendingOpDetails(_orgId);
    }

    function getPolicyDetails() external view returns (string memory, string memory, string memory, bool) {
        return (adminOrg, adminRole, orgAdminRole, networkBoot);
    }

    function isNetworkAdmin(address _account) public view returns (bool) {
        Account memory account = read(_account);
        return account.status == ACTIVE && same(account.role, adminRole);
    }

    /// An active administrator of the organisation itself, or of its master.
    function isOrgAdmin(address _account, string memory _orgId) public view returns (bool) {
        if (!exists(_orgId)) return false;
        Account memory account = read(_account);
        string memory master = masterOf(_orgId);
        bool isOfTree = same(account.org, _orgId) || same(account.org, master);
        if (account.status != ACTIVE || !isOfTree) return false;
        if (isRecorded(_account, account.org)) return true;
        return !isReserved(account.role) && isAdminIn(account.role, account.org, master);
    }

    function validateAccount(address _account, string memory _orgId) public view returns (bool) {
        return fits(_account, _orgId);
    }

    function requireApprovedAndAdmin(string memory org, address caller) internal view {
        require(hasStatus(org, ACTIVE), "org not in approved status");
        requireOrgAdmin(org, caller);
    }

    function requireNetworkAdmin(address account) internal view {
        require(isNetworkAdmin(account), "account is not a network admin account");
    }

    function requireInterface() internal view {
        require(msg.sender == upgradable.getPermInterface(), "can be called by interface contract only");
    }

    function requireOrgAdmin(string memory org, address account) internal view {
        require(isOrgAdmin(account, org), "account is not a org admin account");
    }

    function requireStatusAction(uint256 action) internal pure {
        require(action >= SUSPEND && action <= BLACKLIST, "invalid action. operation not allowed");
    }

    function isReserved(string memory role) internal view returns (bool) {
        return same(role, adminRole) || same(role, orgAdminRole);
    }

    function isWaiting(address account) internal view returns (bool) {
        Pending memory item = pending();
        return item.op != 0 && item.account == account;
    }

    function isPending(uint256 op, string memory org, string memory node, address account)
        internal
        view
        returns (bool)
    {
        Pending memory item = pending();
        return item.op == op && item.account == account && same(item.org, org) && same(item.node, node);
    }
}
