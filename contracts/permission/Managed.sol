// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface Upgradable {
    function getGuardian() external view returns (address);
    function getPermImpl() external view returns (address);
    function getPermInterface() external view returns (address);
}

/// A keeper of records: the present implementation alone writes to it.
abstract contract Managed {
    Upgradable private immutable upgradable;

    modifier onlyImplementation() {
        requireImplementation();
        _;
    }

    constructor(address _permUpgradable) {
        upgradable = Upgradable(_permUpgradable);
    }

    function requireImplementation() private view {
        require(msg.sender == upgradable.getPermImpl(), "invalid caller");
    }

    function same(string memory a, string memory b) internal pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}
