/** An operator's queries and actions, carried out by the parts of a running node. */

import type { Address } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import { blockAuthor } from '../../core/chain/extra-data.ts';
import { blockSigners } from '../../core/consensus/bft/status.ts';
import { parseEnode } from '../../core/wire/enode.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { PrivacyWatches } from './monitoring/readiness.ts';
import type { PeerNetwork } from './network/peer-network.ts';
import { raftAdmin } from './network/raft.ts';
import type { LedgerNode } from './node/compose.ts';
import type {
  BftAdmin,
  ChainFilesAdmin,
  GcFigures,
  NodeAdmin,
  NodeInfo,
  PrivateAdmin,
} from './view/node-admin.ts';

export interface AdminParts {
  readonly files: ChainFilesAdmin;
  readonly collections: { figures(): GcFigures };
  readonly privacy?: PrivacyWatches | undefined;
}

export function nodeAdmin(
  node: LedgerNode,
  server: Omit<PeerNetwork, 'permit'>,
  info: () => NodeInfo,
  etherbase: () => Address | undefined,
  parts: AdminParts,
): NodeAdmin {
  const { privacy = {}, files, collections } = parts;
  return {
    files,
    collections: () => collections.figures(),
    private: privateAdmin(node, privacy),
    info,
    peers: () => server.peers().map((peer) => ({ ...peer, head: node.peers.headOf(peer.id) })),
    addPeer(enode) {
      server.addPeer(nodeOf(enode));
      return true;
    },
    removePeer(enode) {
      server.removePeer(nodeOf(enode).id);
      return true;
    },
    addTrustedPeer(enode) {
      server.addTrustedPeer(nodeOf(enode));
      return true;
    },
    removeTrustedPeer(enode) {
      server.removeTrustedPeer(nodeOf(enode).id);
      return true;
    },
    syncing: () => node.peers.progress,
    isMining: () => node.bft?.isRunning ?? false,
    setMining(isOn) {
      if (isOn) node.bft?.start();
      else node.bft?.stop();
    },
    setVanity(vanity) {
      if (!node.bft)
        throw fail('ENGINE_NOT_BFT', 'blocks of a Raft chain have no space for a text');
      node.bft.setVanity(vanity);
    },
    setPriceLimit: (price) => node.pool.setPriceLimit(price),
    bft: bftAdmin(node),
    raft: raftAdmin(node, etherbase),
  };
}

function privateAdmin(
  { follower }: LedgerNode,
  { pulse, privateWatch: watch }: PrivacyWatches,
): PrivateAdmin | undefined {
  if (!watch) return undefined;
  return {
    managerFault: () => pulse?.fault,
    looked: () => watch.looked,
    faults: () => watch.faults,
    missing: () => watch.missing,
    differing: () => watch.differing,
    cursor: () => follower?.cursor() ?? 0,
    standing: (number, transaction) => watch.audit.standing(number, transaction),
    digests: (number, transaction) => watch.digestsOf(number, transaction),
    contract: (address) => watch.contract(address),
  };
}

function nodeOf(url: string) {
  try {
    return parseEnode(url);
  } catch (error) {
    throw fail('ENODE_INVALID', `invalid enode: ${reasonOf(error)}`);
  }
}

function bftAdmin({ schedule, bft }: LedgerNode): BftAdmin | undefined {
  if (!schedule || !bft) return undefined;
  return {
    validatorsAfter: ({ number }) => schedule.validatorsAfter(number),
    candidates: () =>
      new Map(bft.candidates.list().map(({ candidate, isAdd }) => [toHex(candidate), isAdd])),
    propose: (candidate, isAuthorize) => bft.candidates.propose(candidate, isAuthorize),
    discard: (candidate) => bft.candidates.discard(candidate),
    author: (header) => blockAuthor(schedule.engineAt(header.number), header),
    signers: (header) => blockSigners(schedule.engineAt(header.number), header),
    snapshot: ({ number }) => schedule.snapshotAt(number),
  };
}
