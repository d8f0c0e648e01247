/**
 * A private transaction manager in a virtual world: production code over a disk in memory;
 * connections to its node and to its peers may fail.
 */
import { toBase64 } from '../../../src/core/base/base64.ts';
import { fail, QuorateError } from '../../../src/core/base/errors.ts';
import type { Entropy } from '../../../src/core/base/ports.ts';
import type { Prng } from '../../../src/core/base/prng.ts';
import type { EnclaveCrypto } from '../../../src/core/payload/enclave-crypto.ts';
import type { Manager } from '../../../src/core/privacy/manager-port.ts';
import { MemoryDisk } from '../../../src/io/storage/memory.ts';
import { embeddedManager } from '../../../src/services/ptm/embedded.ts';
import { Candidates } from '../../../src/services/ptm/manager/candidates.ts';
import { Discovery } from '../../../src/services/ptm/manager/discovery.ts';
import { Distributor } from '../../../src/services/ptm/manager/distributor.ts';
import { Enclave } from '../../../src/services/ptm/manager/enclave.ts';
import { KeyChallenge } from '../../../src/services/ptm/manager/key-challenge.ts';
import { KvPayloadStore } from '../../../src/services/ptm/manager/kv-store.ts';
import { PrivateTransactionManager } from '../../../src/services/ptm/manager/manager.ts';
import { PartyTable } from '../../../src/services/ptm/manager/party-table.ts';
import {
  type PeerWire,
  type PushOutcome,
  peerVersions,
} from '../../../src/services/ptm/manager/peers.ts';
import { SourceBudget } from '../../../src/services/ptm/manager/source-budget.ts';
import type { VirtualTime } from '../../support/virtual-time.ts';

const FEATURES = {
  privacyEnhancements: true,
  multiTenancy: true,
  multiplePrivateStates: true,
  mandatoryRecipients: true,
} as const;
const VERSIONS = peerVersions(true);
const PARTY_INFO_MS = 5_000;
const PEER_DELAY_MS_MAX = 60;
const SOURCE = 'a peer';
const PLENTY = { burst: Number.POSITIVE_INFINITY, perSecond: 0 };
const REFUSED_STATUS = 500;

/** How the manager answers its node: in time, late, with garbage, or not at all. */
export type Mood = 'well' | 'slow' | 'garbage' | 'away';

interface Heart {
  readonly manager: PrivateTransactionManager;
  readonly discovery: Discovery;
  readonly challenge: KeyChallenge;
  readonly distributor: Distributor;
  readonly port: Manager;
}

export interface SimManagerOptions {
  readonly index: number;
  readonly urls: readonly string[];
  readonly crypto: EnclaveCrypto;
  readonly time: VirtualTime;
  readonly chance: Prng;
  readonly entropy: Entropy;
  /** Finds the manager at a peer's URL. */
  readonly peer: (url: string) => SimManager | undefined;
}

export class SimManager {
  mood: Mood = 'well';
  readonly url: string;
  readonly key: string;
  /** The node's connection to the manager; stays the same over restarts. */
  readonly port: Manager;
  private readonly options: SimManagerOptions;
  private readonly disk = new MemoryDisk();
  private heart: Heart | undefined;

  constructor(options: SimManagerOptions) {
    this.options = options;
    this.url = options.urls[options.index]!;
    this.key = toBase64(options.crypto.publicKey(this.secretKey()));
    this.port = this.portOfNode();
  }

  start(): void {
    const { crypto, time, entropy, chance, urls, index } = this.options;
    const secretKey = this.secretKey();
    const keys = [{ publicKey: crypto.publicKey(secretKey), secretKey }];
    const enclave = new Enclave({ keys, forwardingKeys: [], crypto, entropy });
    const store = new KvPayloadStore(this.disk.kv('payloads'));
    const table = new PartyTable({
      ownUrl: this.url,
      ownKeys: enclave.publicKeys,
      configured: urls.filter((_, at) => at !== index),
      discovery: true,
      clock: time,
      calendar: time,
    });
    const say = () => {};
    const metrics = { count: () => {}, gauge: () => {}, observe: () => {} };
    const wire = this.wire();
    const shared = { table, wire, clock: time, timers: time, say };
    const seed = chance.below(2 ** 31);
    const distributor = new Distributor({ ...shared, store, metrics, seed });
    const challenge = new KeyChallenge({ ...shared, enclave, entropy });
    const budget = new SourceBudget(PLENTY, PLENTY, time);
    const discovery = new Discovery({
      ...shared,
      enclave,
      challenge,
      candidates: new Candidates({ ...shared, challenge, strangers: budget, peers: budget }),
      refreshes: budget,
      intervalMs: PARTY_INFO_MS,
    });
    discovery.onHeard((url) => distributor.heard(url));
    const manager = new PrivateTransactionManager({
      enclave,
      store,
      distributor,
      groups: [],
      enhancements: true,
      search: (wanted) => discovery.search(wanted),
      knows: (key) => table.knows(key),
      strangers: budget,
    });
    this.heart = {
      manager,
      discovery,
      challenge,
      distributor,
      port: embeddedManager(manager, FEATURES),
    };
    discovery.start();
    void distributor.start();
  }

