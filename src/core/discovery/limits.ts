/** Bounds and waits of discovery (go-ethereum p2p/discover/table.go, v4_udp.go). Waits in ms. */

/** How long to wait for an answer. */
export const REPLY_MS = 750;
/** Questions in a row that a node may leave without an answer before it is forgotten. */
export const MISSED_MAX = 3;
/** How long an address counts as proven after a ping was answered from it. */
export const BOND_MS: number = 24 * 3_600_000;
/** How long packets are valid, in seconds. */
export const EXPIRATION_SECONDS = 20;

export const BUCKETS = 17;
export const BUCKET_NODES_MAX = 16;
export const REPLACEMENTS_MAX = 10;
/** Nodes of one subnet, in a bucket and in the table. */
export const BUCKET_SUBNET_MAX = 2;
export const TABLE_SUBNET_MAX = 10;

/** Nodes asked at once in a lookup. */
export const LOOKUP_ALPHA = 3;
/** Nodes that a lookup searches for. */
export const LOOKUP_NODES_MAX = 16;
/** Nodes that one lookup asks at most. */
export const LOOKUP_ASKED_MAX = 64;
/** Between two lookups: the shortest while nodes are still found, doubled up to the longest. */
export const LOOKUP_WAIT_MIN_MS = 1_000;
export const LOOKUP_WAIT_MAX_MS: number = 5 * 60_000;
/** The longest while only bootnodes are known. */
export const LOOKUP_ALONE_MAX_MS = 30_000;
/** Between two checks that a node of the table still answers. */
export const REVALIDATE_MS = 10_000;

/** Remembered nodes whose address was proven, or that were pinged recently. */
export const BONDS_MAX = 4_096;
/** Questions that wait for an answer. */
export const PENDING_MAX = 256;

/** Packets that are examined: per second, and at most at once. */
export const PACKETS_PER_SECOND_MAX = 300;
export const PACKETS_BURST_MAX = 600;
/** Per source: an IPv4 address, or an IPv6 /64. */
export const SOURCE_PACKETS_PER_SECOND_MAX = 30;
export const SOURCE_PACKETS_BURST_MAX = 90;
/** Sources that are counted. */
export const SOURCES_MAX = 4_096;
/**
 * Our pings to senders without a proven address: per second, and at most at once.
 */
export const PROOFS_PER_SECOND_MAX = 20;
export const PROOFS_BURST_MAX = 50;
