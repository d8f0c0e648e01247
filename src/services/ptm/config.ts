/**
 * A manager's configuration: a Tessera configuration file, overrides, and the store that an option
 * names.
 */
import { fail } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import { CONNECTIONS_DEFAULT } from '../../io/database/postgres.ts';
import { isPostgresUrl } from '../../io/database/postgres-address.ts';
import { readJson } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { type SecretSource, unlockConfig } from './config/jasypt.ts';
import { applyOverrides } from './config/overrides.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import { parseTesseraConfig } from './config/tessera-file.ts';

/**
 * `command`: used in the error for a missing file. Logs warnings. Throws OPTION_VALUE_MISSING
 * without --configfile, PTM_CONFIG_INVALID.
 */
export async function ptmConfig(
  options: ParsedOptions,
  { command, say, secrets }: { command: string; say: Log; secrets: SecretSource },
): Promise<PtmConfig> {
  const file = options.string('configfile');
  if (file === undefined) {
    throw fail(
      'OPTION_VALUE_MISSING',
      `name the configuration: quorate ${command} --configfile config.json`,
    );
  }
  const { config, warnings } = await readTesseraConfig(file, options.list('override'), secrets);
  for (const warning of warnings) say('warn', warning);
  const store = options.string('store');
  return store === undefined ? config : withStore(config, store);
}

/**
 * Reads a Tessera configuration file and applies `key=value` overrides; `secrets` decrypts values
 * in it. Throws PTM_CONFIG_INVALID.
 */
export async function readTesseraConfig(
  file: string,
  overrides: readonly string[] = [],
  secrets?: SecretSource,
): Promise<{ config: PtmConfig; warnings: string[] }> {
  let value: unknown;
  try {
    value = readJson(file);
  } catch (cause) {
    throw fail('PTM_CONFIG_INVALID', reasonOf(cause), { cause, data: { path: file } });
  }
  applyOverrides(value, overrides);
  if (secrets) await unlockConfig(value, secrets);
  return parseTesseraConfig(value, file);
}

/** The same manager with another store, as `--store` names it. Throws PTM_CONFIG_INVALID. */
export function withStore(config: PtmConfig, url: string): PtmConfig {
  if (!isPostgresUrl(url)) {
    throw fail(
      'PTM_CONFIG_INVALID',
      '--store must be postgres://user@host:port/database; omit it for the embedded store',
    );
  }
  const connectionsMax = config.database?.connectionsMax ?? CONNECTIONS_DEFAULT;
  const login = { user: undefined, password: undefined };
  return { ...config, database: { url, ...login, createTables: true, connectionsMax } };
}
