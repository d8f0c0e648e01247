// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Standing.sol";

/// What both models require of a change to a node.
abstract contract NodeRules is Standing {
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
}
