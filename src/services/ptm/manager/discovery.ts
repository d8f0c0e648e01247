/**
 * Exchanges party info with peers. A posted party info only triggers a request to the manager that
 * it names: keys, versions and further peers are taken from that manager's own answer, keys only if
 * proved. Otherwise anyone who reaches the port could take over a peer's keys or redirect its
 * payloads.
 */
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log, Timer, Timers } from '../../../core/base/ports.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import type { Candidates } from './candidates.ts';
import type { Enclave } from './enclave.ts';
import type { KeyChallenge } from './key-challenge.ts';
import { claimedKeys, decodePartyInfo, encodePartyInfo, type PartyInfo } from './party-info.ts';
import type { PartyTable } from './party-table.ts';
import {
  BATCH_VERSION,
  type PartyInfoAnswer,
  type PeerDescription,
  type PeerWire,
} from './peers.ts';
import type { SourceBudget } from './source-budget.ts';

/** An unknown recipient triggers a round of requests, at most this often. */
const SEARCH_INTERVAL_MS = 1_000;
/** A post in a peer's name triggers a request to it, at most this often. */
const REFRESH_INTERVAL_MS = 1_000;
const SETTLE_ROUNDS_MAX = 16;

export interface DiscoveryOptions {
  readonly table: PartyTable;
  readonly enclave: Enclave;
  readonly wire: PeerWire;
  readonly challenge: KeyChallenge;
  readonly candidates: Candidates;
  /** Limits, per source, how many posts in peers' names cause a request to the peer. */
  readonly refreshes: SourceBudget;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly say: Log;
  readonly intervalMs: number;
}

export class Discovery {
  private readonly options: DiscoveryOptions;
  private timer: Timer | undefined;
  private searchedMs = Number.NEGATIVE_INFINITY;
  private searching: Promise<void> | undefined;
  private readonly exchanges = new Map<string, Promise<void>>();
  private readonly refreshedMs = new Map<string, number>();
  private stopped = false;
  private heard: (url: string) => void = () => undefined;

  constructor(options: DiscoveryOptions) {
    this.options = options;
    options.candidates.onBelieved((url) => void this.exchange(url));
  }

  /** `listener` receives the URL of each peer that has answered. Set before `start`. */
  onHeard(listener: (url: string) => void): void {
    this.heard = listener;
  }

  start(): void {
    void this.round();
  }

