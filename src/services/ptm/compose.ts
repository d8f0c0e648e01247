/** The parts of a manager, put together once for serving and for recovering: keys, store, peers, servers. */
import { randomBytes } from 'node:crypto';
import type { Clock, Entropy, Kv, Log, Timers } from '../../core/ports.ts';
import { HttpClient } from '../../io/host/http-client.ts';
import { watchSystem } from '../../io/host/system-metrics.ts';
import { AllowList } from '../../io/http/allow-list.ts';
import {
  type HttpReply,
  type HttpServer,
  type Route,
  startHttpServer,
} from '../../io/http/server.ts';
import { type ClientTrust, TrustingAgent } from '../../io/http/tls-trust.ts';
import type { VaultEnv } from '../../io/keys/vault-types.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { failureReply } from './api/failures.ts';
import { loadKey } from './key-sources.ts';
import { Discovery } from './manager/discovery.ts';
import { Distributor } from './manager/distributor.ts';
import { Enclave } from './manager/enclave.ts';
import { checkResidentGroups } from './manager/groups.ts';
import { PrivateTransactionManager } from './manager/manager.ts';
import { PartyTable } from './manager/party-info.ts';
import { type PeerWire, peerVersions } from './manager/peers.ts';
import type { PayloadStore } from './manager/store.ts';
import { openStore, overKv } from './open-store.ts';
import type { PtmApp, PtmConfig } from './options.ts';
import { httpPeerWire } from './peer-wire.ts';
import { RequestMetrics } from './request-metrics.ts';
import { clientTrust, serverTrust } from './tls-options.ts';

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const PEER_DIAL_TIMEOUT_MS = 2_000;
const PEER_TIMEOUT_MS = 30_000;
/** A peer that sends everything it holds answers last of all. */
const RESEND_TIMEOUT_MS = 3_600_000;
const PEER_IDLE_TIMEOUT_MS = 60_000;

/** What the process gives the manager beside its configuration. */
export interface PtmHost {
  /** Where payloads are kept instead of where the configuration says. Taken over, and closed. */
  readonly kv?: Kv;
  readonly say?: Log;
  /** Environment variables, which hold the credentials of key vaults. */
  readonly env?: VaultEnv;
}

export interface PtmParts {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  /** Versions that peers are told. */
  readonly versions: readonly string[];
  readonly distributor: Distributor;
  readonly discovery: Discovery;
  readonly manager: PrivateTransactionManager;
  readonly say: Log;
  readonly failure: (error: unknown) => HttpReply;
  /** Starts the configured servers that `routes` names; peers learn the address of P2P. */
  listen(routes: Readonly<Partial<Record<PtmApp, readonly Route[]>>>): Promise<void>;
  urlOf(app: PtmApp): string | undefined;
  /** Answers what is under way, then lets go of everything, the store included. */
  close(): Promise<void>;
}

const clock: Clock = { nowMs: () => Date.now() };
export const entropy: Entropy = { bytes: (length) => new Uint8Array(randomBytes(length)) };
const timers: Timers = {
  set(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  yield: (next) => void setImmediate(next),
};
const silent: Log = () => undefined;

/** Nothing listens yet and no peer was spoken to. Throws PTM_CONFIG_INVALID, PTM_KEY_…, TLS_… or STORAGE_…. */
export async function composePtm(config: PtmConfig, host: PtmHost): Promise<PtmParts> {
  const say = host.say ?? silent;
  const crypto = await loadEnclaveCrypto();
  const keys = await Promise.all(config.keys.map((source) => loadKey(source, crypto, host.env)));
  const enclave = new Enclave({ keys, forwardingKeys: config.alwaysSendTo, crypto, entropy });
  checkResidentGroups(config.residentGroups, enclave.publicKeys);
  const table = new PartyTable({
    ownUrl: advertisedUrl(config) ?? 'http://localhost:0/',
    ownKeys: enclave.publicKeys,
    configured: config.peers,
    discovery: config.discovery,
  });
  const p2pTls = config.servers.find((server) => server.app === 'P2P')?.tls;
  const trust = p2pTls && clientTrust(p2pTls, host.env);
  const clients = {
    quick: peerClient(PEER_TIMEOUT_MS, trust),
    patient: peerClient(RESEND_TIMEOUT_MS, trust),
  };
  const allowed = config.allowListed
    ? new AllowList(config.peers.map((url) => new URL(url).hostname))
    : undefined;
  const versions = peerVersions(config.enhancements);
  const wire = httpPeerWire(clients, versions);
  const storage = host.kv ? overKv(host.kv) : await openStore(config, clock, say, host.env ?? {});
  const { store } = storage;
  const figures = new RequestMetrics();
  const metrics = figures.own;
  const seed = new DataView(entropy.bytes(4).buffer).getUint32(0);
  const distributor = new Distributor({ store, table, wire, clock, timers, say, metrics, seed });
  metrics.count('ptm_payloads_pushed_total', 0);
  metrics.probe('ptm_payloads_owed', () => distributor.owedCount());
  metrics.probe('ptm_peers', () => table.peers().length);
  watchSystem(metrics);
  const discovery = new Discovery({
    table,
    enclave,
    wire,
    clock,
    timers,
    entropy,
    say,
    intervalMs: config.partyInfoIntervalMs,
    validateKeys: config.validateKeys,
    onHeard: (url) => distributor.heard(url),
  });
  const manager = new PrivateTransactionManager({
    enclave,
    store,
    distributor,
    groups: config.residentGroups,
    enhancements: config.enhancements,
    search: (wanted) => discovery.search(wanted),
  });
  const failure = failureReply(say);
  const servers = new Map<PtmApp, HttpServer>();
  const parts = { enclave, store, table, wire, versions, distributor, discovery, manager };
  return {
    ...parts,
    say,
    failure,
    async listen(routes) {
      for (const { app, address, tls } of config.servers) {
        const served = routes[app];
        if (!served) continue;
        const server = await startHttpServer({
          routes: figures.watch(app, served),
          address,
          bodyBytesMax: BODY_BYTES_MAX,
          failure,
          tls: tls && serverTrust(tls, host.env),
          allowed: app === 'P2P' ? allowed : undefined,
        });
        servers.set(app, server);
      }
      const p2p = servers.get('P2P');
      if (p2p) table.announce(advertisedUrl(config) ?? p2p.url);
    },
    urlOf: (app) => servers.get(app)?.url,
    async close() {
      discovery.stop();
      await Promise.all([...servers.values()].map((server) => server.close()));
      distributor.stop();
      clients.quick.close();
      clients.patient.close();
      await storage.close();
    },
  };
}

function peerClient(timeoutMs: number, trust: ClientTrust | undefined): HttpClient {
  return new HttpClient({
    dialTimeoutMs: PEER_DIAL_TIMEOUT_MS,
    timeoutMs,
    idleTimeoutMs: PEER_IDLE_TIMEOUT_MS,
    responseBytesMax: BODY_BYTES_MAX,
    ...(trust ? { secureAgent: (pool) => new TrustingAgent(trust, pool) } : {}),
  });
}

function advertisedUrl(config: PtmConfig): string | undefined {
  return config.servers.find((server) => server.app === 'P2P')?.advertised;
}
