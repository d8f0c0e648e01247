/** Bounds and waits of discovery (go-ethereum p2p/discover/table.go, v4_udp.go). Waits in ms. */

/** How long to wait for an answer. */
export const REPLY_MS = 750;
/** Questions in a row without an answer, after which a node is forgotten. */
export const MISSED_MAX = 3;
/** How long an address counts as proven after it answered a ping. */
export const BOND_MS: number = 24 * 3_600_000;
/** How long packets are valid, in seconds. */
export const EXPIRATION_SECONDS = 20;

export const BUCKETS = 17;
export const BUCKET_NODES_MAX = 16;
export const REPLACEMENTS_MAX = 10;
/** Maximum of nodes in one subnet, per bucket and in the table. */
export const BUCKET_SUBNET_MAX = 2;
export const TABLE_SUBNET_MAX = 10;

/** Nodes that a lookup asks at the same time. */
export const LOOKUP_ALPHA = 3;
/** Nodes that a lookup searches for. */
export const LOOKUP_NODES_MAX = 16;
/** Maximum of nodes that one lookup asks. */
export const LOOKUP_ASKED_MAX = 64;
/**
 * Wait between two lookups: the minimum while new nodes are found, otherwise doubled up to the
 * maximum.
 */
export const LOOKUP_WAIT_MIN_MS = 1_000;
export const LOOKUP_WAIT_MAX_MS: number = 5 * 60_000;
/** Maximum wait while only bootnodes are known. */
export const LOOKUP_ALONE_MAX_MS = 30_000;
/** Wait between two checks that a node of the table still answers. */
export const REVALIDATE_MS = 10_000;

/** Remembered nodes whose address was proven, or that were pinged recently. */
export const BONDS_MAX = 4_096;
/** Maximum of questions that wait for an answer. */
export const PENDING_MAX = 256;

/** Maximum of packets that are examined: per second, and in one burst. */
export const PACKETS_PER_SECOND_MAX = 300;
export const PACKETS_BURST_MAX = 600;
/** Per source: an IPv4 address, or an IPv6 /64. */
export const SOURCE_PACKETS_PER_SECOND_MAX = 30;
export const SOURCE_PACKETS_BURST_MAX = 90;
/** Maximum of sources that are counted. */
export const SOURCES_MAX = 4_096;
/** Maximum of our pings to senders without a proven address: per second, and in one burst. */
export const PROOFS_PER_SECOND_MAX = 20;
export const PROOFS_BURST_MAX = 50;

/** Maximum of packets that await their signature. */
export const UNSIGNED_MAX = 256;
