// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../Managed.sol";
import "../Managers.sol";

/// What both models keep, and their calls of the managers.
abstract contract Records {
    uint256 internal constant VOTE_ON_ORG = 1;
    uint256 internal constant VOTE_ON_SUSPENSION = 2;
    uint256 internal constant VOTE_ON_REVOCATION = 3;
    uint256 internal constant VOTE_ON_ADMIN = 4;
    uint256 internal constant VOTE_ON_NODE = 5;
    uint256 internal constant VOTE_ON_ACCOUNT = 6;

    uint256 internal constant PROPOSED = 1;
    uint256 internal constant ACTIVE = 2;
    uint256 internal constant REVOKED = 6;

    uint256 internal constant SUSPEND = 1;
    uint256 internal constant ACTIVATE = 2;
    uint256 internal constant BLACKLIST = 3;
    uint256 internal constant START_RECOVERY = 4;
    uint256 internal constant FINISH_RECOVERY = 5;

    uint256 internal constant FULL_ACCESS = 3;

    struct Account {
        string org;
        string role;
        uint256 status;
    }

    struct Pending {
        string org;
        string node;
        address account;
        uint256 op;
    }

    Upgradable internal immutable upgradable;
    Orgs internal immutable orgs;
    Roles internal immutable roles;
    Accounts internal immutable accounts;
    Voters internal immutable voters;

    string internal adminOrg;
    string internal adminRole;
    string internal orgAdminRole;
    bool internal networkBoot;
    /// Of the administrator role that is voted on. Empty: the account has it already, without effect.
    string internal roleInWaiting;
    /// What the account goes back to when the vote fails.
    string internal roleBefore;

    constructor(
        address _permUpgradable,
        address _orgManager,
        address _rolesManager,
        address _accountManager,
        address _voterManager
    ) {
        upgradable = Upgradable(_permUpgradable);
        orgs = Orgs(_orgManager);
        roles = Roles(_rolesManager);
        accounts = Accounts(_accountManager);
        voters = Voters(_voterManager);
    }

    function pending() internal view returns (Pending memory out) {
        (out.org, out.node, out.account, out.op) = voters.getPendingOpDetails(adminOrg);
    }

    // Each call of a manager stands here once: its encoding takes more code than all else.

    function vote(address voter, uint256 op) internal returns (bool) {
        return voters.processVote(adminOrg, voter, op);
    }

    function propose(string memory org, string memory node, address account, uint256 op) internal {
        voters.addVotingItem(adminOrg, org, node, account, op);
    }

    function enrol(address voter) internal {
        voters.addVoter(adminOrg, voter);
    }

    function council() internal view returns (address[] memory all, uint256[] memory votes) {
        return voters.getVotes(adminOrg);
    }

    function exists(string memory org) internal view returns (bool) {
        return orgs.checkOrgExists(org);
    }

    function hasStatus(string memory org, uint256 status) internal view returns (bool) {
        return orgs.checkOrgStatus(org, status);
    }

    function masterOf(string memory org) internal view returns (string memory) {
        return orgs.getUltimateParent(org);
    }

    function changeOrg(string memory org, uint256 action) internal returns (uint256) {
        return orgs.updateOrg(org, action);
    }

    function confirmOrg(string memory org, uint256 action) internal {
        orgs.approveOrgStatusUpdate(org, action);
    }

    function isAdminIn(string memory role, string memory org, string memory master) internal view returns (bool) {
        return roles.isAdminRole(role, org, master);
    }

    function changeAccount(string memory org, address account, uint256 action) internal {
        accounts.updateAccountStatus(org, account, action);
    }

    function makeAdmin(address account, string memory org, string memory role, uint256 status) internal {
        accounts.assignAdminRole(account, org, role, status);
    }

    function giveRole(address account, string memory org, string memory role, bool isAdmin) internal {
        accounts.assignAccountRole(account, org, role, isAdmin);
    }

    function recordAdmin(string memory org, address account) internal {
        accounts.addNewAdmin(org, account);
    }

    function dropAdmin(string memory org) internal returns (bool, address) {
        return accounts.removeExistingAdmin(org);
    }

    /// The administrator that an organisation has recorded, or one of the network in it.
    function isRecorded(address account, string memory org) internal view returns (bool) {
        return accounts.checkOrgAdmin(account, org, "");
    }

    function fits(address account, string memory org) internal view returns (bool) {
        return accounts.validateAccount(account, org);
    }

    function read(address account) internal view returns (Account memory out) {
        (, out.org, out.role, out.status, ) = accounts.getAccountDetails(account);
    }

    function same(string memory a, string memory b) internal pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}
