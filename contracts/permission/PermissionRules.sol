// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./rules/AccountRules.sol";
import "./rules/Boot.sol";
import "./rules/NodeRules.sol";
import "./rules/OrgRules.sol";

/// Who may change what, for both models. Two kinds of administrators: those of the network vote on organisations,
/// administrators and recoveries; those of an organisation keep its sub-organisations, roles, accounts and nodes.
/// No step may leave the network without an administrator who can act.
abstract contract PermissionRules is Boot, OrgRules, AccountRules, NodeRules {
    constructor(
        address _permUpgradable,
        address _orgManager,
        address _rolesManager,
        address _accountManager,
        address _voterManager
    ) Records(_permUpgradable, _orgManager, _rolesManager, _accountManager, _voterManager) {}

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
}
