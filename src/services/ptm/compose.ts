/** The parts of a manager, for serving and for recovery: keys, store, peers, servers. */
import type { Clock, Kv, Log } from '../../core/base/ports.ts';
import { systemClock as calendar, steadyClock as clock } from '../../io/host/clock.ts';
import { systemEntropy as entropy } from '../../io/host/entropy.ts';
import { backgroundTimers as timers } from '../../io/host/timers.ts';
import { addressBlock } from '../../io/http/address-block.ts';
import { AllowList } from '../../io/http/allow-list.ts';
import type { IntakeBounds } from '../../io/http/intake.ts';
import { requestMeter } from '../../io/http/request-meter.ts';
import {
  type HttpReply,
  type HttpServer,
  type Route,
  startHttpServer,
  text,
} from '../../io/http/server.ts';
import type { VaultEnv } from '../../io/keys/vault-types.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { spanWatch } from '../../io/telemetry/trace-context.ts';
import { openTracing } from '../../io/tracing/open.ts';
import type { TracingSettings } from '../../io/tracing/settings.ts';
import { watchTraces } from '../../io/tracing/trace-metrics.ts';
import { failureReply } from './api/failures.ts';
import type { UnprovenPeers } from './api/p2p-parts.ts';
import { askedWatch } from './asked.ts';
import { loadKey } from './config/key-sources.ts';
import type { PtmApp, PtmConfig } from './config/ptm-config.ts';
import { clientTrust, serverTrust } from './config/tls.ts';
import { Comparison } from './manager/comparison.ts';
import { Distributor } from './manager/distributor.ts';
import { Enclave } from './manager/enclave.ts';
import { checkResidentGroups } from './manager/groups.ts';
import { LateArrivals } from './manager/late-arrivals.ts';
import { PrivateTransactionManager } from './manager/manager.ts';
import { SharedPayloads } from './manager/shared-payloads.ts';
import type { PayloadStore } from './manager/store.ts';
import { watchManager } from './manager-metrics.ts';
import { openStore, overKv } from './open-store.ts';
import { advertisedUrl, BODY_BYTES_MAX, composePeering, type Peering } from './peering.ts';
import { RequestMetrics } from './request-metrics.ts';
import { type TraceRequest, tracedRoutes, traceRequests, UNTRACED } from './request-traces.ts';

/** Bounds of the only server that strangers may reach: docs/limits.md. */
const P2P_INTAKE: IntakeBounds = {
  connectionsMax: 1024,
  connectionsOfSourceMax: 256,
  bodyBytesMax: 512 * 1024 * 1024,
  bodyBytesOfSourceMax: 256 * 1024 * 1024,
};
/** Bounds of the servers for its own node and other clients that the operator admits. */
const Q2T_INTAKE: IntakeBounds = {
  connectionsMax: 4096,
  connectionsOfSourceMax: 4096,
  bodyBytesMax: 512 * 1024 * 1024,
  bodyBytesOfSourceMax: 512 * 1024 * 1024,
};
const SPENT = 'too many requests from there were refused: try again later';

/** What the process provides to the manager in addition to its configuration. */
export interface PtmHost {
  /** A store for payloads instead of the configured one. The manager owns and closes it. */
  readonly kv?: Kv;
  readonly say?: Log;
  /** The store is to be refilled: a missing former store is not an error. */
  readonly mayBeGone?: boolean;
  /** Environment variables, with the credentials of key vaults. */
  readonly env?: VaultEnv;
  /** undefined: nothing is traced. */
  readonly tracing?: TracingSettings | undefined;
}

export interface PtmParts extends Omit<Peering, 'close'> {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly distributor: Distributor;
  readonly unprovenPeers: UnprovenPeers;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly manager: PrivateTransactionManager;
  readonly shared: SharedPayloads;
  readonly comparison: Comparison;
  readonly late: LateArrivals;
  readonly say: Log;
  readonly failure: (error: unknown) => HttpReply;
  readonly trace: TraceRequest;
  /** Starts the configured servers that `routes` names; peers learn the P2P server's address. */
  listen(routes: Readonly<Partial<Record<PtmApp, readonly Route[]>>>): Promise<void>;
  urlOf(app: PtmApp): string | undefined;
  /** Answers requests in progress, then closes everything, including the store. */
  close(): Promise<void>;
}

