// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The token of the devnet: ERC-20, six decimals, all of it with one owner at first.
contract DemoToken {
    string public constant name = "Demo Dollar";
    string public constant symbol = "DUSD";
    uint8 public constant decimals = 6;
    uint256 public immutable totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(address owner, uint256 supply) {
        totalSupply = supply;
        move(address(0), owner, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        take(msg.sender, value);
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "DemoToken: allowance exceeded");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        take(from, value);
        move(from, to, value);
        return true;
    }

    function take(address from, uint256 value) private {
        require(balanceOf[from] >= value, "DemoToken: balance exceeded");
        balanceOf[from] -= value;
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0), "DemoToken: to the zero address");
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
