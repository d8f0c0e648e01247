/** Options that every service of its own port has, as rows. */
import type { OptionRow } from './option-row.ts';

/** Where it listens, by default on loopback. */
export function listenRows(group: string, port: number): readonly OptionRow[] {
  return [
    {
      flag: 'http.addr',
      type: 'string',
      default: '127.0.0.1',
      about: 'Address to listen on',
      group,
    },
    {
      flag: 'http.port',
      type: 'integer',
      unit: 'port',
      default: port,
      about: 'Port to listen on; 0: any',
      group,
    },
  ];
}

/** Its process: the file with its id, and how much it logs. */
export function processRows(group: string): readonly OptionRow[] {
  return [
    {
      flag: 'pidfile',
      type: 'string',
      unit: 'file',
      about: 'Write the process id to this file, and remove it at the end',
      group,
    },
    {
      flag: 'verbosity',
      type: 'integer',
      default: 3,
      about: 'Verbosity of the log: 0 silent to 5 trace',
      group,
    },
  ];
}
