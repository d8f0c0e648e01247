/**
 * Bounds and time limits of peer connections (from GoQuorum p2p/peer.go where GoQuorum has one).
 */

/** Times in ms. Only tests change them, to shorten them. */
export interface Timings {
  /** For key agreement and Hello together. */
  readonly handshakeMs: number;
  readonly pingMs: number;
  /** A peer that sends no complete frame for this time is disconnected: `read timeout`. */
  readonly readMs: number;
  /** A peer to which nothing can be written for this time is disconnected. */
  readonly writeMs: number;
  readonly dialMs: number;
  /** How long sending a Disconnect may take. */
  readonly goodbyeMs: number;
  /** An address outside the local network may connect once within this time. */
  readonly inboundThrottleMs: number;
  readonly redialMinMs: number;
  readonly redialMaxMs: number;
  /** Interval at which these limits are checked. */
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

/** Maximum decompressed size of a sub-protocol message. */
export const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;
/** Maximum bytes that may arrive before the key agreement is complete. */
export const HANDSHAKE_BUFFER_BYTES_MAX = 16 * 1024;
/** Maximum number of connections that have not sent Hello yet. */
export const PENDING_INBOUND_MAX = 50;
/** A peer with more unread bytes than this is disconnected. */
export const WRITE_BUFFER_BYTES_MAX = 32 * 1024 * 1024;
/**
 * With more unread bytes, nothing more is read from the peer: its requests would only add replies
 * that wait.
 */
export const WRITE_BUFFER_PAUSE_BYTES = 4 * 1024 * 1024;
/** Limits on reading from one peer: tokens per second, and at most at once. */
export const MESSAGES_PER_SECOND_MAX = 5_000;
export const MESSAGES_BURST_MAX = 20_000;
export const BYTES_PER_SECOND_MAX = 64 * 1024 * 1024;
export const BYTES_BURST_MAX = 128 * 1024 * 1024;
/**
 * Limits on the time of this thread that a peer's messages may take: ms per second, and at most at
 * once.
 */
export const MS_PER_SECOND_MAX = 500;
export const MS_BURST_MAX = 1_000;
/** Maximum bytes of incomplete messages and of unread data, for all peers together. */
export const HELD_BYTES_MAX: number = 256 * 1024 * 1024;
/** A peer that holds fewer bytes is not disconnected because of the bound for all. */
export const BURDEN_BYTES: number = 2 * 1024 * 1024;
/** Maximum number of addresses remembered for the inbound throttle. */
export const INBOUND_HISTORY_MAX = 4_096;
/** Maximum number of static nodes. */
export const STATIC_NODES_MAX = 1_000;
export const ACTIVE_DIALS_MAX = 16;
