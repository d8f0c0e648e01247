// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.22;

import {BoxProxy} from "../contracts/BoxProxy.sol";
import {BoxV1} from "../contracts/BoxV1.sol";
import {BoxV2} from "../contracts/BoxV2.sol";

interface Vm {
    function startBroadcast() external;
}

/// A box that is changed and upgraded behind its proxy, in transactions that are sent together.
contract Plan {
    bool public constant IS_SCRIPT = true;
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external returns (address) {
        vm.startBroadcast();
        BoxV1 first = new BoxV1();
        BoxV1 box = BoxV1(address(new BoxProxy(address(first), abi.encodeCall(BoxV1.initialize, (41)))));
        box.set(42);
        box.upgradeToAndCall(address(new BoxV2()), "");
        return address(box);
    }
}
