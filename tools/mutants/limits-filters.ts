/** Limits of filters and subscriptions. */
import type { Limit } from './limit.ts';

const FILTERS = {
  file: 'src/services/ledger/view/filters.ts',
  test: 'src/services/ledger/view/filters.test.ts',
};
const NOTICES = 'src/services/ledger/api/subscriptions.test.ts';

export const FILTER_LIMITS: readonly Limit[] = [
  {
    ...FILTERS,
    name: 'filters of all',
    on: 'if (this.filters.size >= FILTERS_MAX)',
    off: 'if (this.filters.size < 0)',
  },
  {
    ...FILTERS,
    name: 'filters of one client',
    on: 'if (held >= FILTERS_OF_CLIENT_MAX)',
    off: 'if (held < 0)',
  },
  {
    ...FILTERS,
    name: 'filters: bytes of queries',
    on: 'if (this.queryBytes + bytes > QUERY_BYTES_MAX)',
    off: 'if (bytes < 0)',
  },
  {
    file: 'src/services/ledger/api/subscriptions.ts',
    test: NOTICES,
    name: 'log subscriptions: bytes of queries',
    on: 'const forget = filters.keepQuery(query);',
    off: 'const forget = () => { void filters; };',
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
