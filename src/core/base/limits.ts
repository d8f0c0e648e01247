/**
 * Bounds that several rooms share, each with its unit in the name. A bound that only one room uses
 * is defined there.
 */

/** devp2p: maximum size of a decompressed message. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum RLP nesting that a decoder accepts. */
export const RLP_DEPTH_MAX = 1024;
/** Maximum EVM call depth. */
export const CALL_DEPTH_MAX = 1024;
/** EIP-170. */
export const CODE_BYTES_MAX = 24_576;
/** GoQuorum's default `txnSizeLimit` is 64 KB. */
export const TRANSACTION_KILOBYTES_DEFAULT = 64;
