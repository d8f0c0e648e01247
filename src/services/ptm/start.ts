/** The one file where io meets the manager: store, crypto, servers, peers, stop. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { Clock, Entropy, Kv, Log, Manager, Metrics, Timers } from '../../core/ports.ts';
import { HttpClient } from '../../io/host/http-client.ts';
import { type HttpServer, type Route, startHttpServer } from '../../io/http/server.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { openLmdbKv } from '../../io/storage/lmdb-kv.ts';
import { commonRoutes } from './api/common.ts';
import { failureReply } from './api/failures.ts';
import { p2pRoutes } from './api/p2p.ts';
import { q2tRoutes } from './api/q2t.ts';
import { base64 } from './api/replies.ts';
import { thirdPartyRoutes } from './api/third-party.ts';
import { embeddedManager } from './embedded.ts';
import { loadKey } from './key-sources.ts';
import { Discovery } from './manager/discovery.ts';
import { Distributor } from './manager/distributor.ts';
import { Enclave } from './manager/enclave.ts';
import { checkResidentGroups } from './manager/groups.ts';
import { PrivateTransactionManager } from './manager/manager.ts';
import { PartyTable } from './manager/party-info.ts';
import { peerVersions } from './manager/peers.ts';
import { PayloadStore, PTM_TABLES } from './manager/store.ts';
import { type PtmApp, type PtmConfig, parseTesseraConfig } from './options.ts';
import { httpPeerWire } from './peer-wire.ts';

const STORE_FOLDER = 'payloads';
const FOLDER_MODE = 0o700;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const PEER_DIAL_TIMEOUT_MS = 2_000;
const PEER_TIMEOUT_MS = 30_000;
const PEER_IDLE_TIMEOUT_MS = 60_000;

/** What the process gives the manager beside its configuration. */
export interface PtmHost {
  /** Where payloads are kept; undefined: an lmdb file in the data folder, which is locked. Taken over, and closed. */
  readonly kv?: Kv;
  readonly say?: Log;
  readonly metrics?: Metrics;
}

export interface RunningPtm {
  /** `http://host:port` or `unix:/path`. */
  readonly q2tUrl: string;
  readonly thirdPartyUrl: string | undefined;
  readonly p2pUrl: string;
  /** Base64, in the order of the configuration. */
  readonly publicKeys: readonly string[];
  /** For a node in the same process. */
  readonly manager: Manager;
  /** Answers what is under way, then lets go of everything, the store included. */
  close(): Promise<void>;
}

const clock: Clock = { nowMs: () => Date.now() };
const entropy: Entropy = { bytes: (length) => new Uint8Array(randomBytes(length)) };
const timers: Timers = {
  set(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  yield: (next) => void setImmediate(next),
};
const silent: Log = () => undefined;
const uncounted: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
};

/** Reads a Tessera configuration file. Throws PTM_CONFIG_INVALID. */
export async function readTesseraConfig(
  file: string,
): Promise<{ config: PtmConfig; warnings: string[] }> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw fail('PTM_CONFIG_INVALID', `cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  return parseTesseraConfig(value, file);
}

/** Resolves when every server listens. Throws PTM_CONFIG_INVALID, PTM_KEY_…, STORAGE_… or HTTP_LISTEN_FAILED. */
export async function startPtm(config: PtmConfig, host: PtmHost = {}): Promise<RunningPtm> {
  const say = host.say ?? silent;
  const crypto = await loadEnclaveCrypto();
  const keys = await Promise.all(config.keys.map((source) => loadKey(source, crypto)));
  const enclave = new Enclave({ keys, forwardingKeys: config.alwaysSendTo, crypto, entropy });
  checkResidentGroups(config.residentGroups, enclave.publicKeys);
  const table = new PartyTable({
    ownUrl: advertisedUrl(config) ?? 'http://localhost:0/',
    ownKeys: enclave.publicKeys,
    configured: config.peers,
    discovery: config.discovery,
  });
  const client = new HttpClient({
    dialTimeoutMs: PEER_DIAL_TIMEOUT_MS,
    timeoutMs: PEER_TIMEOUT_MS,
    idleTimeoutMs: PEER_IDLE_TIMEOUT_MS,
    responseBytesMax: BODY_BYTES_MAX,
  });
  const versions = peerVersions(config.enhancements);
  const wire = httpPeerWire(client, versions);
  const storage = openStorage(config, host);
  const store = new PayloadStore(storage.kv);
  const metrics = host.metrics ?? uncounted;
  const seed = new DataView(entropy.bytes(4).buffer).getUint32(0);
  const distributor = new Distributor({ store, table, wire, clock, timers, say, metrics, seed });
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
  let ready = false;
  const common = commonRoutes(config, () => ready);
  const routes: Record<PtmApp, Route[]> = {
    Q2T: [...common, ...q2tRoutes(manager)],
    ThirdParty: [...common, ...thirdPartyRoutes(manager, table)],
    P2P: [...common, ...p2pRoutes({ manager, discovery, table, versions, failure })],
  };
  const servers = new Map<PtmApp, HttpServer>();
  const close = async (): Promise<void> => {
    ready = false;
    discovery.stop();
    await Promise.all([...servers.values()].map((server) => server.close()));
    distributor.stop();
    await store.settled();
    client.close();
    await storage.close();
  };
  try {
    for (const { app, address } of config.servers) {
      const server = await startHttpServer({
        routes: routes[app],
        address,
        bodyBytesMax: BODY_BYTES_MAX,
        failure,
      });
      servers.set(app, server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  table.announce(advertisedUrl(config) ?? servers.get('P2P')!.url);
  ready = true;
  discovery.start();
  distributor.start();
  return {
    q2tUrl: servers.get('Q2T')!.url,
    thirdPartyUrl: servers.get('ThirdParty')?.url,
    p2pUrl: servers.get('P2P')!.url,
    publicKeys: enclave.publicKeys.map(base64),
    manager: embeddedManager(manager, {
      privacyEnhancements: config.enhancements,
      multiTenancy: true,
      multiplePrivateStates: config.multiplePrivateStates,
      mandatoryRecipients: config.enhancements,
    }),
    close,
  };
}

function openStorage(config: PtmConfig, host: PtmHost): { kv: Kv; close(): Promise<void> } {
  if (host.kv) return { kv: host.kv, close: () => host.kv!.close() };
  const path = join(config.dataFolder, STORE_FOLDER);
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  const unlock = lockDirectory(config.dataFolder);
  try {
    const kv = openLmdbKv({ path, tables: PTM_TABLES });
    return { kv, close: () => kv.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

function advertisedUrl(config: PtmConfig): string | undefined {
  return config.servers.find((server) => server.app === 'P2P')?.advertised;
}
