/**
 * Headers that etcd's transport sends with every request, and those that it requires (etcd 3.3
 * etcdserver/api/rafthttp).
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Version of etcd whose transport GoQuorum contains. */
export const SERVER_VERSION = '3.3.13';
const MIN_CLUSTER_VERSION = '3.0.0';
/** Version of a request without the header: etcd 2.0 sent none. */
const OLDEST_VERSION = '2.0.0';
export const CLUSTER_ID = '1000';

/** Ids are written in lower-case hex without padding. */
export function idText(id: number): string {
  return id.toString(16);
}

export function parseId(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9a-f]{1,12}$/i.test(text)
    ? Number.parseInt(text, 16)
    : undefined;
}

export function requestHeaders(id: number, ownUrl: string | undefined): OutgoingHttpHeaders {
  return {
    'X-Server-From': idText(id),
    'X-Server-Version': SERVER_VERSION,
    'X-Min-Cluster-Version': MIN_CLUSTER_VERSION,
    'X-Etcd-Cluster-ID': CLUSTER_ID,
    ...(ownUrl === undefined ? {} : { 'X-PeerURLs': ownUrl }),
  };
}

/** GoQuorum's text for a request that this member cannot use; undefined: it can. */
export function compatibilityFault(headers: IncomingHttpHeaders): string | undefined {
  const server = versionOf(headers['x-server-version']);
  const minCluster = versionOf(headers['x-min-cluster-version']);
  const isCompatible =
    server !== undefined &&
    minCluster !== undefined &&
    compare(server, versionOf(MIN_CLUSTER_VERSION)!) >= 0 &&
    compare(minCluster, versionOf(SERVER_VERSION)!) <= 0;
  if (!isCompatible) return 'incompatible version';
  return headers['x-etcd-cluster-id'] === CLUSTER_ID ? undefined : 'cluster ID mismatch';
}

type Version = readonly [major: number, minor: number];

function versionOf(text: string | string[] = OLDEST_VERSION): Version | undefined {
  const parts = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}/.exec(String(text));
  return parts ? [Number(parts[1]), Number(parts[2])] : undefined;
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1];
}
