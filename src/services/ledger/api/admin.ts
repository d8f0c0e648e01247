/** `admin_*`: peers and this node. */
import { toBase64 } from '../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { bareHex, fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { payloadHashOf } from '../../../core/privacy/marker.ts';
import type { Capability } from '../../../core/wire/capabilities.ts';
import type { Json } from '../../../io/rpc/method.ts';
import { RPC, RpcError } from '../../../io/rpc/method.ts';
import { describeFault } from '../node/private-state/private-watch.ts';
import type { AdminPeer, PrivateAdmin } from '../view/node-admin.ts';
import { type Context, method } from './context.ts';
import { totalDifficulty } from './eth/blocks.ts';
import { arrayOf, BOOL, NULL, OBJECT, TEXT } from './results.ts';
import { address, blockNumber, hash, named, text } from './shapes.ts';

function nodeInfo({ admin, view }: Context) {
  const info = admin.info();
  const head = view.head();
  const difficulty = Number(totalDifficulty(view, head.number));
  const chain = {
    network: info.networkId,
    difficulty,
    genesis: toHex(info.genesisHash),
    config: info.config.source as Json,
    head: toHex(head.hash),
    consensus: admin.bft ? 'istanbul' : 'raft',
  };
  return {
    id: bareHex(keccak256(fromHex(info.id))),
    name: info.clientVersion,
    enode: info.enode,
    ...(info.record === undefined ? {} : { enr: info.record }),
    ip: info.ip,
    ports: { discovery: info.discoveryPort, listener: info.listenPort },
    listenAddr: `[::]:${info.listenPort}`,
    protocols: { eth: chain, ...(admin.bft ? { istanbul: chain } : {}) },
    // This node runs no plugin processes.
    plugins: {},
  };
}

function byName(a: Capability, b: Capability): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.version - b.version;
}

const CHAIN_PROTOCOLS: ReadonlySet<string> = new Set(['eth', 'istanbul']);

/**
 * GoQuorum reports a peer's chain under each protocol that carries it (eth/peer.go, ethPeerInfo).
 */
function renderPeer(peer: AdminPeer) {
  const { head } = peer;
  const chain = head && { difficulty: Number(head.td), head: toHex(head.hash) };
  return {
    enode: peer.enode,
    id: bareHex(keccak256(fromHex(peer.id))),
    name: peer.clientName,
    caps: [...peer.offered].sort(byName).map(({ name, version }) => `${name}/${version}`),
    network: {
      localAddress: peer.localAddress,
      remoteAddress: peer.remoteAddress,
      inbound: peer.inbound,
      trusted: peer.trusted,
      static: peer.static,
    },
    protocols: Object.fromEntries(
      [...peer.capabilities].map(([name, version]) => [
        name,
        { version, ...(CHAIN_PROTOCOLS.has(name) ? chain : {}) },
      ]),
    ),
  };
}

function privateAdminOf({ admin }: Context): PrivateAdmin {
  if (admin.private) return admin.private;
  throw new RpcError(RPC.server, 'this node has no private transaction manager');
}

function privateState(context: Context) {
  const admin = privateAdminOf(context);
  return {
    head: context.view.head().number,
    run: admin.cursor(),
    looked: admin.looked(),
    manager: admin.managerFault() ?? 'up',
    diverged: admin.faults().some(({ kind }) => kind !== 'lost') || admin.differing().length > 0,
    faults: admin.faults().map(describeFault),
    missing: admin
      .missing()
      .map(({ hash: payload, peer }) => ({ payload: toBase64(payload), peer })),
    differing: admin.differing().map(({ number, payload, ...rest }) => ({
      block: number,
      ...rest,
      ...(payload ? { payload: toBase64(payload) } : {}),
    })),
  };
}

/**
 * The operator's view of a private transaction: only in the operator's namespace, because the
 * answer reveals to what this node is a party.
 */
