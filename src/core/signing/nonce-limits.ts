/** Limits and delays of the nonce manager (docs/limits.md). */

/** New nonces that one request may try (EthSigner: 10 retries). */
export const NONCE_TRIES_MAX = 11;
/** An idle account is counted again before it sends: its key may have been used elsewhere. */
export const REST_MS = 1_000;
/** Resends while a client waits, after 50, 100, 200, 400 ms. */
export const QUICK_TRIES = 4;
export const QUICK_MS = 50;
export const FILL_AFTER_MS = 3_000;
/** Pending transactions per account. */
export const HELD_MAX = 100_000;
/** Most transactions resent at once, lowest nonces first. */
export const RESENDS_MAX = 256;
