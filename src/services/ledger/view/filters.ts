/**
 * Filters that callers poll: logs, blocks, pending transactions. A filter belongs to the private
 * state in which it was created.
 */
import type { Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import type { Clock, Entropy } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { Events } from '../node/chain/events.ts';
import { type Claim, FilterRoom } from './filter-room.ts';
import type { LogQuery } from './log-matcher.ts';
import type { PartyView } from './party-view.ts';

/** A subscription keeps its query as a LogMatcher, too. */
const MATCHER_SHARE = 3;
/** Maximum number of hashes per answer; the next answer has the rest. */
const HASHES_PER_ANSWER_MAX = 100_000;
/** Number of pending transactions kept for filters; older ones are not reported. */
const TRAIL_MAX = 100_000;
/** As in GoQuorum, a filter not polled for this long is dropped. */
const IDLE_MS_MAX = 5 * 60 * 1000;

export interface LogRange {
  readonly from: number;
  /** undefined: the range has no end. */
  readonly to: number | undefined;
}

type Filter = { readonly psi: Psi; readonly claim: Claim; polledMs: number; next: number } & (
  | { readonly kind: 'logs'; readonly query: LogQuery; readonly range: LogRange }
  /** `next`: number of the next block. */
  | { readonly kind: 'blocks' }
  /** `next`: position of the next transaction in the trail. */
  | { readonly kind: 'pending' }
);

/** The latest pending transactions, with their positions. */
class Trail {
  private hashes: Hash32[] = [];
  private first = 0;

  get end(): number {
    return this.first + this.hashes.length;
  }

  push(hash: Hash32): void {
    this.hashes.push(hash);
    if (this.hashes.length < 2 * TRAIL_MAX) return;
    this.first += TRAIL_MAX;
    this.hashes = this.hashes.slice(TRAIL_MAX);
  }

  from(place: number): readonly Hash32[] {
    return this.hashes.slice(Math.max(0, place - this.first));
  }
}

export type Changes =
  /** Block range to search for logs; call `putBack` if that fails. */
  | {
      readonly kind: 'logs';
      readonly query: LogQuery;
      readonly from: number;
      readonly to: number;
      putBack(): void;
    }
  | { readonly kind: 'hashes'; readonly hashes: readonly Hash32[] };

export class Filters {
  private readonly filters = new Map<string, Filter>();
  private readonly room = new FilterRoom();
  private readonly pending = new Trail();
  private readonly clock: Clock;
  private readonly entropy: Entropy;

  constructor(parts: { events: Events; clock: Clock; entropy: Entropy }) {
    this.clock = parts.clock;
    this.entropy = parts.entropy;
    parts.events.on('pending', (transactions) => {
      for (const { hash } of transactions) this.pending.push(hash);
    });
  }

  /** `client`: the caller, because each has a maximum share. Throws FILTERS_FULL. */
  addLogs(view: PartyView, client: string, query: LogQuery, range: LogRange): string {
    const next = Math.max(view.head().number + 1, range.from);
    const owned = this.owned(view, client, next, bytesOf(query));
    return this.add({ kind: 'logs', ...owned, query, range });
  }

  /**
   * Counts the memory of a subscription's query until the returned function is called. Throws
   * FILTERS_FULL.
   */
  keepQuery(client: string, query: LogQuery): () => void {
    const claim: Claim = { client, filters: 0, bytes: MATCHER_SHARE * bytesOf(query) };
    this.room.take(claim);
    return () => this.room.giveBack(claim);
  }

  addBlocks(view: PartyView, client: string): string {
    return this.add({ kind: 'blocks', ...this.owned(view, client, view.head().number + 1) });
  }

  addPending(view: PartyView, client: string): string {
    return this.add({ kind: 'pending', ...this.owned(view, client, this.pending.end) });
  }

  private owned(view: PartyView, client: string, next: number, bytes = 0) {
    const claim: Claim = { client, filters: 1, bytes };
    return { psi: view.psi, claim, polledMs: this.clock.nowMs(), next };
  }

  /** Changes since the last poll. Throws FILTER_NOT_FOUND. */
  changes(view: PartyView, id: string): Changes {
    const filter = this.find(view, id);
    if (filter.kind !== 'logs') return { kind: 'hashes', hashes: this.hashesFor(view, filter) };
    const { query, next: from } = filter;
    const last = Math.min(view.head().number, filter.range.to ?? Number.MAX_SAFE_INTEGER);
    while (filter.next <= last && view.isPrivateDone(filter.next)) filter.next++;
    const to = filter.next - 1;
    const putBack = () => {
      filter.next = Math.min(filter.next, from);
    };
    return { kind: 'logs', query, from, to, putBack };
  }

  /** Query and range of a log filter. Throws FILTER_NOT_FOUND. */
  logs(view: PartyView, id: string): { query: LogQuery; range: LogRange } {
    const filter = this.filters.get(id);
    // COMPAT: GoQuorum names the private state only here. A filter's id is known only to its
    // creator.
    if (filter?.kind === 'logs' && filter.psi !== view.psi)
      throw fail('FILTER_NOT_FOUND', `filter not found for ${view.psi}`);
    const own = this.find(view, id);
    if (own.kind !== 'logs') throw notFound();
    return own;
  }

  remove(view: PartyView, id: string): boolean {
    const filter = this.filters.get(id);
    if (!filter || filter.psi !== view.psi) return false;
    this.drop(id);
    return true;
  }

  private hashesFor(view: PartyView, filter: Filter): readonly Hash32[] {
    const { next } = filter;
    if (filter.kind === 'pending') {
      filter.next = this.pending.end;
      return this.pending.from(next);
    }
    const end = Math.min(view.head().number + 1, next + HASHES_PER_ANSWER_MAX);
    filter.next = Math.max(next, end);
    return Array.from({ length: filter.next - next }, (_, at) => view.hashOf(next + at)!);
  }

  private add(filter: Filter): string {
    this.dropIdle();
    this.room.take(filter.claim);
    const id = `0x${bareHex(this.entropy.bytes(16)).replace(/^0+(?=.)/, '')}`;
    this.filters.set(id, filter);
    return id;
  }

  private find(view: PartyView, id: string): Filter {
    this.dropIdle();
    const filter = this.filters.get(id);
    if (!filter || filter.psi !== view.psi) throw notFound();
    filter.polledMs = this.clock.nowMs();
    return filter;
  }

  private dropIdle(): void {
    const oldest = this.clock.nowMs() - IDLE_MS_MAX;
    for (const [id, filter] of this.filters) if (filter.polledMs < oldest) this.drop(id);
  }

  private drop(id: string): void {
    this.room.giveBack(this.filters.get(id)!.claim);
    this.filters.delete(id);
  }
}

/** Estimated memory of a query: words, including their overhead. */
function bytesOf({ addresses, topics }: LogQuery): number {
  let words = addresses.length;
  for (const position of topics) words += 1 + position.length;
  return 100 * words;
}

function notFound() {
  return fail('FILTER_NOT_FOUND', 'filter not found');
}
