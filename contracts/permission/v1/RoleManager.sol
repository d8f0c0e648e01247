// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../RoleRecords.sol";

/// Access: 0 read only, 1 transfers and calls, 2 and 3 deployments too.
contract RoleManager is RoleRecords {
    constructor(address _permUpgradable) RoleRecords(_permUpgradable, 4) {}
}
