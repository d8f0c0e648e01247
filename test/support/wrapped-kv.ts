import type { Kv } from '../../src/core/base/ports.ts';

/** Tables that differ from `kv` only in some methods. */
export function wrappedKv(kv: Kv, changed: Partial<Kv>): Kv {
  return {
    get: (table, key) => kv.get(table, key),
    view: (table, key) => kv.view(table, key),
    range: (table, from, to) => kv.range(table, from, to),
    rangeReverse: (table, from, to) => kv.rangeReverse(table, from, to),
    commit: (fill) => kv.commit(fill),
    close: () => kv.close(),
    ...changed,
  };
}
