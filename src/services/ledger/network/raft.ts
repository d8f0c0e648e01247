/**
 * A Raft member configured by flags and files: the initial cluster, its own address, and the
 * operator's actions.
 */
import { lookup } from 'node:dns/promises';
import { type Address, ZERO_ADDRESS } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex, fromHex } from '../../../core/base/hex.ts';
import { parseIp } from '../../../core/base/ip-address.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import type { MemberAddress } from '../../../core/consensus/raft/address.ts';
import { type Enode, formatEnode, parseEnode } from '../../../core/wire/enode.ts';
import type { RaftConfig } from '../config.ts';
import type { LedgerNode } from '../node/compose.ts';
import type { RaftSettings } from '../node/consensus/raft-participation.ts';
import type { ClusterMember, RaftAdmin } from '../view/node-admin.ts';

const RAFT_ID_MAX = 0xffff;

/**
 * Throws RAFT_CONFIG_INVALID with GoQuorum's texts. `staticNodes` must have the order of the file,
 * which is the same on all members.
 */
export async function raftSettings(
  config: RaftConfig,
  ownId: string,
  staticNodes: readonly Enode[],
  etherbase: Address = ZERO_ADDRESS,
): Promise<RaftSettings> {
  const { joins: joining, hasDns } = config;
  if (joining < 0 || joining > RAFT_ID_MAX) {
    throw invalid(`--raftjoinexisting ${joining}: a raft id is between 1 and ${RAFT_ID_MAX}`);
  }
  const listed = joining > 0 ? [] : bootstrapMembers(ownId, staticNodes);
  const bootstrap = hasDns ? listed : await Promise.all(listed.map(resolved));
  const own = bootstrap.find(({ nodeId }) => bareHex(nodeId) === ownId);
  return {
    raftId: own?.raftId ?? joining,
    bootstrap,
    blockTimeMs: config.blockTimeMs,
    hasDns,
    etherbase,
  };
}

/** The address paid for blocks: by default the first account, as in GoQuorum. */
export function etherbaseOf(
  text: string | undefined,
  accounts: readonly Address[],
): Address | undefined {
  if (text === undefined) return accounts[0];
  if (/^(0x)?[0-9a-f]{40}$/i.test(text)) return fromHex(text);
  throw fail('OPTION_VALUE_INVALID', `--miner.etherbase ${text} is not an address`);
}

function bootstrapMembers(ownId: string, nodes: readonly Enode[]): MemberAddress[] {
  const shortId = shortIdOf(ownId);
  if (nodes.length === 0) {
    throw invalid(
      `Raft-based consensus requires either (1) an initial peers list (in static-nodes.json) including this enode hash (${shortId}), or (2) the flag --raftjoinexisting RAFT_ID, where RAFT_ID has been issued by an existing cluster member calling \`raft.addPeer(ENODE_ID)\` with an enode ID containing this node's enode hash.`,
    );
  }
  const members = nodes.map((node, at) => {
    const { raftPort } = node;
    if (raftPort === undefined) {
      throw invalid(
        `raftport querystring parameter not specified in static-node enode ID: ${formatEnode(node)}. please check your static-nodes.json file.`,
      );
    }
    const { publicKey: nodeId, host: hostname = '', tcpPort: p2pPort } = node;
    return { raftId: at + 1, nodeId, hostname, p2pPort, raftPort };
  });
  if (!nodes.some(({ id }) => id === ownId)) {
    const ids = nodes.map(({ id }) => shortIdOf(id)).join(' ');
    throw invalid(`failed to find local enode ID (${shortId}) amongst peer IDs: [${ids}]`);
  }
  const places = new Set(members.map(({ hostname, raftPort }) => `${hostname}:${raftPort}`));
  if (places.size < members.length) {
    throw invalid(
      'two nodes of static-nodes.json have the same host and raftport: give each its own',
    );
  }
  return members;
}

/**
 * Without --raftdnsenable the log contains IP addresses: a host name in the file is resolved once,
 * as in GoQuorum.
 */
async function resolved(member: MemberAddress): Promise<MemberAddress> {
  if (parseIp(member.hostname)) return member;
  try {
    const { address } = await lookup(member.hostname, { family: 4 });
    return { ...member, hostname: address };
  } catch (cause) {
    throw fail(
      'RAFT_CONFIG_INVALID',
      `static-nodes.json: lookup ${member.hostname}: no such host. Use --raftdnsenable on all nodes to let members have names that are looked up later`,
      { cause },
    );
  }
}

/** Operator's view of the cluster; undefined on a chain of another engine. */
export function raftAdmin(
  { raft }: LedgerNode,
  etherbase: () => Address | undefined,
): RaftAdmin | undefined {
  if (!raft) return undefined;
  const { cluster } = raft;
  const self = cluster.self;
  const hasLeader = () => raft.leaderAddress() !== undefined;
  const shown = (member: MemberAddress): ClusterMember => ({
    raftId: member.raftId,
    nodeId: bareHex(member.nodeId),
    p2pPort: member.p2pPort,
    raftPort: member.raftPort,
    hostname: member.hostname,
    role: hasLeader() ? raft.roleOf(member.raftId) : '',
    nodeActive: member.raftId === self || raft.isActive(member.raftId),
    enode: formatEnode(enodeOf(member)),
  });
  return {
    hasLeader,
    role: () => (raft.isRemoved || !hasLeader() ? '' : raft.roleOf(self)),
    leader() {
      const leader = raft.leaderAddress();
      if (!leader) throw fail('RAFT_NO_LEADER', 'no leader is currently elected');
      return bareHex(leader.nodeId);
    },
    cluster() {
      if (raft.isRemoved || raft.roleOf(self) === '') return [];
      const members = cluster.members();
      const others = members.filter(({ raftId }) => raftId !== self);
      const own = members.filter(({ raftId }) => raftId === self);
      return [...others, ...own].map(shown);
    },
    add: (url, isLearner) => raft.add(() => parseEnode(url), url, isLearner),
    promote: (id) => raft.promote(id),
    remove: (id) => raft.remove(id),
    idOf(url) {
      const { id } = parseEnode(url);
      const found = cluster.find(id);
      if (found && found.raftId !== self) return found.raftId;
      throw fail('RAFT_MEMBER_UNKNOWN', `node not found in the cluster: ${url}`);
    },
    etherbase,
  };
}

export function enodeOf({ nodeId, hostname, p2pPort, raftPort }: MemberAddress): Enode {
  return {
    id: bareHex(nodeId),
    publicKey: nodeId,
    host: hostname,
    tcpPort: p2pPort,
    udpPort: 0,
    raftPort,
  };
}

function shortIdOf(id: string): string {
  return bareHex(keccak256(fromHex(id)));
}

function invalid(text: string): Error {
  return fail('RAFT_CONFIG_INVALID', text);
}
