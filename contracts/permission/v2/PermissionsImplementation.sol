// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../PermissionRules.sol";

interface Nodes is NodeCounts {
    function addAdminNode(string memory, string memory, uint16, uint16, string memory) external;
    function addNode(string memory, string memory, uint16, uint16, string memory) external;
    function addOrgNode(string memory, string memory, uint16, uint16, string memory) external;
    function approveNode(string memory, string memory, uint16, uint16, string memory) external;
    function updateNodeStatus(string memory, string memory, uint16, uint16, string memory, uint256) external;
    function getNodeDetails(string memory)
        external
        view
        returns (string memory, string memory, string memory, uint16, uint16, uint256);
    function connectionAllowed(string memory, string memory, uint16) external view returns (bool);
}

/// Version 2: nodes as parts of their URLs, access as sets of rights, decisions asked of the contracts themselves.
contract PermissionsImplementation is PermissionRules {
    uint256 private constant TRANSFER = 1;
    uint256 private constant DEPLOY = 2;
    uint256 private constant CALL = 3;

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

    function addAdminNode(string memory _enodeId, string memory _ip, uint16 _port, uint16 _raftport)
        external
        onlyInterface
        beforeBoot
    {
        nodes.addAdminNode(_enodeId, _ip, _port, _raftport, adminOrg);
    }

    function addOrg(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _account,
        address _caller
    ) public onlyInterface {
        proposeOrg(_orgId, _enodeId, _account, _caller);
        if (!isProposedNode(_enodeId, _orgId)) nodes.addNode(_enodeId, _ip, _port, _raftport, _orgId);
    }

    function approveOrg(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _account,
        address _caller
    ) public onlyInterface {
        bool isDone = voteForOrg(_orgId, _enodeId, _account, _caller);
        if (isDone) nodes.approveNode(_enodeId, _ip, _port, _raftport, _orgId);
    }

    function addSubOrg(
        string memory _pOrgId,
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _caller
    ) external onlyInterface {
        string memory fullId = addSubOrgTo(_pOrgId, _orgId, _caller);
        if (bytes(_enodeId).length > 0) nodes.addOrgNode(_enodeId, _ip, _port, _raftport, fullId);
    }

    function addNode(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _caller
    ) public onlyInterface {
        requireApprovedAndAdmin(_orgId, _caller);
        nodes.addOrgNode(_enodeId, _ip, _port, _raftport, _orgId);
    }

    function updateNodeStatus(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        uint256 _action,
        address _caller
    ) public onlyInterface {
        requireNodeChange(_orgId, _enodeId, _action, _caller);
        nodes.updateNodeStatus(_enodeId, _ip, _port, _raftport, _orgId, _action);
    }

    function startBlacklistedNodeRecovery(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _caller
    ) public onlyInterface networkAdmin(_caller) {
        nodes.updateNodeStatus(_enodeId, _ip, _port, _raftport, _orgId, START_RECOVERY);
        proposeNodeRecovery(_orgId, _enodeId);
    }

    function approveBlacklistedNodeRecovery(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _caller
    ) public onlyInterface {
        if (!voteForNodeRecovery(_orgId, _enodeId, _caller)) return;
        nodes.updateNodeStatus(_enodeId, _ip, _port, _raftport, _orgId, FINISH_RECOVERY);
    }

    function connectionAllowed(string memory _enodeId, string memory _ip, uint16 _port)
        external
        view
        returns (bool)
    {
        return !networkBoot || nodes.connectionAllowed(_enodeId, _ip, _port);
    }

    /// Administrators may do everything, whatever access their role has: nodes of every kind decide so.
    function transactionAllowed(
        address _sender,
        address _target,
        uint256 _value,
        uint256 _gasPrice,
        uint256 _gasLimit,
        bytes calldata _payload
    ) external view returns (bool) {
        if (!networkBoot) return true;
        Account memory sender = read(_sender);
        if (sender.status != ACTIVE || !orgs.checkOrgActive(sender.org)) return false;
        if (same(sender.role, adminRole) || isOrgAdmin(_sender, sender.org)) return true;
        uint256 kind = _target == address(0) ? DEPLOY : _payload.length > 0 ? CALL : TRANSFER;
        return roles.transactionAllowed(sender.role, sender.org, masterOf(sender.org), kind);
    }

    function isProposedNode(string memory enodeId, string memory org) private view returns (bool) {
        (string memory owner, , , , , uint256 status) = nodes.getNodeDetails(enodeId);
        return status == PROPOSED && same(owner, org);
    }

    function isApprovedNode(string memory node) internal view override returns (bool) {
        (, , , , , uint256 status) = nodes.getNodeDetails(node);
        return status == ACTIVE;
    }

    function blacklistAgain(Pending memory item) internal override {
        nodes.updateNodeStatus(item.node, "", 0, 0, item.org, BLACKLIST);
    }

    function nodeCounts() internal view override returns (NodeCounts) {
        return nodes;
    }
}
