// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// Nodes, each of one organisation forever. A node is known by its public key: another spelling of its URL is the same node.
abstract contract NodeRecords is Managed {
    uint256 internal constant PROPOSED = 1;
    uint256 internal constant APPROVED = 2;
    uint256 internal constant DEACTIVATED = 3;
    uint256 internal constant BLACKLISTED = 4;
    uint256 internal constant RECOVERY_STARTED = 5;

    uint256 private constant KEY_DIGITS = 128;

    /// Place in the list of nodes plus one, by hash of the public key's digits.
    mapping(bytes32 => uint256) internal places;
    /// Approved nodes by hash of their organisation's id.
    mapping(bytes32 => uint256) private approved;

    constructor(address _permUpgradable) Managed(_permUpgradable) {}

    /// How many nodes of the organisation may connect.
    function getNumberOfApprovedNodes(string calldata _orgId) external view returns (uint256) {
        return approved[keccak256(bytes(_orgId))];
    }

    /// The status behind `action`: 1 deactivate, 2 activate, 3 blacklist, 4 start the recovery, 5 finish it.
    function nextStatus(uint256 status, uint256 action) internal pure returns (uint256) {
        require(action > 0 && action < 6, "invalid operation. wrong action passed");
        bool isAllowed;
        uint256 next = APPROVED;
        if (action == 1) (isAllowed, next) = (status == APPROVED, DEACTIVATED);
        else if (action == 2) isAllowed = status == DEACTIVATED;
        else if (action == 3) (isAllowed, next) = (status != PROPOSED && status != BLACKLISTED, BLACKLISTED);
        else if (action == 4) (isAllowed, next) = (status == BLACKLISTED, RECOVERY_STARTED);
        else isAllowed = status == RECOVERY_STARTED;
        require(isAllowed, "operation cannot be performed");
        return next;
    }

    function count(string memory orgId, uint256 before, uint256 afterwards) internal {
        bytes32 key = keccak256(bytes(orgId));
        if (before == APPROVED) approved[key]--;
        if (afterwards == APPROVED) approved[key]++;
    }

    /// The public key's digits in `text` from `start` on, in lower case.
    function keyDigits(bytes memory text, uint256 start) internal pure returns (bytes memory digits) {
        require(text.length >= start + KEY_DIGITS, "Invalid enode id");
        digits = new bytes(KEY_DIGITS);
        for (uint256 i = 0; i < KEY_DIGITS; i++) {
            uint8 c = uint8(text[start + i]);
            if (c >= 0x41 && c <= 0x46) c += 0x20;
            require((c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x66), "Invalid enode id");
            digits[i] = bytes1(c);
        }
    }
}
