/**
 * The accounts on which the outcome of a private transaction depends, and the outcome as a digest
 * that two nodes can compare.
 */
import { bytesOfKey, EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes, numberToBytes } from '../base/quantity.ts';
import { encodeRlp, type RlpValue } from '../base/rlp.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { Footprint } from '../state/footprint-world.ts';
import type { PublicWorld } from '../state/public-world.ts';

/** Accounts of the private state are identified by `keyOf(address)`. */
export interface PrivateTrace {
  /** Accounts that were read or written, and whether they existed before. */
  readonly existed: ReadonlyMap<string, boolean>;
  readonly written: ReadonlySet<string>;
  /**
   * keccak256 of the receipt, and of the written accounts and slots after the transaction.
   */
  readonly outcome: Hash32;
}

export function traceOf(
  { existed, written }: Footprint,
  { status, contractAddress, logs }: Receipt,
  world: PublicWorld,
): PrivateTrace {
  const accounts = [...written].sort(byKey).map(([key, slots]): RlpValue => {
    const address = bytesOfKey(key);
    if (!world.exists(address)) return [address];
    const ordered = [...slots].sort((a, b) => (a < b ? -1 : 1));
    return [
      address,
      bigIntToBytes(world.nonce(address)),
      bigIntToBytes(world.balance(address)),
      world.codeHash(address),
      ordered.map((slot) => [bigIntToBytes(slot), bigIntToBytes(world.storage(address, slot))]),
    ];
  });
  const outcome = keccak256(
    encodeRlp([
      numberToBytes(status ?? 2),
      contractAddress ?? EMPTY_BYTES,
      logs.map(({ address, topics, data }) => [address, [...topics], data]),
      accounts,
    ]),
  );
  return { existed, written: new Set(written.keys()), outcome };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
