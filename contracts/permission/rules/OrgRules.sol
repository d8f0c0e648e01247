// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Standing.sol";

/// Organisations come, are suspended and return by votes; sub-organisations come at once.
abstract contract OrgRules is Standing {
    function updateOrgStatus(string memory _orgId, uint256 _action, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        require(!same(_orgId, adminOrg), "Operation not allowed");
        uint256 op = changeOrg(_orgId, _action);
        propose(_orgId, "", address(0), op);
    }

    function approveOrgStatus(string memory _orgId, uint256 _action, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        require(_action == SUSPEND || _action == ACTIVATE, "Operation not allowed");
        uint256 op = _action == SUSPEND ? VOTE_ON_SUSPENSION : VOTE_ON_REVOCATION;
        require(isPending(op, _orgId, "", address(0)), "operation not allowed");
        if (vote(_caller, op)) confirmOrg(_orgId, _action);
    }

    /// Opens the vote on an organisation. One that was rejected may be proposed again.
    function proposeOrg(string memory org, string memory node, address account, address caller) internal {
        require(networkBoot, "Incorrect network boot status");
        requireNetworkAdmin(caller);
        propose(org, node, account, VOTE_ON_ORG);
        if (!hasStatus(org, PROPOSED)) orgs.addOrg(org);
        require(account != address(0) && validateAccount(account, org), "Operation cannot be performed");
        makeAdmin(account, org, orgAdminRole, PROPOSED);
    }

    /// A vote for an organisation. Returns whether it was the last that was needed.
    function voteForOrg(string memory org, string memory node, address account, address caller)
        internal
        returns (bool)
    {
        requireNetworkAdmin(caller);
        require(isPending(VOTE_ON_ORG, org, node, account), "Nothing to approve");
        if (!vote(caller, VOTE_ON_ORG)) return false;
        orgs.approveOrg(org);
        roles.addRole(orgAdminRole, org, FULL_ACCESS, true, true);
        recordAdmin(org, account);
        return true;
    }

    function addSubOrgTo(string memory parent, string memory org, address caller)
        internal
        returns (string memory)
    {
        require(exists(parent), "org does not exist");
        requireOrgAdmin(parent, caller);
        orgs.addSubOrg(parent, org);
        return string(abi.encodePacked(parent, ".", org));
    }
}
