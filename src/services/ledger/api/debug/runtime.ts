/** `debug_*` methods about the process. */
import type { GcFigures } from '../../view/node-admin.ts';
import { method } from '../context.ts';
import { OBJECT } from '../results.ts';

const NANOSECONDS = 1e6;
/** Zero value of Go's time.Time. */
const NEVER = '0001-01-01T00:00:00Z';

/** Go's JSON of GCStats: nanoseconds, the newest pause first. */
function gcStats({ count, totalMs, pauses }: GcFigures) {
  const ends = pauses.map(({ endMs }) => new Date(endMs).toISOString());
  return {
    LastGC: ends[0] ?? NEVER,
    NumGC: count,
    PauseTotal: Math.round(totalMs * NANOSECONDS),
    Pause: pauses.map(({ ms }) => Math.round(ms * NANOSECONDS)),
    PauseEnd: ends,
    PauseQuantiles: null,
  };
}

export const runtimeMethods = [
  method('debug_gcStats', {
    params: [],
    result: OBJECT,
    about: "Pauses of the main thread's garbage collection, with Go's names: nanoseconds.",
    call: ({ admin }) => gcStats(admin.collections()),
  }),
];
