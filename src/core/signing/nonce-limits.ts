/** Bounds and times of the nonce manager (docs/limits.md). */

/** As many new nonces as one request may try (EthSigner: 10 retries). */
export const NONCE_TRIES_MAX = 11;
/** An account at rest is counted anew before it sends: somebody else may have used its key. */
export const REST_MS = 1_000;
/** For a client that waits: 50, 100, 200, 400 ms. */
export const QUICK_TRIES = 4;
export const QUICK_MS = 50;
export const FILL_AFTER_MS = 3_000;
/** Transactions of one account without an end. */
export const HELD_MAX = 100_000;
/** Sent again in one go, lowest nonces first. */
export const RESENDS_MAX = 256;
