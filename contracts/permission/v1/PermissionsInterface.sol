// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../PermissionEntrance.sol";

interface NodeRules {
    function addAdminNode(string calldata) external;
    function addOrg(string calldata, string calldata, address, address) external;
    function approveOrg(string calldata, string calldata, address, address) external;
    function addSubOrg(string calldata, string calldata, string calldata, address) external;
    function addNode(string calldata, string calldata, address) external;
    function updateNodeStatus(string calldata, string calldata, uint256, address) external;
    function startBlacklistedNodeRecovery(string calldata, string calldata, address) external;
    function approveBlacklistedNodeRecovery(string calldata, string calldata, address) external;
}

/// Version 1: nodes as their URLs.
contract PermissionsInterface is PermissionEntrance {
    constructor(address _permImplUpgradeable) PermissionEntrance(_permImplUpgradeable) {}

    function addAdminNode(string calldata _enodeId) external onlyGuardian {
        nodeRules().addAdminNode(_enodeId);
    }

    function addOrg(string calldata _orgId, string calldata _enodeId, address _account) external {
        nodeRules().addOrg(_orgId, _enodeId, _account, msg.sender);
    }

    function approveOrg(string calldata _orgId, string calldata _enodeId, address _account) external {
        nodeRules().approveOrg(_orgId, _enodeId, _account, msg.sender);
    }

    function addSubOrg(string calldata _pOrgId, string calldata _orgId, string calldata _enodeId) external {
        nodeRules().addSubOrg(_pOrgId, _orgId, _enodeId, msg.sender);
    }

    function addNode(string calldata _orgId, string calldata _enodeId) external {
        nodeRules().addNode(_orgId, _enodeId, msg.sender);
    }

    function updateNodeStatus(string calldata _orgId, string calldata _enodeId, uint256 _action) external {
        nodeRules().updateNodeStatus(_orgId, _enodeId, _action, msg.sender);
    }

    function startBlacklistedNodeRecovery(string calldata _orgId, string calldata _enodeId) external {
        nodeRules().startBlacklistedNodeRecovery(_orgId, _enodeId, msg.sender);
    }

    function approveBlacklistedNodeRecovery(string calldata _orgId, string calldata _enodeId) external {
        nodeRules().approveBlacklistedNodeRecovery(_orgId, _enodeId, msg.sender);
    }

    function nodeRules() private view returns (NodeRules) {
        return NodeRules(implementation);
    }
}