const silent: Log = () => undefined;

/**
 * Does not listen yet, and contacts no peer. Throws PTM_CONFIG_INVALID, PTM_KEY_…, TLS_… or
 * STORAGE_….
 */
export async function composePtm(config: PtmConfig, host: PtmHost): Promise<PtmParts> {
  const say = host.say ?? silent;
  const crypto = await loadEnclaveCrypto();
  const keys = await Promise.all(config.keys.map((source) => loadKey(source, crypto, host.env)));
  const enclave = new Enclave({ keys, forwardingKeys: config.alwaysSendTo, crypto, entropy });
  checkResidentGroups(config.residentGroups, enclave.publicKeys);
  const p2pTls = config.servers.find((server) => server.app === 'P2P')?.tls;
  const trust = p2pTls && clientTrust(p2pTls, host.env);
  const allowed = config.allowListed
    ? new AllowList(config.peers.map((url) => new URL(url).hostname))
    : undefined;
  const tracing = await openTracing(host.tracing, say);
  const peering = composePeering({
    ...{ config, enclave, crypto, entropy, clock, calendar, timers, say, trust, tracing },
  });
  const { table, wire, discovery } = peering;
  const storage = host.kv
    ? overKv(host.kv)
    : await openStore(config, calendar, say, host.env ?? {}, host.mayBeGone);
  const { store } = storage;
  await store.claim(enclave.publicKeys).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  const figures = new RequestMetrics();
  const metrics = figures.own;
  const seed = new DataView(entropy.bytes(4).buffer).getUint32(0);
  const distributor = new Distributor({ store, table, wire, clock, timers, say, metrics, seed });
  discovery.onHeard((url) => distributor.heard(url));
  watchManager(figures, { config, storage, distributor, table });
  if (tracing) watchTraces(metrics, tracing);
  const asked = askedWatch(say, metrics);
  const late = new LateArrivals(Buffer.from(entropy.bytes(8)).toString('hex'));
  const manager = new PrivateTransactionManager({
    enclave,
    store,
    distributor,
    groups: config.residentGroups,
    enhancements: config.enhancements,
    search: (wanted) => discovery.search(wanted),
    knows: (key) => table.knows(key),
    strangers: peering.unknownSenders,
    watch: tracing && spanWatch(tracing),
    onAsked(answer, hash) {
      asked(answer, hash);
      if (answer === 'notHeld') late.notHeld(hash);
    },
    onStored: (hash) => late.stored(hash),
  });
  const shared = new SharedPayloads(store);
  const comparison = new Comparison({
    ...{ enclave, store, table, wire, shared, late, timers, metrics, say },
  });
  const failure = failureReply(say);
  const refuseSpent = (remote: string): HttpReply | undefined =>
    peering.refusals.hasRoom(addressBlock(remote)) ? undefined : text(429, SPENT);
  const trace = tracing ? traceRequests(tracing) : UNTRACED;
  const servers = new Map<PtmApp, HttpServer>();
  const { unprovenPeers } = config;
  return {
    ...peering,
    ...{ enclave, store, distributor, manager, clock, unprovenPeers, say, failure },
    ...{ shared, comparison, late, trace },
    async listen(routes) {
      for (const { app, address, tls } of config.servers) {
        const served = routes[app];
        if (!served) continue;
        const server = await startHttpServer({
          routes: figures.watch(app, tracing ? tracedRoutes(served, trace) : served),
          address,
          bodyBytesMax: BODY_BYTES_MAX,
          failure,
          answered: requestMeter(metrics, 'ptm', { app }),
          tls: tls && serverTrust(tls, host.env),
          ...(app === 'P2P'
            ? { allowed, refuse: refuseSpent, intake: P2P_INTAKE }
            : { intake: Q2T_INTAKE }),
        });
        servers.set(app, server);
      }
      const p2p = servers.get('P2P');
      if (p2p) table.announce(advertisedUrl(config) ?? p2p.url);
    },
    urlOf: (app) => servers.get(app)?.url,
    async close() {
      discovery.stop();
      comparison.stop();
      await Promise.all([...servers.values()].map((server) => server.close()));
      distributor.stop();
      peering.close();
      await storage.close();
      await tracing?.close();
    },
  };
}
