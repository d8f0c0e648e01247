/** eth Status, and its faults in GoQuorum's words (GoQuorum eth/protocols/eth). */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import { bigIntToFixed, bytesToNumber } from '../base/quantity.ts';
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import type { ForkId } from '../chain/fork-id.ts';

/** Total difficulties with more bits are refused. */
const TOTAL_DIFFICULTY_BITS_MAX = 100;
/** COMPAT: GoQuorum still accepts a Status with this version, that of istanbul/99. */
const LEGACY_STATUS_VERSION = 99;

export interface Status {
  readonly version: number;
  readonly networkId: bigint;
  readonly td: bigint;
  readonly head: Hash32;
  readonly genesis: Hash32;
  readonly forkId: ForkId;
}

export function encodeStatus(status: Status): Uint8Array {
  return new RlpWriter(128)
    .list((w) => {
      w.number(status.version).bigint(status.networkId).bigint(status.td);
      w.string(status.head).string(status.genesis);
      w.list((fork) =>
        fork.string(bigIntToFixed(BigInt(status.forkId.hash), 4)).bigint(status.forkId.next),
      );
    })
    .finish();
}

/** Throws RLP_INVALID. */
export function decodeStatus(bytes: Uint8Array): Status {
  const outer = new RlpReader(bytes);
  const reader = outer.enter();
  outer.finish();
  const version = reader.number();
  const networkId = reader.bigint(8);
  const td = reader.bigint();
  const head = reader.fixed(32).slice();
  const genesis = reader.fixed(32).slice();
  const fork = reader.enter();
  const hash = bytesToNumber(fork.fixed(4));
  const next = fork.bigint(8);
  while (!fork.done) fork.skip();
  reader.finish();
  return { version, networkId, td, head, genesis, forkId: { hash, next } };
}

/**
 * undefined: the status is acceptable. Otherwise the fault, which ends the session as `subprotocol
 * error`. `forkFault` judges the fork id (EIP-2124): undefined or its fault.
 */
export function statusFault(
  ours: Status,
  theirs: Status,
  forkFault: (id: ForkId) => string | undefined,
): string | undefined {
  if (theirs.networkId !== ours.networkId) {
    return `network ID mismatch: ${theirs.networkId} (!= ${ours.networkId})`;
  }
  if (theirs.version !== ours.version && theirs.version !== LEGACY_STATUS_VERSION) {
    return `protocol version mismatch: ${theirs.version} (!= ${ours.version})`;
  }
  if (!equalBytes(theirs.genesis, ours.genesis)) {
    return `genesis mismatch: ${bareHex(theirs.genesis)} (!= ${bareHex(ours.genesis)})`;
  }
  const fork = forkFault(theirs.forkId);
  if (fork !== undefined) return `fork ID rejected: ${fork}`;
  const bits = theirs.td.toString(2).length;
  if (bits > TOTAL_DIFFICULTY_BITS_MAX) return `too large total difficulty: bitlen ${bits}`;
  return undefined;
}
