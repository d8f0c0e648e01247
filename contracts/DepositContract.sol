// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Takes deposits of validators as the consensus layer's deposit contract does: same interface, same event, same tree of
/// deposits, and it checks the deposit root of each. For ledgers of Quorate; compiled for the Istanbul machine, so that older
/// ledgers run it too.
contract DepositContract {
    uint256 private constant TREE_DEPTH = 32;
    uint256 private constant DEPOSITS_MAX = 2 ** TREE_DEPTH - 1;

    event DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index);

    bytes32[TREE_DEPTH] private branch;
    bytes32[TREE_DEPTH] private zeroHashes;
    uint256 private depositCount;

    constructor() {
        for (uint256 height = 0; height < TREE_DEPTH - 1; height++) {
            zeroHashes[height + 1] = pairHash(zeroHashes[height], zeroHashes[height]);
        }
    }

    /// Root of the tree of all deposits, with their number mixed in.
    function get_deposit_root() external view returns (bytes32) {
        bytes32 node;
        uint256 size = depositCount;
        for (uint256 height = 0; height < TREE_DEPTH; height++) {
            node = size & 1 == 1 ? pairHash(branch[height], node) : pairHash(node, zeroHashes[height]);
            size /= 2;
        }
        return sha256(abi.encodePacked(node, littleEndian(uint64(depositCount)), bytes24(0)));
    }

    /// Number of deposits, 8 bytes, little endian.
    function get_deposit_count() external view returns (bytes memory) {
        return littleEndian(uint64(depositCount));
    }

    /// Takes the deposit of one validator. `deposit_data_root` is the SSZ hash of the deposit: a transaction that was garbled
    /// on its way is refused.
    function deposit(
        bytes calldata pubkey,
        bytes calldata withdrawal_credentials,
        bytes calldata signature,
        bytes32 deposit_data_root
    ) external payable {
        require(pubkey.length == 48, "DepositContract: invalid pubkey length");
        require(withdrawal_credentials.length == 32, "DepositContract: invalid withdrawal_credentials length");
        require(signature.length == 96, "DepositContract: invalid signature length");
        require(msg.value >= 1 ether, "DepositContract: deposit value too low");
        require(msg.value % 1 gwei == 0, "DepositContract: deposit value not multiple of gwei");
        uint256 gweiAmount = msg.value / 1 gwei;
        require(gweiAmount <= type(uint64).max, "DepositContract: deposit value too high");

        bytes memory amount = littleEndian(uint64(gweiAmount));
        bytes32 pubkeyRoot = sha256(abi.encodePacked(pubkey, bytes16(0)));
        bytes32 signatureRoot = pairHash(
            sha256(signature[:64]),
            sha256(abi.encodePacked(signature[64:], bytes32(0)))
        );
        bytes32 node = pairHash(
            sha256(abi.encodePacked(pubkeyRoot, withdrawal_credentials)),
            sha256(abi.encodePacked(amount, bytes24(0), signatureRoot))
        );
        require(
            node == deposit_data_root,
            "DepositContract: reconstructed DepositData does not match supplied deposit_data_root"
        );
        require(depositCount < DEPOSITS_MAX, "DepositContract: merkle tree full");

        emit DepositEvent(pubkey, withdrawal_credentials, amount, signature, littleEndian(uint64(depositCount)));
        depositCount += 1;
        uint256 size = depositCount;
        for (uint256 height = 0; height < TREE_DEPTH; height++) {
            if (size & 1 == 1) {
                branch[height] = node;
                return;
            }
            node = pairHash(branch[height], node);
            size /= 2;
        }
    }

    /// ERC-165.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return
            interfaceId == 0x01ffc9a7 ||
            interfaceId == (this.deposit.selector ^ this.get_deposit_root.selector ^ this.get_deposit_count.selector);
    }

    function pairHash(bytes32 left, bytes32 right) private pure returns (bytes32) {
        return sha256(abi.encodePacked(left, right));
    }

    function littleEndian(uint64 value) private pure returns (bytes memory out) {
        out = new bytes(8);
        for (uint256 i = 0; i < 8; i++) {
            out[i] = bytes1(uint8(value >> (8 * i)));
        }
    }
}
