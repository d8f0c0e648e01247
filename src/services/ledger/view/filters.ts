/** Filters that callers poll: logs, blocks, pending transactions. A filter belongs to the private state it was made in. */
import type { Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import type { Clock, Entropy } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { Events } from '../node/chain/events.ts';
import type { LogQuery } from './logs.ts';
import type { PartyView } from './party-view.ts';

const FILTERS_MAX = 10_000;
const HASHES_PER_FILTER_MAX = 100_000;
/** As GoQuorum: a filter that nobody polls for so long is dropped. */
const IDLE_MS_MAX = 5 * 60 * 1000;

export interface LogRange {
  readonly from: number;
  /** undefined: open end. */
  readonly to: number | undefined;
}

type Filter = { readonly psi: Psi; polledMs: number } & (
  | { readonly kind: 'logs'; readonly query: LogQuery; readonly range: LogRange; next: number }
  | { readonly kind: 'hashes'; hashes: Hash32[] }
);

export type Changes =
  /** Blocks to search, up to `to`; `putBack` where that fails. */
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
  private readonly listeners = new Map<string, () => void>();
  private readonly events: Events;
  private readonly clock: Clock;
  private readonly entropy: Entropy;

  constructor(parts: { events: Events; clock: Clock; entropy: Entropy }) {
    this.events = parts.events;
    this.clock = parts.clock;
    this.entropy = parts.entropy;
  }

  addLogs(view: PartyView, query: LogQuery, range: LogRange): string {
    const next = Math.max(view.head().number + 1, range.from);
    return this.add({
      kind: 'logs',
      psi: view.psi,
      polledMs: this.clock.nowMs(),
      query,
      range,
      next,
    });
  }

  addBlocks(view: PartyView): string {
    return this.addHashes(view, (push) =>
      this.events.on('committed', ({ block }) => push(block.hash)),
    );
  }

  addPending(view: PartyView): string {
    return this.addHashes(view, (push) =>
      this.events.on('pending', (transactions) => {
        for (const transaction of transactions) push(transaction.hash);
      }),
    );
  }

  /** What is new since the last poll. Throws FILTER_NOT_FOUND. */
  changes(view: PartyView, id: string): Changes {
    const filter = this.find(view, id);
    if (filter.kind === 'hashes') {
      const hashes = filter.hashes;
      filter.hashes = [];
      return { kind: 'hashes', hashes };
    }
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
    // COMPAT: only here does GoQuorum name the private state. A filter's id is a secret of who made
    // it.
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

  private addHashes(view: PartyView, listen: (push: (hash: Hash32) => void) => () => void): string {
    const filter: Filter = {
      kind: 'hashes',
      psi: view.psi,
      polledMs: this.clock.nowMs(),
      hashes: [],
    };
    const id = this.add(filter);
    const end = listen((hash) => {
      if (filter.hashes.length < HASHES_PER_FILTER_MAX) filter.hashes.push(hash);
    });
    this.listeners.set(id, end);
    return id;
  }

  private add(filter: Filter): string {
    this.dropIdle();
    if (this.filters.size >= FILTERS_MAX) {
      throw fail('FILTERS_FULL', `too many filters: at most ${FILTERS_MAX}, uninstall some first`);
    }
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
    this.filters.delete(id);
    this.listeners.get(id)?.();
    this.listeners.delete(id);
  }
}

function notFound() {
  return fail('FILTER_NOT_FOUND', 'filter not found');
}
