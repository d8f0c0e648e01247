/**
 * The `--plugins` file of GoQuorum: a provider's own configuration, in whatever place it is
 * written.
 */
import { fail, hasCode, type QuorateError } from '../../core/base/errors.ts';
import { parseJson } from '../../core/base/json.ts';
import { readText } from '../host/files.ts';
import { reasonOf } from '../host/reason.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Providers that are built in; the only account plugin is the one for HashiCorp Vault. */
const PROVIDERS = ['security', 'account'] as const;
export type PluginProvider = (typeof PROVIDERS)[number];
const ACCOUNT_PLUGIN = 'quorum-account-plugin-hashicorp-vault';

/**
 * What a `--plugins` URI configures for a provider; undefined: nothing. Throws
 * SECURITY_CONFIG_INVALID, also if it names a provider that is not built in.
 */
export function readPluginConfig(
  uri: string,
  wanted: PluginProvider,
  environment: Environment,
): Fields | undefined {
  const settings = parseSettings(readUri(uri, environment), uri);
  const providers = object(settings.providers ?? {}, 'providers');
  for (const name of Object.keys(providers)) {
    if (!PROVIDERS.some((each) => each === name)) {
      throw invalidSettings(
        `plugin provider "${name}": plugins are not supported; only "security" and "account" are built in. Remove "${name}" from the file`,
      );
    }
  }
  if (providers[wanted] === undefined) return undefined;
  const { config, name } = object(providers[wanted], `providers.${wanted}`);
  if (wanted === 'account' && name !== ACCOUNT_PLUGIN) {
    throw invalidSettings(
      `account plugin "${String(name)}": plugins are not supported; only "${ACCOUNT_PLUGIN}" is built in`,
    );
  }
  if (typeof config !== 'string') return object(config ?? {}, `providers.${wanted}.config`);
  return readPluginValue(config, `providers.${wanted}.config`, environment);
}

/** Reads JSON from a text, or from a URI that leads to it; `from` is its name in errors. */
export function readPluginValue(value: string, from: string, environment: Environment): Fields {
  const text = /^(file|env):/.test(value) ? readUri(value, environment) : value;
  return parseSettings(text, from);
}

/**
 * Takes `file:///path`, `env://NAME`, or `env://NAME?type=file`, whose variable contains a path.
 */
function readUri(uri: string, environment: Environment): string {
  const match = /^(file|env):\/\/([^?]*)(?:\?(.*))?$/.exec(uri);
  if (!match)
    throw invalidSettings(`plugins: unsupported URI ${uri}: give file:///path/to/plugins.json`);
  const [, scheme, rest = '', query = ''] = match;
  if (scheme === 'file') return readFile(decodeURIComponent(rest));
  const value = environment[rest];
  if (value === undefined) throw invalidSettings(`env variable ${rest} not found`);
  return /(^|&)type=file(&|$)/.test(query) ? readFile(value) : value;
}

function readFile(path: string): string {
  try {
    return readText(path);
  } catch (cause) {
    const text = `plugins: ${reasonOf(cause)}`;
    throw fail('SECURITY_CONFIG_INVALID', text, { cause, data: { path } });
  }
}

function parseSettings(text: string, from: string): Fields {
  try {
    return object(parseJson(text), from);
  } catch (cause) {
    if (!hasCode(cause, 'JSON_INVALID')) throw cause;
    throw invalidSettings(`plugins: unable to parse settings of ${from}: ${cause.message}`);
  }
}

export function object(value: unknown, name: string): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidSettings(`${name} must be an object`);
  return value as Fields;
}

export function invalidSettings(message: string): QuorateError {
  return fail('SECURITY_CONFIG_INVALID', message);
}