  /** Exchanges with all peers, and with those that they report, until none is new. */
  async settle(): Promise<void> {
    const { table, candidates } = this.options;
    for (let round = 0; round < SETTLE_ROUNDS_MAX; round++) {
      const before = table.peers().length;
      await this.exchangeAll();
      await candidates.settled();
      if (table.peers().length === before) return;
    }
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  /**
   * Asks all peers again when a key is unknown, so that sending works reliably in a network that is
   * just starting.
   */
  async search(keys: readonly PublicKey[]): Promise<void> {
    const { table, enclave, clock } = this.options;
    if (keys.every((key) => enclave.owns(key) || table.knows(key))) return;
    if (this.searching) return this.searching;
    if (clock.nowMs() - this.searchedMs < SEARCH_INTERVAL_MS) return;
    this.searchedMs = clock.nowMs();
    this.searching = this.exchangeAll().finally(() => {
      this.searching = undefined;
    });
    return this.searching;
  }

  /**
   * A peer's POST /partyinfo. Our answer: everything to Quorate peers, and to Tessera as little as
   * it answers itself. Throws PTM_PEER_UNKNOWN when discovery is off, and what `Candidates.offer`
   * throws.
   */
  async receive(
    body: Uint8Array,
    versions: readonly string[],
    source: string,
  ): Promise<Uint8Array> {
    const { table, candidates } = this.options;
    const info = decodePartyInfo(body);
    if (!table.accepts(info.url)) {
      throw fail('PTM_PEER_UNKNOWN', `Peer ${info.url} not found in known peer list`);
    }
    if (table.has(info.url)) this.refresh(info, source);
    else await candidates.offer(info.url, source);
    if (versions.includes(BATCH_VERSION)) return encodePartyInfo(table.own());
    return encodePartyInfo({ url: table.ownUrl, keys: [], parties: [] });
  }

  /**
   * A peer that is back, or reports something new, is asked at once instead of in the next round.
   */
  private refresh(info: PartyInfo, source: string): void {
    const { table, clock, refreshes } = this.options;
    const known = new Set(table.keysAt(info.url).map(keyOf));
    const claimed = this.claimed(info);
    const isNews =
      !table.isHeard(info.url) ||
      claimed.length !== known.size ||
      claimed.some((key) => !known.has(keyOf(key)));
    const lastMs = this.refreshedMs.get(info.url) ?? Number.NEGATIVE_INFINITY;
    if (!isNews || clock.nowMs() - lastMs < REFRESH_INTERVAL_MS || !refreshes.take(source)) return;
    this.refreshedMs.set(info.url, clock.nowMs());
    void this.exchange(info.url);
  }

  private async round(): Promise<void> {
    await this.exchangeAll();
    if (this.stopped) return;
    this.timer = this.options.timers.set(this.options.intervalMs, () => void this.round());
  }

  private async exchangeAll(): Promise<void> {
    const urls = this.options.table.peers();
    for (const url of this.refreshedMs.keys()) {
      if (!urls.includes(url)) this.refreshedMs.delete(url);
    }
    await Promise.all(urls.map((url) => this.exchange(url)));
  }

  /** One exchange at a time per peer; concurrent calls share it. */
  exchange(url: string): Promise<void> {
    const under = this.exchanges.get(url);
    if (under) return under;
    const mine = this.exchangeNow(url).finally(() => this.exchanges.delete(url));
    this.exchanges.set(url, mine);
    return mine;
  }

  private async exchangeNow(url: string): Promise<void> {
    const { table, wire, say } = this.options;
    if (this.stopped) return;
    try {
      const answer = await wire.partyInfo(url, encodePartyInfo(table.own()));
      const { info, versions } = await this.described(url, answer);
      await this.take(url, info, versions);
      this.heard(url);
    } catch (error) {
      table.missed(url);
      say('debug', 'no party info exchange with a peer', { url, error: String(error) });
    }
  }

  /**
   * Quorate peers report everything in their answer; Tessera, and peers that do not accept us, must
   * be asked for their keys.
   */
  private async described(url: string, answer: PartyInfoAnswer): Promise<PeerDescription> {
    const { body, versions } = answer;
    if (versions?.includes(BATCH_VERSION) && body.length > 0) {
      return { info: decodePartyInfo(body), versions };
    }
    const described = await this.options.wire.describe(url);
    if (!described) throw fail('PTM_PEER_OFFLINE', `${url} reports nothing about itself`);
    return { info: described.info, versions: versions ?? described.versions };
  }

  /**
   * A configured peer may use a different name for itself: it is known by the URL at which it
   * answers.
   */
  private async take(
    url: string,
    info: PartyInfo,
    versions: readonly string[] | undefined,
  ): Promise<void> {
    const { table, challenge, candidates } = this.options;
    const believed = new Set(table.keysAt(url).map(keyOf));
    const claimed = this.claimed(info);
    const fresh = claimed.filter((key) => !believed.has(keyOf(key)));
    for (const key of await challenge.proven(url, fresh)) believed.add(keyOf(key));
    const keys = claimed.filter((key) => believed.has(keyOf(key)));
    table.update(url, keys, versions);
    if (!table.discovers) return;
    candidates.hear(
      info.parties.filter(
        (party) => party !== info.url && table.accepts(party) && !table.has(party),
      ),
      url,
    );
  }

  private claimed(info: PartyInfo): PublicKey[] {
    return claimedKeys(info).filter((key) => !this.options.enclave.owns(key));
  }
}
