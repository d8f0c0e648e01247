// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Standing.sol";

/// Roles, who has them, and administrators, who come by votes.
abstract contract AccountRules is Standing {
    function addNewRole(
        string memory _roleId,
        string memory _orgId,
        uint256 _access,
        bool _voter,
        bool _admin,
        address _caller
    ) external onlyInterface {
        requireApprovedAndAdmin(_orgId, _caller);
        require(bytes(_roleId).length > 0, "Invalid input");
        require(!isReserved(_roleId), "admin roles cannot be added");
        roles.addRole(_roleId, _orgId, _access, _voter, _admin);
    }

    function removeRole(string memory _roleId, string memory _orgId, address _caller) external onlyInterface {
        requireApprovedAndAdmin(_orgId, _caller);
        require(!isReserved(_roleId), "admin roles cannot be removed");
        roles.removeRole(_roleId, _orgId);
    }

    /// Whoever administers something keeps it until the vote; any other account waits for the vote without rights.
    function assignAdminRole(
        string memory _orgId,
        address _account,
        string memory _roleId,
        address _caller
    ) external onlyInterface {
        require(exists(_orgId), "org does not exist");
        requireNetworkAdmin(_caller);
        require(isReserved(_roleId), "can be called to assign admin roles only");
        require(!hasStatus(_orgId, PROPOSED), "org not in approved status");
        Account memory account = requireFree(_account, _orgId);
        bool isActing = account.status == ACTIVE && isRecorded(_account, _orgId);
        requireSense(account, isActing, _account, _orgId, _roleId);
        propose(_orgId, "", _account, VOTE_ON_ADMIN);
        delete roleInWaiting;
        delete roleBefore;
        if (isActing) {
            roleInWaiting = _roleId;
            return;
        }
        if (account.status == ACTIVE) roleBefore = account.role;
        makeAdmin(_account, _orgId, _roleId, PROPOSED);
    }

    function approveAdminRole(string memory _orgId, address _account, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        require(isPending(VOTE_ON_ADMIN, _orgId, "", _account), "nothing to approve");
        Account memory account = read(_account);
        require(account.status == PROPOSED || bytes(roleInWaiting).length > 0, "nothing to approve");
        if (!vote(_caller, VOTE_ON_ADMIN)) return;
        if (bytes(roleInWaiting).length > 0) {
            if (same(account.role, adminRole)) voters.deleteVoter(adminOrg, _account);
            makeAdmin(_account, _orgId, roleInWaiting, PROPOSED);
            account.role = roleInWaiting;
        }
        bool isNetworkAdminNow = same(account.role, adminRole);
        if (!isNetworkAdminNow) replaceAdmin(_orgId);
        recordAdmin(_orgId, _account);
        if (isNetworkAdminNow) enrol(_account);
        else if (same(_orgId, adminOrg)) dropAdmin(_orgId);
    }

    /// Suspended and blacklisted accounts stay what they are, and administrators are for the voters.
    function assignAccountRole(
        address _account,
        string memory _orgId,
        string memory _roleId,
        address _caller
    ) external onlyInterface {
        requireOrgAdmin(_orgId, _caller);
        require(hasStatus(_orgId, ACTIVE), "org not in approved status");
        require(!isReserved(_roleId), "cannot be called fro assigning org admin and network admin roles");
        Account memory account = requireFree(_account, _orgId);
        bool isActing = account.status == ACTIVE && isRecorded(_account, _orgId);
        require(!isActing && !isWaiting(_account), "operation cannot be performed");
        string memory master = masterOf(_orgId);
        require(roles.roleExists(_roleId, _orgId, master), "role does not exists");
        giveRole(_account, _orgId, _roleId, isAdminIn(_roleId, _orgId, master));
    }

    function updateAccountStatus(string memory _orgId, address _account, uint256 _action, address _caller)
        external
        onlyInterface
    {
        requireOrgAdmin(_orgId, _caller);
        requireStatusAction(_action);
        require(!isWaiting(_account), "operation cannot be performed");
        changeAccount(_orgId, _account, _action);
    }

    function startBlacklistedAccountRecovery(string memory _orgId, address _account, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        changeAccount(_orgId, _account, START_RECOVERY);
        propose(_orgId, "", _account, VOTE_ON_ACCOUNT);
    }

    function approveBlacklistedAccountRecovery(string memory _orgId, address _account, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        require(isPending(VOTE_ON_ACCOUNT, _orgId, "", _account), "nothing to approve");
        if (vote(_caller, VOTE_ON_ACCOUNT)) {
            changeAccount(_orgId, _account, FINISH_RECOVERY);
        }
    }

    /// May be given a role: unknown or of this organisation, and neither suspended nor blacklisted.
    function requireFree(address account, string memory org) private view returns (Account memory out) {
        require(account != address(0) && validateAccount(account, org), "operation cannot be performed");
        out = read(account);
        bool isFree = out.status <= ACTIVE || out.status == REVOKED;
        require(isFree, "operation cannot be performed");
    }

    /// Not what the account is already; no second kind of administrators in the network's own organisation, but for
    /// one who steps down there; and somebody must stay there, which cannot be suspended, to administer the network.
    function requireSense(
        Account memory account,
        bool isActing,
        address accountId,
        string memory org,
        string memory role
    ) private view {
        require(!isActing || !same(account.role, role), "operation cannot be performed");
        if (same(role, adminRole)) return;
        bool isStepDown = isActing && same(account.role, adminRole);
        require(isStepDown || !same(org, adminOrg), "operation cannot be performed");
        require(!isStepDown || hasOtherAdminAtHome(accountId), "last network admin of the network admin org");
    }

    function hasOtherAdminAtHome(address but) private view returns (bool) {
        (address[] memory all, ) = council();
        for (uint256 i = 0; i < all.length; i++) {
            if (all[i] != but && same(read(all[i]).org, adminOrg)) return true;
        }
        return false;
    }

    /// Revokes the recorded administrator, unless it administers the network by now.
    function replaceAdmin(string memory org) private {
        (bool isVoter, address old) = dropAdmin(org);
        if (isVoter) makeAdmin(old, org, adminRole, ACTIVE);
    }
}
