// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Where the rules of the network stand. Its guardian may put another implementation in their place; the records
/// stay in the managers, which ask here who may write to them.
contract PermissionsUpgradable {
    address private guardian;
    address private implementation;
    address private entrance;

    modifier onlyGuardian() {
        require(msg.sender == guardian, "invalid caller");
        _;
    }

    constructor(address _guardian) {
        guardian = _guardian;
    }

    function init(address _permInterface, address _permImpl) external onlyGuardian {
        require(entrance == address(0), "can be executed only once");
        require(_permInterface != address(0) && _permImpl != address(0), "missing contract address");
        entrance = _permInterface;
        install(_permImpl);
    }

    /// The new one takes over the names and the boot status of the present one.
    function confirmImplChange(address _proposedImpl) external onlyGuardian {
        (string memory org, string memory role, string memory orgRole, bool isBooted) =
            Implementation(implementation).getPolicyDetails();
        Implementation(_proposedImpl).setMigrationPolicy(org, role, orgRole, isBooted);
        install(_proposedImpl);
    }

    function getGuardian() external view returns (address) {
        return guardian;
    }

    function getPermImpl() external view returns (address) {
        return implementation;
    }

    function getPermInterface() external view returns (address) {
        return entrance;
    }

    function install(address contractAddress) private {
        implementation = contractAddress;
        Entrance(entrance).setPermImplementation(contractAddress);
    }
}

interface Implementation {
    function getPolicyDetails() external view returns (string memory, string memory, string memory, bool);
    function setMigrationPolicy(string memory, string memory, string memory, bool) external;
}

interface Entrance {
    function setPermImplementation(address) external;
}
