/** A node's own data: its address among peers, its chain, its folder. */
import { addressOfPublicKey } from '../../core/base/secp256k1.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import type { Genesis } from '../../core/chain/genesis.ts';
import type { ChainStore } from '../../core/store/chain-store.ts';
import { formatEnode } from '../../core/wire/enode.ts';
import { clientVersion } from '../../io/host/client-version.ts';
import type { LedgerConfig } from './config.ts';
import type { PeerNetwork } from './network/peer-network.ts';
import type { NodeInfo } from './view/node-admin.ts';

export function nodeInfoOf(parts: {
  config: LedgerConfig;
  server: PeerNetwork;
  store: ChainStore;
  genesis: Genesis;
  publicKey: Uint8Array;
}): NodeInfo {
  const { config, server, store, genesis, publicKey } = parts;
  const { port = 0, discovery } = server.listening ?? {};
  const host = config.peers.externalIp ?? '127.0.0.1';
  return {
    clientVersion: clientVersion(config.identity),
    enode: formatEnode({
      id: server.id,
      publicKey,
      host,
      tcpPort: port,
      udpPort: discovery?.port ?? 0,
      raftPort: engineAt(genesis.config, 1) === 'raft' ? config.raft.port : undefined,
    }),
    id: server.id,
    ip: host,
    discoveryPort: discovery?.port ?? 0,
    record: discovery?.record,
    listenPort: port,
    networkId: Number(networkIdOf(config, genesis)),
    dataDirectory: config.dataFolder,
    config: genesis.config,
    genesisHash: store.hashOf(0)!,
    address: addressOfPublicKey(publicKey),
  };
}

export function networkIdOf({ networkId }: LedgerConfig, { config }: Genesis): bigint {
  return networkId ?? config.chainId ?? 1n;
}
