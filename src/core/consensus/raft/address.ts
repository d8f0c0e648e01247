/**
 * Addresses of members, and their form in a snapshot: GoQuorum's RLP (GoQuorum raft/peer.go,
 * raft/snapshot.go), with six fields where host names are allowed and five with IP addresses only.
 */
import { EMPTY_BYTES, type Hash32 } from '../../base/bytes.ts';
import { fail, hasCode } from '../../base/errors.ts';
import { formatIp, parseIp } from '../../base/ip-address.ts';
import { type RlpReader, RlpWriter, readList } from '../../base/rlp.ts';

export interface MemberAddress {
  readonly raftId: number;
  /** Public key of the node, 64 bytes. */
  readonly nodeId: Uint8Array;
  /** IP address or DNS name. */
  readonly hostname: string;
  readonly p2pPort: number;
  readonly raftPort: number;
}

export interface ClusterSnapshot {
  /** Sorted by raft id. */
  readonly addresses: readonly MemberAddress[];
  readonly removedIds: readonly number[];
  readonly headHash: Hash32;
}

const RAFT_ID_MAX = 0xffff;
const MEMBERS_MAX = 65_535;

export function encodeAddress(address: MemberAddress): Uint8Array {
  const writer = new RlpWriter(128);
  writeAddress(writer, address, parseIp(address.hostname) === undefined);
  return writer.finish();
}

/** Throws RAFT_MESSAGE_INVALID. */
export function decodeAddress(bytes: Uint8Array): MemberAddress {
  return guarded('Address', () => readAddress(readList(bytes)));
}

export function encodeClusterSnapshot(snapshot: ClusterSnapshot): Uint8Array {
  const addresses = [...snapshot.addresses].sort((a, b) => a.raftId - b.raftId);
  const isNamed = addresses.some(({ hostname }) => parseIp(hostname) === undefined);
  return new RlpWriter(512)
    .list((writer) => {
      writer.list(() => {
        for (const address of addresses) writeAddress(writer, address, isNamed);
      });
      writer.list(() => {
        for (const id of snapshot.removedIds) writer.number(id);
      });
      writer.string(snapshot.headHash);
    })
    .finish();
}

/** Throws RAFT_MESSAGE_INVALID. */
export function decodeClusterSnapshot(bytes: Uint8Array): ClusterSnapshot {
  return guarded('Snapshot', () => {
    const list = readList(bytes);
    const members = list.enter();
    const addresses: MemberAddress[] = [];
    while (!members.done && addresses.length < MEMBERS_MAX) {
      addresses.push(readAddress(members.enter()));
    }
    const removed = list.enter();
    const removedIds: number[] = [];
    while (!removed.done && removedIds.length < MEMBERS_MAX) removedIds.push(removed.number());
    return { addresses, removedIds, headHash: list.fixed(32) };
  });
}

function writeAddress(writer: RlpWriter, address: MemberAddress, isNamed: boolean): void {
  writer.list(() => {
    writer.number(address.raftId).string(address.nodeId);
    writer.string(isNamed ? EMPTY_BYTES : parseIp(address.hostname)!);
    writer.number(address.p2pPort).number(address.raftPort);
    if (isNamed) writer.string(new TextEncoder().encode(address.hostname));
  });
}

function readAddress(list: RlpReader): MemberAddress {
  const raftId = list.number();
  if (raftId > RAFT_ID_MAX) throw fail('RAFT_MESSAGE_INVALID', `raft id ${raftId}`);
  const nodeId = list.fixed(64).slice();
  const ip = list.string();
  const p2pPort = list.number();
  const raftPort = list.number();
  // Fields that newer versions append after the name are ignored.
  const hostname = list.done ? formatIp(ip) : new TextDecoder().decode(list.string());
  if (hostname === undefined) throw fail('RAFT_MESSAGE_INVALID', 'address without a host');
  return { raftId, nodeId, hostname, p2pPort, raftPort };
}

function guarded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!hasCode(error, 'RLP_INVALID')) throw error;
    throw fail('RAFT_MESSAGE_INVALID', `failed to RLP-decode ${what}: ${error.message}`);
  }
}
