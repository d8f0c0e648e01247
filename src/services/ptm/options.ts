/**
 * Options of `quorate ptm`, as rows; commands that work on a manager's store share the ones for its
 * configuration.
 */
import type { OptionRow } from '../../io/options/options.ts';
import { tracingRows } from '../../io/tracing/settings.ts';

const GROUP = 'Manager';

export const PTM_CONFIG_ROWS: readonly OptionRow[] = [
  {
    flag: 'configfile',
    type: 'string',
    unit: 'file',
    about: "Configuration file in Tessera's format",
    group: GROUP,
  },
  {
    flag: 'override',
    type: 'list',
    whole: true,
    default: [],
    aliases: ['o'],
    about:
      'Overrides the file: key=value, such as jdbc.username=sa or peer[0].url=http://…; repeatable',
    group: GROUP,
  },
  {
    flag: 'store',
    type: 'string',
    env: 'QUORATE_PTM_STORE',
    about: 'PostgreSQL instead of the embedded store: postgres://user@host:port/database',
    group: GROUP,
  },
];

export const VERBOSITY_ROW: OptionRow = {
  flag: 'verbosity',
  type: 'integer',
  default: 3,
  about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
  group: GROUP,
};

export const PTM_ROWS: readonly OptionRow[] = [
  ...PTM_CONFIG_ROWS,
  {
    flag: 'pidfile',
    type: 'string',
    unit: 'file',
    about: "Write this process's id to this file, and remove it at the end",
    group: GROUP,
  },
  VERBOSITY_ROW,
  ...tracingRows('Traces'),
];
