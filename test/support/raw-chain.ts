/** A chain of linked headers with matching bodies: enough for sync, which does not execute. */
import { EMPTY_BYTES, type Hash32, ZERO_ADDRESS, ZERO_HASH } from '../../src/core/base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../../src/core/base/keccak.ts';
import { numberToBytes } from '../../src/core/base/quantity.ts';
import { encodeRlp, listOfRaw } from '../../src/core/base/rlp.ts';
import { EMPTY_UNCLES_HASH } from '../../src/core/chain/block.ts';
import { deriveRoot } from '../../src/core/chain/derive-root.ts';
import { blockHash } from '../../src/core/chain/extra-data.ts';
import { encodeHeader, type Header } from '../../src/core/chain/header.ts';
import type { RawBody } from '../../src/core/wire/eth.ts';

export interface RawChainBlock {
  readonly header: Header;
  readonly hash: Hash32;
  readonly rawHeader: Uint8Array;
  readonly body: RawBody;
  /** RLP of the body. */
  readonly rawBody: Uint8Array;
}

/**
 * Block `number` has number % `modulus` transactions of about `bytes` each; another `salt` makes
 * another chain.
 */
export function makeRawChain(
  length: number,
  options: { salt?: number; modulus?: number; bytes?: number } = {},
): RawChainBlock[] {
  const { salt = 0, modulus = 3, bytes = 40 } = options;
  const blocks: RawChainBlock[] = [];
  let parentHash: Hash32 = ZERO_HASH;
  for (let number = 0; number < length; number++) {
    const transactions = Array.from({ length: number % modulus }, (_, i) =>
      encodeRlp([
        numberToBytes(number + 1),
        numberToBytes(i + 1),
        new Uint8Array(bytes).fill(salt + 1),
      ]),
    );
    const header: Header = {
      parentHash,
      unclesHash: EMPTY_UNCLES_HASH,
      coinbase: ZERO_ADDRESS,
      stateRoot: keccak256(numberToBytes(number + salt * 1_000_000 + 1)),
      transactionsRoot: transactions.length > 0 ? deriveRoot(transactions) : EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      bloom: new Uint8Array(256),
      difficulty: 1n,
      number,
      gasLimit: 700_000_000n,
      gasUsed: 0n,
      timestamp: BigInt(number),
      extraData: EMPTY_BYTES,
      mixHash: ZERO_HASH,
      nonce: new Uint8Array(8),
    };
    const rawBody = listOfRaw([listOfRaw(transactions), listOfRaw([])]);
    const body = { transactions, uncles: [], withdrawals: undefined, size: rawBody.length };
    const hash = blockHash(header);
    blocks.push({ header, hash, rawHeader: encodeHeader(header), body, rawBody });
    parentHash = hash;
  }
  return blocks;
}
