// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../NodeRecords.sol";

/// Nodes as their URLs.
contract NodeManager is NodeRecords {
    struct Node {
        string enodeId;
        string orgId;
        uint256 status;
    }

    Node[] private nodes;

    event NodeProposed(string _enodeId, string _orgId);
    event NodeApproved(string _enodeId, string _orgId);
    event NodeDeactivated(string _enodeId, string _orgId);
    event NodeActivated(string _enodeId, string _orgId);
    event NodeBlacklisted(string _enodeId, string _orgId);
    event NodeRecoveryInitiated(string _enodeId, string _orgId);
    event NodeRecoveryCompleted(string _enodeId, string _orgId);

    constructor(address _permUpgradable) NodeRecords(_permUpgradable) {}

    function addAdminNode(string calldata _enodeId, string calldata _orgId) external onlyImplementation {
        insert(Node(_enodeId, _orgId, APPROVED));
    }

    function addNode(string calldata _enodeId, string calldata _orgId) external onlyImplementation {
        insert(Node(_enodeId, _orgId, PROPOSED));
    }

    function addOrgNode(string calldata _enodeId, string calldata _orgId) external onlyImplementation {
        insert(Node(_enodeId, _orgId, APPROVED));
    }

    function approveNode(string calldata _enodeId, string calldata _orgId) external onlyImplementation {
        Node storage node = at(_enodeId);
        require(same(node.orgId, _orgId), "enode id does not belong to the passed org id");
        require(node.status == PROPOSED, "nothing pending for approval");
        require(same(node.enodeId, _enodeId), "node differs from the one proposed");
        node.status = APPROVED;
        count(node.orgId, PROPOSED, APPROVED);
        emit NodeApproved(node.enodeId, node.orgId);
    }

    function updateNodeStatus(string calldata _enodeId, string calldata _orgId, uint256 _action)
        external
        onlyImplementation
    {
        Node storage node = at(_enodeId);
        require(same(node.orgId, _orgId), "enode id does not belong to the passed org");
        uint256 next = nextStatus(node.status, _action);
        count(node.orgId, node.status, next);
        node.status = next;
        if (_action == 1) emit NodeDeactivated(node.enodeId, node.orgId);
        else if (_action == 2) emit NodeActivated(node.enodeId, node.orgId);
        else if (_action == 3) emit NodeBlacklisted(node.enodeId, node.orgId);
        else if (_action == 4) emit NodeRecoveryInitiated(node.enodeId, node.orgId);
        else emit NodeRecoveryCompleted(node.enodeId, node.orgId);
    }

    function getNodeDetails(string calldata enodeId)
        external
        view
        returns (string memory _orgId, string memory _enodeId, uint256 _nodeStatus)
    {
        uint256 place = places[keyOf(enodeId)];
        if (place == 0) return ("", "", 0);
        return getNodeDetailsFromIndex(place - 1);
    }

    function getNodeDetailsFromIndex(uint256 _nodeIndex)
        public
        view
        returns (string memory _orgId, string memory _enodeId, uint256 _nodeStatus)
    {
        Node storage node = nodes[_nodeIndex];
        return (node.orgId, node.enodeId, node.status);
    }

    function getNumberOfNodes() external view returns (uint256) {
        return nodes.length;
    }

    function insert(Node memory node) private {
        bytes32 key = keyOf(node.enodeId);
        require(places[key] == 0, "passed enode id exists");
        nodes.push(node);
        places[key] = nodes.length;
        count(node.orgId, 0, node.status);
        if (node.status == PROPOSED) emit NodeProposed(node.enodeId, node.orgId);
        else emit NodeApproved(node.enodeId, node.orgId);
    }

    function at(string memory enodeId) private view returns (Node storage) {
        uint256 place = places[keyOf(enodeId)];
        require(place != 0, "passed enode id does not exist");
        return nodes[place - 1];
    }

    /// Of a URL: scheme, public key, at sign.
    function keyOf(string memory enodeId) private pure returns (bytes32) {
        bytes memory text = bytes(enodeId);
        bytes8 scheme = "enode://";
        require(text.length > 136 && text[136] == "@", "Invalid enode id");
        for (uint256 i = 0; i < 8; i++) require(text[i] == scheme[i], "Invalid enode id");
        return keccak256(keyDigits(text, 8));
    }
}
