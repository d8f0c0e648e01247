/** 2048-bit bloom filters of logs (Yellow Paper §4.3.1). */
import { keccak256 } from '../base/keccak.ts';
import type { Slices } from '../base/pace.ts';

/** The fields of a log that go into its bloom. */
interface Indexed {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
}

const BLOOM_BYTES = 256;
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(BLOOM_BYTES);
/** Logs with up to four topics each whose bits are set in one piece, in about 1 ms. */
export const LOGS_AT_ONCE = 256;

/** The three bits that an address or topic sets. */
export type BloomBits = readonly number[];

export function bloomBits(entry: Uint8Array): BloomBits {
  const hash = keccak256(entry);
  return [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)];
}

/** False: what has these bits is certainly not in the filter. */
export function bloomHas(bloom: Uint8Array, bits: BloomBits): boolean {
  return bits.every((bit) => (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0);
}

function bitAt(hash: Uint8Array, at: number): number {
  return ((hash[at]! << 8) | hash[at + 1]!) & 2047;
}

/** Without a list of bits: a block's receipts call it for each address and topic. */
function addToBloom(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry);
  for (let i = 0; i < 6; i += 2) {
    const bit = bitAt(hash, i);
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
}

function addLogsToBloom(bloom: Uint8Array, logs: readonly Indexed[]): void {
  for (const log of logs) {
    addToBloom(bloom, log.address);
    for (const topic of log.topics) addToBloom(bloom, topic);
  }
}

/** Returns the shared EMPTY_BLOOM when there is no log: never write into a result. */
export function bloomOfLogs(logs: readonly Indexed[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = new Uint8Array(BLOOM_BYTES);
  addLogsToBloom(bloom, logs);
  return bloom;
}

/** Like `bloomOfLogs`, in pieces of LOGS_AT_ONCE. */
export function* bloomOfLogsInPieces(logs: readonly Indexed[]): Slices<Uint8Array> {
  if (logs.length <= LOGS_AT_ONCE) return bloomOfLogs(logs);
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (let at = 0; at < logs.length; at += LOGS_AT_ONCE) {
    addLogsToBloom(bloom, logs.slice(at, at + LOGS_AT_ONCE));
    yield;
  }
  return bloom;
}

export function mergeBlooms(blooms: Iterable<Uint8Array>): Uint8Array {
  const merged = new Uint8Array(BLOOM_BYTES);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let i = 0; i < BLOOM_BYTES; i++) merged[i]! |= bloom[i]!;
  }
  return merged;
}
