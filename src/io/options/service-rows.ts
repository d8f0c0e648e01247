/** Options of every service that listens on a port, as rows. */
import type { OptionRow } from './option-row.ts';

/** Where the service listens, by default on loopback. */
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

/** Options of the service's process: the file with its id, and the verbosity of its log. */
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

/** Options for the place of a service's tables: a folder, or a database on a server. */
export function storeRows(
  group: string,
  { folder, about, env }: { readonly folder: string; readonly about: string; readonly env: string },
): readonly OptionRow[] {
  return [
    { flag: 'datadir', type: 'string', unit: 'folder', default: folder, about, group },
    {
      ...{ flag: 'store', type: 'string', env, group },
      about: 'postgres://user@host:port/database instead of the embedded store',
    },
  ];
}

export function configRow(group: string): OptionRow {
  const about = 'TOML file with the same names as the flags';
  return { flag: 'config', type: 'string', unit: 'file', about, group };
}

/** Where Prometheus reads the service's metrics. */
export function metricsRows(group: string): readonly OptionRow[] {
  return [
    {
      flag: 'metrics.port',
      type: 'integer',
      unit: 'port',
      about: 'Port for Prometheus, at /metrics; 0: any; default: none',
      group,
    },
    {
      flag: 'metrics.addr',
      type: 'string',
      default: '127.0.0.1',
      about: 'Address of that port',
      group,
    },
  ];
}
