/**
 * The services that the host must provide to the node. Types only: io implements them; tests and
 * the simulator use fakes.
 */

import type { Address } from './bytes.ts';
import type { Pace, Slices } from './pace.ts';

// --- storage -----------------------------------------------------------------------------------------------------

/**
 * One append-only file. `append` returns where the bytes began; they are durable only after `sync`
 * has resolved.
 */
export interface LogFile {
  size(): number;
  append(bytes: Uint8Array): number;
  sync(): Promise<void>;
  read(at: number, length: number): Uint8Array;
  truncate(size: number): void;
  close(): void;
}

/** A folder of numbered log segments (`blocks/000000.log`, …). */
export interface LogFolder {
  segments(): readonly number[];
  open(segment: number): LogFile;
  remove(segment: number): void;
}

/**
 * Two or more fixed-size slots in one file, each written and synced in one operation (the vote
 * file).
 */
export interface SlotFile {
  read(slot: number): Uint8Array | undefined;
  /** `parts`: the slot's bytes, which must not change until it has resolved. */
  write(slot: number, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * The bytes survive the end of the process, but not always a power failure. Errors are ignored.
   */
  writeUnsynced(slot: number, bytes: Uint8Array): void;
  close(): void;
}

/**
 * Ordered key-value tables; keys compare as bytes. Reads are synchronous and see the last committed
 * state.
 */
export interface Kv {
  get(table: string, key: Uint8Array): Uint8Array | undefined;
  /** Like `get`, without a copy: the bytes are there only until the next read of any row. */
  view(table: string, key: Uint8Array): Uint8Array | undefined;
  /** Ascending, `from` inclusive, `to` exclusive. */
  range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** Descending, `from` inclusive, `to` exclusive (`from` > `to`). */
  rangeReverse(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** One atomic, durable transaction; `fill` yields where other work may run. */
  commit(fill: (writer: KvWriter) => Generator<void>): Promise<void>;
  close(): Promise<void>;
}

export interface KvWriter {
  put(table: string, key: Uint8Array, value: Uint8Array): void;
  delete(table: string, key: Uint8Array): void;
}

// --- time, randomness, logs -------------------------------------------------------------------

/**
 * Code with two clocks names the one that may be set back or forward `calendar`; the other one
 * measures waits and ages.
 */
export interface Clock {
  /** Unix time. */
  nowMs(): number;
}

export interface Timers {
  set(delayMs: number, fire: () => void): Timer;
  /** Runs `next` after pending I/O: the boundary between slices of long work. */
  yield(next: () => void): void;
}

export interface Timer {
  cancel(): void;
}

/** Keeps long work from blocking the other work of its thread. */
export interface Effort {
  /** For one turn of the event loop: asks for a pause after a few milliseconds. */
  slice(): Pace;
  /** Starts a stopwatch. */
  stopwatch(): Stopwatch;
}

export interface Stopwatch {
  /** Cheap to call. */
  elapsedMs(): number;
  /** CPU time that this thread has used. */
  cpuMs(): number;
}

/** Records what a thread is working on, so that callers who wait for it can be told why. */
export interface Watch {
  /** Runs `work`; `what` names it and contains nothing from a caller. */
  during<T>(what: string, work: () => T): T;
}

export interface Entropy {
  bytes(length: number): Uint8Array;
}

/** A signature whose signer may be recovered on another thread. */
export interface Signed {
  /** Writes a row (core/chain/sender-recovery.ts). False: there is nothing to recover. */
  writeSigned(row: Uint8Array): boolean;
  keepSender(sender: Address): void;
}

/**
 * Recovers senders on other threads; see core/chain/sender-recovery.ts for the format of the rows.
 */
export interface SenderRecovery {
  recover(rows: Uint8Array): Promise<Uint8Array>;
}

/** The same, for a node at work: only with processors that nobody else uses. */
export interface SpareRecovery extends SenderRecovery {
  /** Whether it can take more now; otherwise the caller's thread recovers senders itself. */
  readonly isSpare: boolean;
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * The message is constant; everything that varies is a field. Never a key, payload, password or
 * token.
 */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Metrics {
  count(name: string, by?: number): void;
  gauge(name: string, value: number): void;
  /** Adds a value in seconds, bytes or another base unit that the name ends with. */
  observe(name: string, value: number): void;
}

// --- network ------------------------------------------------------------------------------------------------------

/** 64-byte public key of a peer, as lower-case hex without prefix. */
export type PeerId = string;

/**
 * `protocol` is the capability's name (`eth`, `istanbul`, …), `code` the message code within it,
 * from 0.
 */
export interface PeerMessage {
  protocol: string;
  code: number;
  /** Decompressed RLP. */
  bytes: Uint8Array;
}

export interface PeerInfo {
  id: PeerId;
  /** Address of the peer's node key. */
  address: Uint8Array;
  enode: string;
  clientName: string;
  /** Negotiated capabilities, name -> version. */
  capabilities: ReadonlyMap<string, number>;
  inbound: boolean;
  trusted: boolean;
  static: boolean;
  remoteAddress: string;
  localAddress: string;
}

export type LinkEvent =
  | { kind: 'joined'; peer: PeerInfo }
  | { kind: 'left'; peer: PeerId; reason: number }
  | { kind: 'message'; peer: PeerId; message: PeerMessage };

/**
 * A returned value is work that continues in pieces: the peer's next message is delivered when that
 * work has ended.
 */
export type LinkSink = (event: LinkEvent) => Slices<void> | undefined;

export interface Links {
  send(peer: PeerId, message: PeerMessage): void;
  /** Ends the session with a devp2p disconnect reason (wire/disconnect.ts). */
  drop(peer: PeerId, reason: number): void;
  events(sink: LinkSink): void;
}