async function privateTransaction(context: Context, wanted: Hash32) {
  const admin = privateAdminOf(context);
  const found = context.view.transaction(wanted);
  if (!found) throw new RpcError(RPC.server, 'transaction not found');
  const { number } = found.block.header;
  const payload = toBase64(payloadHashOf(found.transaction.data));
  const isMissing = admin.missing().some((one) => toBase64(one.hash) === payload);
  const isWaiting = number > admin.cursor();
  const standing = isWaiting ? 'waiting' : await admin.standing(number, found.transaction);
  const isLacking = standing === 'notHeld' && isMissing;
  const digests = isWaiting ? [] : await admin.digests(number, found.transaction);
  return {
    block: number,
    payload,
    standing: isLacking ? 'missing' : standing,
    digests: digests.map(({ psi, outcome, history }) => ({
      ...{ psi, outcome: toHex(outcome) },
      history: history ? toHex(history) : null,
    })),
  };
}

/** A private contract at the head, in each private state that has it. */
function privateContract(context: Context, address: Address) {
  const admin = privateAdminOf(context);
  const states = admin.contract(address).map(({ psi, number, account, lineage }) => ({
    ...{ psi, block: number },
    ...{ codeHash: toHex(account.codeHash), storageRoot: toHex(account.storageRoot) },
    history: lineage ? toHex(lineage.history) : null,
    parties: lineage ? [...lineage.parties] : null,
  }));
  return { states };
}

const enode = named('enode', text);

export const adminMethods = [
  method('admin_nodeInfo', {
    params: [],
    result: OBJECT,
    access: 'admin',
    about: 'Name, address and chain of this node.',
    call: nodeInfo,
  }),
  method('admin_peers', {
    params: [],
    result: arrayOf(OBJECT),
    access: 'admin',
    about: 'Connected peers.',
    call: ({ admin }) => admin.peers().map(renderPeer),
  }),
  method('admin_privateState', {
    params: [],
    result: OBJECT,
    access: 'admin',
    about: 'Whether the private state of this node matches its payloads.',
    call: privateState,
  }),
  method('admin_privateTransaction', {
    params: [hash],
    result: OBJECT,
    access: 'admin',
    about:
      "This node's relation to a private transaction, whether its payload is missing, and digests of what it did.",
    call: (context, [wanted]) => privateTransaction(context, wanted),
  }),
  method('admin_privateContract', {
    params: [address],
    result: OBJECT,
    access: 'admin',
    about: 'Digests of a private contract, to compare with those at another node.',
    call: (context, [wanted]) => privateContract(context, wanted),
  }),
  method('admin_datadir', {
    params: [],
    result: TEXT,
    access: 'admin',
    about: 'Data folder of this node.',
    call: ({ admin }) => admin.info().dataDirectory,
  }),
  method('admin_addPeer', {
    params: [enode],
    result: BOOL,
    access: 'admin',
    about: 'Connects to a node and stays connected.',
    call: ({ admin }, [url]) => admin.addPeer(url),
  }),
  method('admin_removePeer', {
    params: [enode],
    result: BOOL,
    access: 'admin',
    about: 'Disconnects a node and no longer dials it.',
    call: ({ admin }, [url]) => admin.removePeer(url),
  }),
  method('admin_addTrustedPeer', {
    params: [enode],
    result: BOOL,
    access: 'admin',
    about: 'Lets a node connect even when all places are taken.',
    call: ({ admin }, [url]) => admin.addTrustedPeer(url),
  }),
  method('admin_removeTrustedPeer', {
    params: [enode],
    result: BOOL,
    access: 'admin',
    about: 'Revokes addTrustedPeer.',
    call: ({ admin }, [url]) => admin.removeTrustedPeer(url),
  }),
  method('admin_reloadPlugin', {
    params: [named('provider', text)],
    result: BOOL,
    access: 'admin',
    about: 'Reloads the configuration of a plugin; only "security" exists.',
    call: ({ reloadPlugin }, [provider], name) => {
      if (!reloadPlugin)
        throw new RpcError(
          RPC.methodNotFound,
          `the method ${name} does not exist/is not available`,
        );
      reloadPlugin(provider);
      return true;
    },
  }),
  method('debug_setHead', {
    params: [blockNumber],
    result: NULL,
    access: 'admin',
    about: 'Refused: blocks of validators, and of a Raft cluster, are final.',
    call: () => {
      throw new RpcError(
        RPC.server,
        'blocks are final here, and a node that goes back would vote against its own votes: to start again from the others, stop it, move its data folder away and let it fetch the chain from its peers',
      );
    },
  }),
  method(['admin_qpeers', 'admin_qnodeInfo'], {
    params: [],
    result: NULL,
    access: 'admin',
    about: 'null: qlight is not supported.',
    call: () => null,
  }),
];
