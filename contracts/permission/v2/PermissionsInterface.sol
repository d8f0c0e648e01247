// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../PermissionEntrance.sol";

interface NodeRules {
    function addAdminNode(string memory, string memory, uint16, uint16) external;
    function addOrg(string memory, string memory, string memory, uint16, uint16, address, address) external;
    function approveOrg(string memory, string memory, string memory, uint16, uint16, address, address) external;
    function addSubOrg(string memory, string memory, string memory, string memory, uint16, uint16, address)
        external;
    function addNode(string memory, string memory, string memory, uint16, uint16, address) external;
    function updateNodeStatus(string memory, string memory, string memory, uint16, uint16, uint256, address)
        external;
    function startBlacklistedNodeRecovery(string memory, string memory, string memory, uint16, uint16, address)
        external;
    function approveBlacklistedNodeRecovery(string memory, string memory, string memory, uint16, uint16, address)
        external;
    function connectionAllowed(string memory, string memory, uint16) external view returns (bool);
    function transactionAllowed(address, address, uint256, uint256, uint256, bytes memory)
        external
        view
        returns (bool);
}

/// Version 2: nodes as the parts of their URLs.
contract PermissionsInterface is PermissionEntrance {
    constructor(address _permImplUpgradeable) PermissionEntrance(_permImplUpgradeable) {}

    function addAdminNode(string memory _enodeId, string memory _ip, uint16 _port, uint16 _raftport)
        external
        onlyGuardian
    {
        nodeRules().addAdminNode(_enodeId, _ip, _port, _raftport);
    }

    function addOrg(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _account
    ) external {
        nodeRules().addOrg(_orgId, _enodeId, _ip, _port, _raftport, _account, msg.sender);
    }

    function approveOrg(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        address _account
    ) external {
        nodeRules().approveOrg(_orgId, _enodeId, _ip, _port, _raftport, _account, msg.sender);
    }

    function addSubOrg(
        string memory _pOrgId,
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport
    ) external {
        nodeRules().addSubOrg(_pOrgId, _orgId, _enodeId, _ip, _port, _raftport, msg.sender);
    }

    function addNode(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport
    ) external {
        nodeRules().addNode(_orgId, _enodeId, _ip, _port, _raftport, msg.sender);
    }

    function updateNodeStatus(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport,
        uint256 _action
    ) external {
        nodeRules().updateNodeStatus(_orgId, _enodeId, _ip, _port, _raftport, _action, msg.sender);
    }

    function startBlacklistedNodeRecovery(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport
    ) external {
        nodeRules().startBlacklistedNodeRecovery(_orgId, _enodeId, _ip, _port, _raftport, msg.sender);
    }

    function approveBlacklistedNodeRecovery(
        string memory _orgId,
        string memory _enodeId,
        string memory _ip,
        uint16 _port,
        uint16 _raftport
    ) external {
        nodeRules().approveBlacklistedNodeRecovery(_orgId, _enodeId, _ip, _port, _raftport, msg.sender);
    }

    function connectionAllowed(string memory _enodeId, string memory _ip, uint16 _port)
        external
        view
        returns (bool)
    {
        return nodeRules().connectionAllowed(_enodeId, _ip, _port);
    }

    function transactionAllowed(
        address _sender,
        address _target,
        uint256 _value,
        uint256 _gasPrice,
        uint256 _gasLimit,
        bytes memory _payload
    ) external view returns (bool) {
        return nodeRules().transactionAllowed(_sender, _target, _value, _gasPrice, _gasLimit, _payload);
    }

    function nodeRules() private view returns (NodeRules) {
        return NodeRules(implementation);
    }
}
