// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.22;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

/// OpenZeppelin's proxy, under a name of ours so that every tool finds it among our contracts.
contract BoxProxy is ERC1967Proxy {
    constructor(address implementation, bytes memory call) ERC1967Proxy(implementation, call) {}
}
