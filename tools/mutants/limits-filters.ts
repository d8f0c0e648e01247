/** Limits of filters and subscriptions. */
import type { Limit } from './limit.ts';

const FILTERS = {
  file: 'src/services/ledger/view/filters.ts',
  test: 'src/services/ledger/view/filters.test.ts',
};
const ROOM = { ...FILTERS, file: 'src/services/ledger/view/filter-room.ts' };
const NOTICES = 'src/services/ledger/api/subscriptions.test.ts';

export const FILTER_LIMITS: readonly Limit[] = [
  {
    ...ROOM,
    name: 'filters of all',
    on: 'if (all.filters + filters > FILTERS_MAX)',
    off: 'if (all.filters < 0)',
  },
  {
    ...ROOM,
    name: 'filters of one client',
    on: 'if (own.filters + filters > FILTERS_OF_CLIENT_MAX)',
    off: 'if (own.filters < 0)',
  },
  {
    ...ROOM,
    name: 'filters: bytes of queries',
    on: 'if (all.bytes + bytes > QUERY_BYTES_MAX)',
    off: 'if (all.bytes < 0)',
  },
  {
    ...ROOM,
    name: 'filters: bytes of queries of one client',
    on: 'if (own.bytes + bytes > QUERY_BYTES_OF_CLIENT_MAX)',
    off: 'if (own.bytes < 0)',
  },
  {
    file: 'src/services/ledger/api/subscriptions.ts',
    test: NOTICES,
    name: 'log subscriptions: bytes of queries',
    on: 'const forget = filters.keepQuery(caller.remote, query);',
    off: 'const forget = () => { void filters; void caller; };',
  },
  {
    ...FILTERS,
    name: 'filters that nobody polls',
    on: 'if (filter.polledMs < oldest) this.drop(id);',
    off: '{ void oldest; void id; void filter; }',
  },
  {
    ...FILTERS,
    name: 'filters: hashes of one answer',
    on: 'Math.min(view.head().number + 1, next + HASHES_PER_ANSWER_MAX)',
    off: 'view.head().number + 1',
  },
  {
    ...FILTERS,
    name: 'filters: pending transactions that are kept',
    on: 'if (this.hashes.length < 2 * TRAIL_MAX) return;',
    off: 'if (this.hashes.length > 0) return;',
  },
  {
    name: 'notifications in slices',
    file: 'src/services/ledger/api/pump.ts',
    on: 'if (this.nowMs() >= endMs) break;',
    off: 'if (this.nowMs() >= 1e15 + endMs) break;',
    test: 'src/services/ledger/api/pump.test.ts',
  },
  {
    name: 'a subscription that falls behind',
    file: 'src/services/ledger/api/subscriptions.ts',
    on: 'if (waiting.length >= BATCHES_WAITING_MAX) return;',
    off: '',
    test: NOTICES,
  },
];
