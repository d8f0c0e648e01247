/** HashiCorp Vault over its HTTP API: version 2 key-value engines, with a token or AppRole. */
import { fail } from '../../core/base/errors.ts';
import { type HashicorpAuth, HashicorpSession, vaultPath } from './hashicorp-session.ts';
import {
  baseUrl,
  type KeyVault,
  missingCredentials,
  missingSecret,
  refused,
  type SecretName,
  type VaultConfig,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

const NAME = 'HashiCorp Vault';
const APPROLE_DEFAULT = 'approle';

export function openHashicorpVault(
  config: VaultConfig,
  env: VaultEnv,
  ask: VaultRequest,
): KeyVault {
  const base = baseUrl(config.url, NAME);
  const { HASHICORP_ROLE_ID: role, HASHICORP_SECRET_ID: secret, HASHICORP_TOKEN: given } = env;
  if (!(role && secret) && !given) {
    throw missingCredentials(NAME, 'HASHICORP_TOKEN, or HASHICORP_ROLE_ID and HASHICORP_SECRET_ID');
  }
  const auth: HashicorpAuth =
    role && secret
      ? {
          kind: 'login',
          name: 'AppRole',
          mount: config.approlePath ?? APPROLE_DEFAULT,
          credentials: () => ({ role_id: role, secret_id: secret }),
        }
      : { kind: 'token', token: () => given! };
  const session = new HashicorpSession({ base, ask, auth });
  return {
    async get({ name, engine = 'secret', field = 'value', version }) {
      const url = dataUrl(base, { name, engine });
      if (version !== undefined) url.searchParams.set('version', version);
      const { status, fields } = await session.request('GET', url);
      if (status === 404) throw missingSecret(NAME, `${engine}/${name}`);
      if (status !== 200) throw refused(NAME, `reading ${engine}/${name}`, status);
      const value = namedValue(fields, field);
      if (value === undefined) throw missingSecret(NAME, `${engine}/${name}, id ${field}`);
      return value;
    },
    async set(secretName, values) {
      const body = JSON.stringify({ data: values });
      const { status } = await session.request('POST', dataUrl(base, secretName), body);
      if (status !== 200 && status !== 204) {
        throw refused(NAME, `writing ${secretName.name} (is it a version 2 engine?)`, status);
      }
    },
  };
}

/**
 * Reads a value of a secret by its full path, `/v1/secret/data/key`; error texts are Web3Signer's.
 */
export async function readHashicorpPath(
  session: HashicorpSession,
  url: URL,
  field: string,
): Promise<string> {
  const { status, fields } = await session.request('GET', url);
  if (status === 404) throw unreadable('Requested Secret name does not exist.');
  if (status !== 200 && status !== 204) {
    throw unreadable(`Received invalid Http status code ${status}.`);
  }
  const value = namedValue(fields, field);
  if (value !== undefined) return value;
  throw fail(
    'VAULT_SECRET_MISSING',
    'Invalid response returned from Hashicorp Vault: it holds no such key name (is it a version 2 engine, and "data" in the path?)',
  );
}

function unreadable(reason: string): Error {
  return fail('VAULT_REFUSED', `Error communicating with Hashicorp vault: ${reason}`);
}

function namedValue(fields: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const data = (fields.data as { data?: Record<string, unknown> | null } | undefined)?.data;
  const value = data && Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function dataUrl(base: URL, { name, engine = 'secret' }: SecretName): URL {
  return new URL(`v1/${vaultPath(engine)}/data/${vaultPath(name)}`, base);
}
