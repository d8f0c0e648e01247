/** Azure Key Vault's secrets over its REST API. */
import { fail } from '../../core/base/errors.ts';
import { systemClock } from '../host/clock.ts';
import { AzureLogin } from './azure-login.ts';
import {
  baseUrl,
  type KeyVault,
  missingCredentials,
  missingSecret,
  refused,
  type VaultConfig,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

const NAME = 'Azure Key Vault';
export const AZURE_API_VERSION = '7.4';

export function openAzureVault(config: VaultConfig, env: VaultEnv, ask: VaultRequest): KeyVault {
  const base = baseUrl(config.url, NAME);
  const { AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: secret, AZURE_TENANT_ID: tenant } = env;
  if (!id || !secret || !tenant) {
    throw missingCredentials(NAME, 'AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and AZURE_TENANT_ID');
  }
  const identity = { kind: 'client', tenant, id, secret: () => secret } as const;
  const login = new AzureLogin({ identity, ask, env, clock: systemClock });
  return {
    get: ({ name, version }) => readAzureSecret(login, base, name, version),
    async set({ name }, values) {
      const [value, ...more] = Object.values(values);
      if (value === undefined || more.length > 0) {
        throw fail('VAULT_CONFIG_INVALID', 'a secret of Azure Key Vault holds one value');
      }
      const body = JSON.stringify({ value });
      const { status } = await login.request('PUT', azureUrl(base, ['secrets', name]), body);
      if (status !== 200) throw refused(NAME, `writing ${name}`, status);
    },
  };
}

/** Throws VAULT_SECRET_MISSING or VAULT_REFUSED. */
export async function readAzureSecret(
  login: AzureLogin,
  base: URL,
  name: string,
  version?: string,
): Promise<string> {
  const url = azureUrl(base, ['secrets', name, ...(version ? [version] : [])]);
  const { status, fields } = await login.request('GET', url);
  if (status === 404) throw missingSecret(NAME, name);
  if (status !== 200) throw refused(NAME, `reading ${name}`, status);
  if (typeof fields.value !== 'string') throw missingSecret(NAME, name);
  return fields.value;
}

export function azureUrl(base: URL, parts: readonly string[]): URL {
  const url = new URL(parts.map(encodeURIComponent).join('/'), base);
  url.searchParams.set('api-version', AZURE_API_VERSION);
  return url;
}
