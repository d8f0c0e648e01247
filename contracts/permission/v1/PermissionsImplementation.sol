// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../PermissionRules.sol";

interface Nodes is NodeCounts {
    function addAdminNode(string memory, string memory) external;
    function addNode(string memory, string memory) external;
    function addOrgNode(string memory, string memory) external;
    function approveNode(string memory, string memory) external;
    function updateNodeStatus(string memory, string memory, uint256) external;
    function getNodeDetails(string memory) external view returns (string memory, string memory, uint256);
}

/// Version 1: nodes as their URLs, access as levels, decisions by the nodes.
contract PermissionsImplementation is PermissionRules {
    Nodes private immutable nodes;

    constructor(
        address _permUpgradable,
        address _orgManager,
        address _rolesManager,
        address _accountManager,
        address _voterManager,
        address _nodeManager
    ) PermissionRules(_permUpgradable, _orgManager, _rolesManager, _accountManager, _voterManager) {
        nodes = Nodes(_nodeManager);
    }

    function addAdminNode(string memory _enodeId) external onlyInterface beforeBoot {
        nodes.addAdminNode(_enodeId, adminOrg);
    }

    function addOrg(string memory _orgId, string memory _enodeId, address _account, address _caller)
        external
        onlyInterface
    {
        proposeOrg(_orgId, _enodeId, _account, _caller);
        (string memory owner, , uint256 status) = nodes.getNodeDetails(_enodeId);
        if (status != PROPOSED || !same(owner, _orgId)) nodes.addNode(_enodeId, _orgId);
    }

    function approveOrg(string memory _orgId, string memory _enodeId, address _account, address _caller)
        external
        onlyInterface
    {
        if (voteForOrg(_orgId, _enodeId, _account, _caller)) nodes.approveNode(_enodeId, _orgId);
    }

    function addSubOrg(
        string memory _pOrgId,
        string memory _orgId,
        string memory _enodeId,
        address _caller
    ) external onlyInterface {
        string memory fullId = addSubOrgTo(_pOrgId, _orgId, _caller);
        if (bytes(_enodeId).length > 0) nodes.addOrgNode(_enodeId, fullId);
    }

    function addNode(string memory _orgId, string memory _enodeId, address _caller) external onlyInterface {
        requireApprovedAndAdmin(_orgId, _caller);
        nodes.addOrgNode(_enodeId, _orgId);
    }

    function updateNodeStatus(
        string memory _orgId,
        string memory _enodeId,
        uint256 _action,
        address _caller
    ) external onlyInterface {
        requireNodeChange(_orgId, _enodeId, _action, _caller);
        nodes.updateNodeStatus(_enodeId, _orgId, _action);
    }

    function startBlacklistedNodeRecovery(string memory _orgId, string memory _enodeId, address _caller)
        external
        onlyInterface
        networkAdmin(_caller)
    {
        nodes.updateNodeStatus(_enodeId, _orgId, START_RECOVERY);
        proposeNodeRecovery(_orgId, _enodeId);
    }

    function approveBlacklistedNodeRecovery(string memory _orgId, string memory _enodeId, address _caller)
        external
        onlyInterface
    {
        if (!voteForNodeRecovery(_orgId, _enodeId, _caller)) return;
        nodes.updateNodeStatus(_enodeId, _orgId, FINISH_RECOVERY);
    }

    function isApprovedNode(string memory node) internal view override returns (bool) {
        (, , uint256 status) = nodes.getNodeDetails(node);
        return status == ACTIVE;
    }

    function blacklistAgain(Pending memory item) internal override {
        nodes.updateNodeStatus(item.node, item.org, BLACKLIST);
    }

    function nodeCounts() internal view override returns (NodeCounts) {
        return nodes;
    }
}
