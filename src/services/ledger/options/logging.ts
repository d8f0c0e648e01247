/** Options of logs, metrics and traces. */
import type { OptionRow } from '../../../io/options/options.ts';
import { tracingRows } from '../../../io/tracing/settings.ts';

const GROUP = 'Logging and metrics';

export const LOGGING_ROWS: readonly OptionRow[] = [
  {
    flag: 'emitcheckpoints',
    type: 'boolean',
    default: false,
    about: 'Log QUORUM-CHECKPOINT lines for blocks, transactions and changes of the Raft role',
    group: GROUP,
  },
  {
    flag: 'verbosity',
    type: 'integer',
    default: 3,
    about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
    group: GROUP,
  },
  {
    flag: 'log.json',
    type: 'boolean',
    default: false,
    about: 'Log lines as JSON objects, with the members of geth',
    group: GROUP,
  },
  {
    flag: 'metrics',
    type: 'boolean',
    default: false,
    about:
      'Collect metrics for Prometheus: /debug/metrics/prometheus, at --metrics.addr or --pprof',
    group: GROUP,
  },
  {
    flag: 'metrics.addr',
    type: 'string',
    about: 'Serve metrics at this address',
    group: GROUP,
  },
  {
    flag: 'metrics.port',
    type: 'integer',
    unit: 'port',
    default: 6060,
    about: 'Port of --metrics.addr',
    group: GROUP,
  },
  {
    flag: 'pprof',
    type: 'boolean',
    default: false,
    about:
      'With --metrics, serve metrics at --pprof.addr too; there are no profiles of a Go process',
    group: GROUP,
  },
  {
    flag: 'pprof.addr',
    type: 'string',
    default: '127.0.0.1',
    about: 'Address of --pprof',
    group: GROUP,
  },
  {
    flag: 'pprof.port',
    type: 'integer',
    unit: 'port',
    default: 6060,
    about: 'Port of --pprof',
    group: GROUP,
  },
  ...tracingRows(GROUP),
];
