/**
 * Candidate URLs: a stranger names its own, a peer the ones that it knows. They are neither stored
 * nor passed on until the manager there has confirmed its URL and proved a key. The first request
 * is a GET, and only a few run at a time, however many URLs are named.
 */
import { fail, hasCode } from '../../../core/base/errors.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { KeyChallenge } from './key-challenge.ts';
import { claimedKeys } from './party-info.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import type { SourceBudget } from './source-budget.ts';

/** Requests at a time, in total and per source. */
const ASKED_MAX = 8;
const ASKED_OF_SOURCE_MAX = 4;
/** Waiting candidates, in total and per source. */
const WAITING_MAX = 256;
const WAITING_OF_SOURCE_MAX = 64;
/** A URL without an answer, or with a wrong one, is not tried again for this long. */
const SILENT_MS = 10_000;
const SILENT_MAX = 4096;
const UNHEARD_MAX = 1000;

export interface CandidatesOptions {
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly challenge: KeyChallenge;
  /** Monotonic. */
  readonly clock: Clock;
  readonly say: Log;
  /** Limits of URLs named by strangers, and by peers. */
  readonly strangers: SourceBudget;
  readonly peers: SourceBudget;
}

interface Candidate {
  readonly url: string;
  readonly source: string;
  readonly asked: Promise<void>;
  readonly start: () => void;
}

export class Candidates {
  private readonly options: CandidatesOptions;
  private readonly known = new Map<string, Candidate>();
  private waiting: Candidate[] = [];
  private readonly asking = new Map<string, number>();
  private readonly unheard = new Set<string>();
  private running = 0;
  private believed: (url: string) => void = () => undefined;
  /** Origins (no connection) and URLs (wrong answer), with the time of failure. */
  private readonly silent = new Lru<string, number>(SILENT_MAX);

  constructor(options: CandidatesOptions) {
    this.options = options;
  }

  /**
   * `listener` receives each URL whose manager has confirmed itself. Set before the first offer.
   */
  onBelieved(listener: (url: string) => void): void {
    this.believed = listener;
  }

  /**
   * Resolves when the manager at `url` has confirmed itself and is in the table. Throws
   * PTM_PEER_UNPROVEN when it has not, PTM_URL_REFUSED for URLs that are never tried, PTM_TOO_MANY
   * or PTM_BUSY when too many were named.
   */
  offer(url: string, source: string): Promise<void> {
    return this.take(url, source, this.options.strangers);
  }

  /** URLs reported by a peer: accepted while the limits allow. */
  hear(urls: readonly string[], source: string): void {
    const { peers, say } = this.options;
    for (const url of urls) {
      this.take(url, source, peers).catch((error) => {
        if (this.unheard.size < UNHEARD_MAX) this.unheard.add(url);
        say('debug', 'a peer reported by others is not accepted', { url, error: String(error) });
      });
    }
  }

  /** URLs reported by peers that did not answer, as far as remembered. */
  silentPeers(): string[] {
    return [...this.unheard].filter((url) => !this.options.table.has(url));
  }

  /** Resolves when no candidate is waiting. */
  async settled(): Promise<void> {
    while (this.known.size > 0) {
      await Promise.allSettled([...this.known.values()].map(({ asked }) => asked));
    }
  }

  private async take(url: string, source: string, budget: SourceBudget): Promise<void> {
    const { table, wire } = this.options;
    wire.checkUrl(url);
    const under = this.known.get(url);
    if (under) return under.asked;
    if (this.isSilent(url)) throw unproven(url);
    if (!table.hasRoom()) throw fail('PTM_BUSY', 'too many peers are known: try again later');
    const ofSource = this.waiting.filter((one) => one.source === source).length;
    if (ofSource >= WAITING_OF_SOURCE_MAX || !budget.take(source)) {
      throw fail('PTM_TOO_MANY', 'too many peers were named from there: try again later');
    }
    if (this.waiting.length >= WAITING_MAX) {
      throw fail('PTM_BUSY', 'too many peers are waiting to be checked: try again later');
    }
    return this.enqueue(url, source);
  }

  private enqueue(url: string, source: string): Promise<void> {
    let start = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      start = resolve;
    });
    const asked = turn
      .then(() => this.ask(url))
      .finally(() => {
        this.known.delete(url);
        this.running--;
        this.asking.set(source, this.asking.get(source)! - 1);
        if (this.asking.get(source) === 0) this.asking.delete(source);
        this.pump();
      });
    const candidate = { url, source, asked, start };
    this.known.set(url, candidate);
    this.waiting.push(candidate);
    this.pump();
    return asked;
  }

  private pump(): void {
    while (this.running < ASKED_MAX) {
      const at = this.waiting.findIndex(
        ({ source }) => (this.asking.get(source) ?? 0) < ASKED_OF_SOURCE_MAX,
      );
      if (at < 0) return;
      const [next] = this.waiting.splice(at, 1);
      this.running++;
      this.asking.set(next!.source, (this.asking.get(next!.source) ?? 0) + 1);
      next!.start();
    }
  }

  private async ask(url: string): Promise<void> {
    const { table, wire, challenge, clock } = this.options;
    // Another source may have named it, and it was accepted, while this one waited.
    if (table.has(url)) return;
    if (this.isSilent(url)) throw unproven(url);
    try {
      const answer = await wire.describe(url);
      const isItself = answer?.info.url === url;
      const keys = isItself ? await challenge.proven(url, claimedKeys(answer.info)) : [];
      if (keys.length === 0) throw unproven(url);
      if (!table.update(url, keys, answer?.versions)) {
        throw fail('PTM_BUSY', 'too many peers are known: try again later');
      }
    } catch (error) {
      if (hasCode(error, 'PTM_PEER_OFFLINE')) {
        this.silent.set(originOf(url), clock.nowMs());
        throw unproven(url);
      }
      if (hasCode(error, 'PTM_PEER_UNPROVEN')) this.silent.set(url, clock.nowMs());
      throw error;
    }
    this.believed(url);
  }

  private isSilent(url: string): boolean {
    const nowMs = this.options.clock.nowMs();
    return [url, originOf(url)].some((name) => {
      const atMs = this.silent.get(name);
      return atMs !== undefined && nowMs - atMs < SILENT_MS;
    });
  }
}

/** Scheme, host and port. */
function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('://') + 3));
}

function unproven(url: string): Error {
  return fail('PTM_PEER_UNPROVEN', `No validated keys found for peer ${url}`);
}
