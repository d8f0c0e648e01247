/** Bounds and waits of peer connections (GoQuorum p2p/peer.go where GoQuorum has one). */

/** Waits in ms. A test shortens them; nothing else does. */
export interface Timings {
  /** Key agreement and Hello together. */
  readonly handshakeMs: number;
  readonly pingMs: number;
  /** Without a whole frame for so long the peer is gone: `read timeout`. */
  readonly readMs: number;
  /** Without progress in writing for so long the peer stalls. */
  readonly writeMs: number;
  readonly dialMs: number;
  /** How long a Disconnect may take to leave. */
  readonly goodbyeMs: number;
  /** An address outside the local network may connect once in this time. */
  readonly inboundThrottleMs: number;
  readonly redialMinMs: number;
  readonly redialMaxMs: number;
  /** How often these are checked. */
  readonly sweepMs: number;
}

export const TIMINGS: Timings = {
  handshakeMs: 5_000,
  pingMs: 15_000,
  readMs: 30_000,
  writeMs: 20_000,
  dialMs: 15_000,
  goodbyeMs: 1_000,
  inboundThrottleMs: 30_000,
  redialMinMs: 1_000,
  redialMaxMs: 30_000,
  sweepMs: 250,
};

/** Decompressed size of a sub-protocol message. */
export const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
/** Bytes that may arrive before the key agreement is complete. */
export const HANDSHAKE_BUFFER_BYTES_MAX = 16 * 1024;
/** Connections that have not said Hello yet. */
export const PENDING_INBOUND_MAX = 50;
/** A peer that does not read what it is sent is cut off here. */
export const WRITE_BUFFER_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Above this nothing more is read from the peer: its requests would only grow the replies that
 * wait.
 */
export const WRITE_BUFFER_PAUSE_BYTES = 4 * 1024 * 1024;
/** A peer that sends faster is not read faster: tokens per second, and at most at once. */
export const MESSAGES_PER_SECOND_MAX = 5_000;
export const MESSAGES_BURST_MAX = 20_000;
export const BYTES_PER_SECOND_MAX = 64 * 1024 * 1024;
export const BYTES_BURST_MAX = 128 * 1024 * 1024;
/** What a peer's messages may cost this thread: ms per second, and at most at once. */
export const MS_PER_SECOND_MAX = 500;
export const MS_BURST_MAX = 1_000;
/** Bytes of incomplete messages and of unread data, of all peers together. */
export const HELD_BYTES_MAX: number = 256 * 1024 * 1024;
/** A peer that holds less is not disconnected for it. */
export const BURDEN_BYTES: number = 2 * 1024 * 1024;
/** Addresses remembered for the inbound throttle. */
export const INBOUND_HISTORY_MAX = 4_096;
/** Static nodes at most. */
export const STATIC_NODES_MAX = 1_000;
export const ACTIVE_DIALS_MAX = 16;