  /** Ends without a shutdown; the next start finds what was durable. */
  kill(): void {
    this.heart?.discovery.stop();
    this.heart?.distributor.stop();
    this.heart = undefined;
  }

  get isUp(): boolean {
    return this.heart !== undefined;
  }

  /** A payload from a peer. */
  async pushed(payload: Uint8Array): Promise<PushOutcome> {
    try {
      await this.mustBeUp(this.url).manager.storePushed(payload, SOURCE);
      return { kind: 'stored' };
    } catch (error) {
      if (error instanceof QuorateError && error.code === 'PTM_PEER_OFFLINE') throw error;
      return { kind: 'refused', status: REFUSED_STATUS };
    }
  }

  async told(info: Uint8Array): Promise<Uint8Array> {
    return this.mustBeUp(this.url).discovery.receive(info, VERSIONS, SOURCE);
  }

  challenged(body: Uint8Array): string {
    return this.mustBeUp(this.url).challenge.answer(body);
  }

  private secretKey(): Uint8Array {
    return this.options.crypto.digest(Uint8Array.of(this.options.index, 0x53)).slice(0, 32);
  }

  private portOfNode(): Manager {
    const meet = async <T>(ask: (port: Manager) => Promise<T>): Promise<T> => {
      const { time, chance } = this.options;
      if (this.mood === 'slow') await pass(time, 200 + chance.below(6_000));
      if (this.mood === 'garbage')
        throw fail('PTM_ANSWER_INVALID', 'unable to decode response body: it is not JSON');
      if (this.mood === 'away' || !this.heart)
        throw fail('PTM_UNREACHABLE', 'unable to submit request: connection refused');
      return ask(this.heart.port);
    };
    return {
      isInUse: true,
      features: FEATURES,
      ask: (queries) => meet((port) => port.ask(queries)),
      send: (payload) => meet((port) => port.send(payload)),
      storeRaw: (payload, from) => meet((port) => port.storeRaw(payload, from)),
      sendSigned: (payload) => meet((port) => port.sendSigned(payload)),
      receiveRaw: (hash) => meet((port) => port.receiveRaw(hash)),
      participants: (hash) => meet((port) => port.participants(hash)),
      mandatory: (hash) => meet((port) => port.mandatory(hash)),
      groups: () => meet((port) => port.groups()),
      encryptPayload: (payload) => meet((port) => port.encryptPayload(payload)),
      decryptPayload: (envelope) => meet((port) => port.decryptPayload(envelope)),
    };
  }

  /** The connection to the peers: a delay each way, and no answer from those that are down. */
  private wire(): PeerWire {
    const reach = async <T>(url: string, ask: (peer: SimManager) => Promise<T>): Promise<T> => {
      await pass(this.options.time, 1 + this.options.chance.below(PEER_DELAY_MS_MAX));
      const peer = this.options.peer(url);
      if (!peer?.isUp || !this.isUp) throw offline(url);
      return ask(peer);
    };
    const unused = (url: string) => Promise.reject(offline(url));
    return {
      push: (url, payload) => reach(url, (peer) => peer.pushed(payload)),
      pushBatch: (url, payloads) =>
        reach(url, (peer) => Promise.all(payloads.map((payload) => peer.pushed(payload)))),
      partyInfo: (url, info) =>
        reach(url, async (peer) => ({ body: await peer.told(info), versions: VERSIONS })),
      validate: (url, body) => reach(url, async (peer) => peer.challenged(body)),
      checkUrl: () => undefined,
      describe: unused,
      pushStaged: unused,
      resendBatch: unused,
      resendAll: unused,
      resendOne: unused,
      pushGroup: unused,
      shared: unused,
      roots: unused,
      digests: unused,
    };
  }

  private mustBeUp(url: string): Heart {
    if (!this.heart) throw offline(url);
    return this.heart;
  }
}

function offline(url: string): Error {
  return fail('PTM_PEER_OFFLINE', `Connection error while communicating with ${url}`);
}

export function pass(time: VirtualTime, ms: number): Promise<void> {
  return new Promise((resolve) => {
    time.set(ms, resolve);
  });
}
