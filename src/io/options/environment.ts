/**
 * Options from environment variables: those that a row names, and one per option for commands with
 * prefixes.
 */
import type { OptionRow } from './option-row.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of an option from a source other than the command line. */
export interface GivenValue {
  readonly flag: string;
  readonly text: string;
  readonly source: 'file' | 'environment';
  /** Where the value was found, for errors. */
  readonly where: string;
}

/** Names without their prefixes: `--http.port` is `HTTP_PORT`. */
export function variablesOf(row: OptionRow, prefixes: readonly string[]): string[] {
  const names = [...(row.aliases ?? []), row.flag].map((name) =>
    name.toUpperCase().replace(/[-.]/g, '_'),
  );
  return prefixes.flatMap((prefix) => names.map((name) => prefix + name));
}

/** Values in ascending priority. An empty variable counts as not given. */
export function valuesInEnvironment(
  rows: readonly OptionRow[],
  env: Variables,
  prefixes: readonly string[],
): GivenValue[] {
  return rows.flatMap((row) =>
    [...(row.env === undefined ? [] : [row.env]), ...variablesOf(row, prefixes)].flatMap((name) => {
      const text = env[name];
      if (text === undefined || text === '' || isServiceLink(row, text)) return [];
      const where = `environment variable ${name}`;
      return [{ flag: row.flag, text, source: 'environment' as const, where }];
    }),
  );
}

/**
 * Kubernetes gives each pod a variable `GETH_PORT=tcp://10.0.0.7:8545` for a service named geth,
 * which is not a port to listen on.
 */
function isServiceLink({ unit }: OptionRow, text: string): boolean {
  return unit === 'port' && /^(tcp|udp|sctp):\/\//.test(text);
}

/** Variables with a prefix that match no option, except those of Kubernetes' services. */
export function unknownVariables(
  rows: readonly OptionRow[],
  env: Variables,
  prefixes: readonly string[],
): string[] {
  const known = new Set(rows.flatMap((row) => variablesOf(row, prefixes)));
  return Object.keys(env).filter(
    (name) =>
      prefixes.some((prefix) => name.startsWith(prefix)) &&
      !known.has(name) &&
      !/_SERVICE_(HOST|PORT)|_PORT_\d+_/.test(name),
  );
}
