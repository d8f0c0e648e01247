/**
 * Fork identifiers (EIP-2124, EIP-6122), counting the forks that GoQuorum counts (GoQuorum
 * core/forkid/forkid.go).
 */
import type { Hash32 } from '../base/bytes.ts';
import { MAX_UINT64 } from '../base/quantity.ts';
import type { ChainConfig } from './chain-config.ts';

export interface ForkId {
  /**
   * CRC-32 of the genesis hash and all past forks. Forks at block 0 are omitted, except one that
   * only Quorate has (`hasForkAtStart`).
   */
  readonly hash: number;
  /** Block or time of the next fork, 0n when none is known. */
  readonly next: bigint;
}

export interface ChainPosition {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
}

/**
 * A `next` below this is a block number, otherwise a timestamp: the start of Ethereum's main
 * network.
 */
const FIRST_FORK_TIME = 1_438_269_973n;

/** All fork ids of one chain. */
export class ForkSchedule {
  private readonly blocks: readonly bigint[];
  private readonly times: readonly bigint[];
  /** Checksum before each fork, by its index. */
  private readonly sums: readonly number[];

  constructor(
    forks: Pick<ChainConfig, 'forkIdBlocks' | 'forkIdTimes' | 'hasForkAtStart'>,
    genesisHash: Hash32,
    genesisTimestamp: bigint,
  ) {
    this.blocks = ascending(forks.forkIdBlocks, 0n);
    this.times = ascending(forks.forkIdTimes, genesisTimestamp);
    const genesisSum = crc32(0, genesisHash);
    const sums = [forks.hasForkAtStart ? crc32(genesisSum, uint64(0n)) : genesisSum];
    for (const fork of [...this.blocks, ...this.times]) {
      sums.push(crc32(sums.at(-1)!, uint64(fork)));
    }
    this.sums = sums;
  }

  /** The fork id that a node with this head announces. */
  at(head: ChainPosition): ForkId {
    const passed = this.passed(head);
    return { hash: this.sums[passed]!, next: this.fork(passed) ?? 0n };
  }

  /** Why a peer cannot be on the same chain, in GoQuorum's words; undefined when it can. */
  fault(remote: ForkId, head: ChainPosition): string | undefined {
    for (let i = 0; i <= this.count; i++) {
      const fork = this.fork(i) ?? MAX_UINT64;
      const position = i < this.blocks.length ? head.number : this.positionAfterBlocks(head);
      if (position >= fork) continue;
      if (this.sums[i] === remote.hash) {
        return this.isPassed(remote.next, head) ? LOCAL_FAULT : undefined;
      }
      for (let j = 0; j < i; j++) {
        if (this.sums[j] === remote.hash) {
          return this.fork(j) === remote.next ? undefined : REMOTE_FAULT;
        }
      }
      return this.sums.includes(remote.hash, i + 1) ? undefined : LOCAL_FAULT;
    }
    return LOCAL_FAULT;
  }

  private get count(): number {
    return this.blocks.length + this.times.length;
  }

  private fork(i: number): bigint | undefined {
    return i < this.blocks.length ? this.blocks[i] : this.times[i - this.blocks.length];
  }

  private passed(head: ChainPosition): number {
    let passed = 0;
    while (passed < this.blocks.length && this.blocks[passed]! <= head.number) passed++;
    if (passed < this.blocks.length) return passed;
    for (const time of this.times) {
      if (time > head.timestamp) break;
      passed++;
    }
    return passed;
  }

  /**
   * Chains without forks by time are compared by block number only: Raft timestamps are
   * nanoseconds.
   */
  private positionAfterBlocks(head: ChainPosition): bigint {
    return this.times.length > 0 ? head.timestamp : head.number;
  }

  private isPassed(next: bigint, head: ChainPosition): boolean {
    if (next === 0n) return false;
    if (head.number >= next) return true;
    return this.times.length > 0 && next > FIRST_FORK_TIME && head.timestamp >= next;
  }
}

const REMOTE_FAULT = 'remote needs update';
const LOCAL_FAULT = 'local incompatible or needs update';

/** Sorted, without duplicates and without forks that are active from the beginning. */
function ascending(forks: readonly bigint[], beginning: bigint): bigint[] {
  const later = new Set(forks.filter((fork) => fork > beginning));
  return [...later].sort((a, b) => (a < b ? -1 : 1));
}

function uint64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (IEEE) of `bytes`, continued from `sum`. */
function crc32(sum: number, bytes: Uint8Array): number {
  let value = ~sum >>> 0;
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return ~value >>> 0;
}
