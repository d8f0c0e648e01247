// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";
import "./Managers.sol";

/// Who may change what, for both models. Two kinds of administrators: those of the network vote on organisations,
/// administrators and recoveries; those of an organisation keep its sub-organisations, roles, accounts and nodes.
/// No step may leave the network without an administrator who can act.
abstract contract PermissionRules {
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

    uint256 private constant FULL_ACCESS = 3;

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
    string private roleInWaiting;
    /// What the account goes back to when the vote fails.
    string private roleBefore;

    event PermissionsInitialized(bool _networkBootStatus);

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

    // Before the network is booted, by its guardian.

    function setPolicy(
        string memory _nwAdminOrg,
        string memory _nwAdminRole,
        string memory _oAdminRole
    ) external onlyInterface beforeBoot {
        require(!exists(adminOrg), "Incorrect network boot status");
        bool isComplete = bytes(_nwAdminOrg).length > 0 && bytes(_nwAdminRole).length > 0;
        require(isComplete && bytes(_oAdminRole).length > 0, "Invalid input");
        require(!same(_nwAdminRole, _oAdminRole), "admin roles must differ");
        adminOrg = _nwAdminOrg;
        adminRole = _nwAdminRole;
        orgAdminRole = _oAdminRole;
    }

    /// From the implementation before this one.
    function setMigrationPolicy(
        string memory _nwAdminOrg,
        string memory _nwAdminRole,
        string memory _oAdminRole,
        bool _networkBootStatus
    ) external beforeBoot {
        require(msg.sender == address(upgradable), "invalid caller");
        adminOrg = _nwAdminOrg;
        adminRole = _nwAdminRole;
        orgAdminRole = _oAdminRole;
        networkBoot = _networkBootStatus;
    }

    function init(uint256 _breadth, uint256 _depth) external onlyInterface beforeBoot {
        orgs.setUpOrg(adminOrg, _breadth, _depth);
        roles.addRole(adminRole, adminOrg, FULL_ACCESS, true, true);
        accounts.setDefaults(adminRole, orgAdminRole);
    }

    function addAdminAccount(address _account) external onlyInterface beforeBoot {
        require(_account != address(0), "Invalid input");
        enrol(_account);
        makeAdmin(_account, adminOrg, adminRole, ACTIVE);
    }

    /// From now on, administrators alone change anything: without one, nobody ever could.
    function updateNetworkBootStatus() external onlyInterface beforeBoot returns (bool) {
        (address[] memory all, ) = council();
        require(all.length > 0, "no network admin account");
        networkBoot = true;
        emit PermissionsInitialized(networkBoot);
        return networkBoot;
    }

    // Organisations.

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

    // Roles.

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

    // Accounts.

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

    // What waits for votes.

    /// A vote of the caller against it, sent to this contract itself. Once it is rejected, everything is as before; the
    /// records of a new organisation stay as proposed, without rights, until it is proposed again.
    function rejectPendingOp() external networkAdmin(msg.sender) {
        Pending memory item = pending();
        if (!voters.rejectVote(adminOrg, msg.sender)) return;
        if (item.op == VOTE_ON_SUSPENSION) {
            confirmOrg(item.org, SUSPEND);
            changeOrg(item.org, ACTIVATE);
            confirmOrg(item.org, ACTIVATE);
        } else if (item.op == VOTE_ON_REVOCATION) {
            confirmOrg(item.org, ACTIVATE);
            changeOrg(item.org, SUSPEND);
            confirmOrg(item.org, SUSPEND);
        } else if (item.op == VOTE_ON_ADMIN && bytes(roleBefore).length > 0) {
            bool isAdmin = isAdminIn(roleBefore, item.org, masterOf(item.org));
            giveRole(item.account, item.org, roleBefore, isAdmin);
        } else if (item.op == VOTE_ON_NODE) {
            blacklistAgain(item);
        } else if (item.op == VOTE_ON_ACCOUNT) {
            changeAccount(item.org, item.account, BLACKLIST);
        }
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

    // For the models.

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

    /// The last node of the administrators stays: without one, nobody could send anything any more.
    function requireNodeChange(string memory org, string memory node, uint256 action, address caller)
        internal
        view
    {
        requireOrgAdmin(org, caller);
        requireStatusAction(action);
        Pending memory item = pending();
        require(item.op == 0 || !same(item.node, node), "operation cannot be performed");
        if (!same(org, adminOrg) || action == ACTIVATE || !isApprovedNode(node)) return;
        require(nodeCounts().getNumberOfApprovedNodes(org) > 1, "last node of the network admin org");
    }

    function proposeNodeRecovery(string memory org, string memory node) internal {
        propose(org, node, address(0), VOTE_ON_NODE);
    }

    function voteForNodeRecovery(string memory org, string memory node, address caller) internal returns (bool) {
        requireNetworkAdmin(caller);
        require(isPending(VOTE_ON_NODE, org, node, address(0)), "nothing to approve");
        return vote(caller, VOTE_ON_NODE);
    }

    function blacklistAgain(Pending memory item) internal virtual;

    function isApprovedNode(string memory node) internal view virtual returns (bool);

    function nodeCounts() internal view virtual returns (NodeCounts);

    function requireApprovedAndAdmin(string memory org, address caller) internal view {
        require(hasStatus(org, ACTIVE), "org not in approved status");
        requireOrgAdmin(org, caller);
    }

    function requireNetworkAdmin(address account) internal view {
        require(isNetworkAdmin(account), "account is not a network admin account");
    }

    function read(address account) internal view returns (Account memory out) {
        (, out.org, out.role, out.status, ) = accounts.getAccountDetails(account);
    }

    function same(string memory a, string memory b) internal pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }

    function requireInterface() private view {
        require(msg.sender == upgradable.getPermInterface(), "can be called by interface contract only");
    }

    function requireOrgAdmin(string memory org, address account) private view {
        require(isOrgAdmin(account, org), "account is not a org admin account");
    }

    function requireStatusAction(uint256 action) private pure {
        require(action >= SUSPEND && action <= BLACKLIST, "invalid action. operation not allowed");
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

    function isReserved(string memory role) private view returns (bool) {
        return same(role, adminRole) || same(role, orgAdminRole);
    }

    function isWaiting(address account) private view returns (bool) {
        Pending memory item = pending();
        return item.op != 0 && item.account == account;
    }

    function isPending(uint256 op, string memory org, string memory node, address account)
        private
        view
        returns (bool)
    {
        Pending memory item = pending();
        return item.op == op && item.account == account && same(item.org, org) && same(item.node, node);
    }

    function pending() private view returns (Pending memory out) {
        (out.org, out.node, out.account, out.op) = voters.getPendingOpDetails(adminOrg);
    }

    // Each call of a manager stands here once: its encoding takes more code than all else.

    function vote(address voter, uint256 op) private returns (bool) {
        return voters.processVote(adminOrg, voter, op);
    }

    function propose(string memory org, string memory node, address account, uint256 op) private {
        voters.addVotingItem(adminOrg, org, node, account, op);
    }

    function enrol(address voter) private {
        voters.addVoter(adminOrg, voter);
    }

    function council() private view returns (address[] memory all, uint256[] memory votes) {
        return voters.getVotes(adminOrg);
    }

    function exists(string memory org) private view returns (bool) {
        return orgs.checkOrgExists(org);
    }

    function hasStatus(string memory org, uint256 status) private view returns (bool) {
        return orgs.checkOrgStatus(org, status);
    }

    function masterOf(string memory org) internal view returns (string memory) {
        return orgs.getUltimateParent(org);
    }

    function changeOrg(string memory org, uint256 action) private returns (uint256) {
        return orgs.updateOrg(org, action);
    }

    function confirmOrg(string memory org, uint256 action) private {
        orgs.approveOrgStatusUpdate(org, action);
    }

    function isAdminIn(string memory role, string memory org, string memory master) private view returns (bool) {
        return roles.isAdminRole(role, org, master);
    }

    function changeAccount(string memory org, address account, uint256 action) private {
        accounts.updateAccountStatus(org, account, action);
    }

    function makeAdmin(address account, string memory org, string memory role, uint256 status) private {
        accounts.assignAdminRole(account, org, role, status);
    }

    function giveRole(address account, string memory org, string memory role, bool isAdmin) private {
        accounts.assignAccountRole(account, org, role, isAdmin);
    }

    function recordAdmin(string memory org, address account) private {
        accounts.addNewAdmin(org, account);
    }

    function dropAdmin(string memory org) private returns (bool, address) {
        return accounts.removeExistingAdmin(org);
    }

    /// The administrator that an organisation has recorded, or one of the network in it.
    function isRecorded(address account, string memory org) private view returns (bool) {
        return accounts.checkOrgAdmin(account, org, "");
    }

    function fits(address account, string memory org) private view returns (bool) {
        return accounts.validateAccount(account, org);
    }
}
