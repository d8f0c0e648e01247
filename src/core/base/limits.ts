/**
 * Bounds that several rooms share, each with its unit in the name. A bound that one room uses is in
 * that room.
 */

/** devp2p: the largest decompressed message. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** RLP nesting that a decoder follows. */
export const RLP_DEPTH_MAX = 1024;
/** EVM call depth. */
export const CALL_DEPTH_MAX = 1024;
/** EIP-170. */
export const CODE_BYTES_MAX = 24_576;
/** GoQuorum's default `txnSizeLimit` is 64 KB. */
export const TRANSACTION_KILOBYTES_DEFAULT = 64;
