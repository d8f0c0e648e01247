/** `admin_*`: peers and this node. */
import { bareHex, fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import type { Capability } from '../../../core/wire/capabilities.ts';
import type { Json } from '../../../io/rpc/method.ts';
import { RPC, RpcError } from '../../../io/rpc/method.ts';
import type { AdminPeer } from '../view/node-admin.ts';
import { type Context, method } from './context.ts';
import { totalDifficulty } from './eth/blocks.ts';
import { arrayOf, BOOL, NULL, OBJECT, TEXT } from './results.ts';
import { named, text } from './shapes.ts';

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
    ip: info.ip,
    ports: { discovery: info.discoveryPort, listener: info.listenPort },
    listenAddr: `[::]:${info.listenPort}`,
    protocols: { eth: chain, ...(admin.bft ? { istanbul: chain } : {}) },
    // No process of a plugin runs beside this node.
    plugins: {},
  };
}

function byName(a: Capability, b: Capability): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.version - b.version;
}

const CHAIN_PROTOCOLS: ReadonlySet<string> = new Set(['eth', 'istanbul']);

/** GoQuorum tells of a peer's chain under each protocol that carries it (eth/peer.go, ethPeerInfo). */
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
    about: 'Takes the privilege of addTrustedPeer back.',
    call: ({ admin }, [url]) => admin.removeTrustedPeer(url),
  }),
  method('admin_reloadPlugin', {
    params: [named('provider', text)],
    result: BOOL,
    access: 'admin',
    about: 'Reads the configuration of a plugin anew; "security" is the one there is.',
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
  method(['admin_qpeers', 'admin_qnodeInfo'], {
    params: [],
    result: NULL,
    access: 'admin',
    about: 'null: there is no qlight server here.',
    call: () => null,
  }),
];
