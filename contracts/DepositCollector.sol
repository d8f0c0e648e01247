// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Gives every order an address of its own to send crypto to, without a key for it: the address where the CREATE2 of this
/// contract would put a Sweep with the order's salt. Nothing stands there until crypto is collected, and nothing afterwards.
/// Anybody may collect; it all goes to the treasury. Compiled for the Istanbul machine, so that older ledgers run it too.
contract DepositCollector {
    address payable public immutable treasury;

    /// What the Sweep that is being made shall take: a token, or the zero address for the coin alone.
    address public token;

    constructor(address payable owner) {
        treasury = owner;
    }

    /// Sends what is at the salt's address to the treasury: the coin, and all of `wanted` unless that is the zero address.
    function collect(bytes32 salt, address wanted) external {
        token = wanted;
        new Sweep{salt: salt}();
        token = address(0);
    }

    /// Where crypto of this salt is sent to.
    function addressOf(bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(type(Sweep).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}

/// Lives as long as its constructor runs.
contract Sweep {
    constructor() {
        DepositCollector collector = DepositCollector(msg.sender);
        address token = collector.token();
        address payable treasury = collector.treasury();
        if (token != address(0)) {
            (bool isThere, bytes memory held) =
                token.staticcall(abi.encodeWithSignature("balanceOf(address)", address(this)));
            require(isThere && held.length >= 32, "Sweep: not a token");
            uint256 units = abi.decode(held, (uint256));
            // Some tokens answer nothing, others whether they did it.
            (bool isDone, bytes memory answer) =
                token.call(abi.encodeWithSignature("transfer(address,uint256)", treasury, units));
            require(isDone && (answer.length == 0 || abi.decode(answer, (bool))), "Sweep: transfer refused");
        }
        selfdestruct(treasury);
    }
}
