// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.22;

import {BoxV1} from "./BoxV1.sol";

/// The box after its upgrade; it keeps its value, so nothing is initialised again.
/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract BoxV2 is BoxV1 {
    function version() external pure override returns (uint256) {
        return 2;
    }
}
