/**
 * The last snapshot of a Raft member contains the addresses of all members, and takes precedence
 * over static-nodes.json. It is updated if a network starts at other ports than before, or was made
 * by version 0.1.0 with Raft ports that the system uses for outgoing connections.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bareHex } from '../../core/base/hex.ts';
import {
  decodeClusterSnapshot,
  encodeClusterSnapshot,
  type MemberAddress,
} from '../../core/consensus/raft/address.ts';
import type { Snapshot } from '../../core/consensus/raft/messages.ts';
import { RaftStore } from '../../core/store/raft-store.ts';
import { nodeLogFolder } from '../../io/storage/node-log-file.ts';
import type { NodeSpec } from './topology.ts';

/** Must be called while no member runs. Throws RAFT_LOG_CORRUPT. */
export async function moveMembers(nodes: readonly NodeSpec[]): Promise<void> {
  for (const node of nodes) {
    const folder = join(node.folder, 'quorate', 'raft');
    if (!existsSync(folder)) continue;
    const store = await RaftStore.open(nodeLogFolder(folder));
    try {
      const { snapshot, entries } = store.contents;
      const moved = snapshot.index > 0 ? movedSnapshot(snapshot, nodes) : undefined;
      if (moved) await store.compact(moved, entries[0]?.index ?? moved.index);
    } finally {
      store.close();
    }
  }
}

/** Undefined when all addresses are right. Members added by the user are not changed. */
function movedSnapshot(snapshot: Snapshot, nodes: readonly NodeSpec[]): Snapshot | undefined {
  const cluster = decodeClusterSnapshot(snapshot.data);
  const addresses = cluster.addresses.map((address) => movedAddress(address, nodes));
  if (addresses.every((address, at) => address === cluster.addresses[at])) return undefined;
  return { ...snapshot, data: encodeClusterSnapshot({ ...cluster, addresses }) };
}

function movedAddress(address: MemberAddress, nodes: readonly NodeSpec[]): MemberAddress {
  const node = nodes.find(({ enode }) => enode.includes(`//${bareHex(address.nodeId)}@`));
  if (!node) return address;
  const { p2p: p2pPort, raft: raftPort } = node.ports;
  const isThere = address.p2pPort === p2pPort && address.raftPort === raftPort;
  return isThere ? address : { ...address, p2pPort, raftPort };
}
