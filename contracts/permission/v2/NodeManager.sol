// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../NodeRecords.sol";

/// Nodes as the parts of their URLs.
contract NodeManager is NodeRecords {
    struct Node {
        string enodeId;
        string ip;
        uint16 port;
        uint16 raftPort;
        string orgId;
        uint256 status;
    }

    Node[] private nodes;

    event NodeProposed(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeApproved(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeDeactivated(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeActivated(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeBlacklisted(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeRecoveryInitiated(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);
    event NodeRecoveryCompleted(string _enodeId, string _ip, uint16 _port, uint16 _raftport, string _orgId);

    constructor(address _permUpgradable) NodeRecords(_permUpgradable) {}

    function addAdminNode(
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        string memory _orgId
    ) public onlyImplementation {
        insert(Node(_enodeId, _ip, _port, _raftport, _orgId, APPROVED));
    }

    function addNode(
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        string memory _orgId
    ) public onlyImplementation {
        insert(Node(_enodeId, _ip, _port, _raftport, _orgId, PROPOSED));
    }

    function addOrgNode(
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        string memory _orgId
    ) public onlyImplementation {
        insert(Node(_enodeId, _ip, _port, _raftport, _orgId, APPROVED));
    }

    /// The address must be the one that was proposed.
    function approveNode(
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        string memory _orgId
    ) public onlyImplementation {
        Node storage node = at(_enodeId);
        require(same(node.orgId, _orgId), "enode id does not belong to the passed org id");
        require(node.status == PROPOSED, "nothing pending for approval");
        bool isSame = same(node.ip, _ip) && node.port == _port && node.raftPort == _raftport;
        require(isSame, "node differs from the one proposed");
        node.status = APPROVED;
        count(node.orgId, PROPOSED, APPROVED);
        emit NodeApproved(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
    }

    /// The key alone says which node is meant: its address may have been written in another way.
    function updateNodeStatus(
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        string memory _orgId,
        uint256 _action
    ) public onlyImplementation {
        Node storage node = at(_enodeId);
        require(same(node.orgId, _orgId), "enode id does not belong to the passed org");
        uint256 next = nextStatus(node.status, _action);
        count(node.orgId, node.status, next);
        node.status = next;
        announce(node, _action);
    }

    function getNodeDetails(string calldata enodeId)
        external
        view
        returns (
            string memory _orgId,
            string memory _enodeId,
            string memory _ip,
            uint16 _port,
            uint16 _raftport,
            uint256 _nodeStatus
        )
    {
        uint256 place = places[keyOf(enodeId)];
        if (place == 0) return ("", "", "", 0, 0, 0);
        return getNodeDetailsFromIndex(place - 1);
    }

    function getNodeDetailsFromIndex(uint256 _nodeIndex)
        public
        view
        returns (
            string memory _orgId,
            string memory _enodeId,
            string memory _ip,
            uint16 _port,
            uint16 _raftport,
            uint256 _nodeStatus
        )
    {
        Node storage node = nodes[_nodeIndex];
        return (node.orgId, node.enodeId, node.ip, node.port, node.raftPort, node.status);
    }

    function getNumberOfNodes() external view returns (uint256) {
        return nodes.length;
    }

    /// `_port` is the one that the connection comes from: it says nothing.
    function connectionAllowed(string memory _enodeId, string memory _ip, uint16 _port)
        public
        view
        onlyImplementation
        returns (bool)
    {
        uint256 place = places[keyOf(_enodeId)];
        return place != 0 && nodes[place - 1].status == APPROVED && same(nodes[place - 1].ip, _ip);
    }

    function insert(Node memory node) private {
        require(bytes(node.enodeId).length == 128, "Invalid enode id");
        bytes memory digits = keyDigits(bytes(node.enodeId), 0);
        require(places[keccak256(digits)] == 0, "passed enode id exists");
        node.enodeId = string(digits);
        nodes.push(node);
        places[keccak256(digits)] = nodes.length;
        count(node.orgId, 0, node.status);
        if (node.status == PROPOSED) emit NodeProposed(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
        else emit NodeApproved(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
    }

    function at(string memory enodeId) private view returns (Node storage) {
        uint256 place = places[keyOf(enodeId)];
        require(place != 0, "passed enode id does not exist");
        return nodes[place - 1];
    }

    function keyOf(string memory enodeId) private pure returns (bytes32) {
        return keccak256(keyDigits(bytes(enodeId), 0));
    }

    function announce(Node memory node, uint256 action) private {
        if (action == 1) emit NodeDeactivated(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
        else if (action == 2) emit NodeActivated(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
        else if (action == 3) emit NodeBlacklisted(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
        else if (action == 4) emit NodeRecoveryInitiated(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
        else emit NodeRecoveryCompleted(node.enodeId, node.ip, node.port, node.raftPort, node.orgId);
    }
}
