/** Azure Key Vault over its REST API, by client credentials. */
import { fail } from '../../core/base/errors.ts';
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
const API_VERSION = '7.4';
const AUTHORITY_DEFAULT = 'https://login.microsoftonline.com';
const SCOPE = 'https://vault.azure.net/.default';

export function openAzureVault(config: VaultConfig, env: VaultEnv, ask: VaultRequest): KeyVault {
  const base = baseUrl(config.url, NAME);
  const { AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: secret, AZURE_TENANT_ID: tenant } = env;
  if (!id || !secret || !tenant) {
    throw missingCredentials(NAME, 'AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and AZURE_TENANT_ID');
  }
  let token: Promise<string> | undefined;
  const login = async (): Promise<string> => {
    const authority = baseUrl(env.AZURE_AUTHORITY_HOST ?? AUTHORITY_DEFAULT, NAME);
    const url = new URL(`${encodeURIComponent(tenant)}/oauth2/v2.0/token`, authority);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
      scope: SCOPE,
    });
    const type = ['content-type', 'application/x-www-form-urlencoded'] as const;
    const { status, fields } = await ask('POST', url, [type], form.toString());
    if (status !== 200 || typeof fields.access_token !== 'string') {
      throw refused(NAME, 'the login', status);
    }
    return fields.access_token;
  };
  const headers = async (): Promise<[string, string][]> => {
    token ??= login();
    return [
      ['authorization', `Bearer ${await token}`],
      ['content-type', 'application/json'],
    ];
  };
  const urlOf = (name: string, version?: string): URL => {
    const path = ['secrets', name, ...(version ? [version] : [])].map(encodeURIComponent).join('/');
    const url = new URL(path, base);
    url.searchParams.set('api-version', API_VERSION);
    return url;
  };
  return {
    async get({ name, version }) {
      const { status, fields } = await ask('GET', urlOf(name, version), await headers());
      if (status === 404) throw missingSecret(NAME, name);
      if (status !== 200) throw refused(NAME, `reading ${name}`, status);
      if (typeof fields.value !== 'string') throw missingSecret(NAME, name);
      return fields.value;
    },
    async set({ name }, values) {
      const [value, ...more] = Object.values(values);
      if (value === undefined || more.length > 0) {
        throw fail('VAULT_CONFIG_INVALID', 'a secret of Azure Key Vault holds one value');
      }
      const body = JSON.stringify({ value });
      const { status } = await ask('PUT', urlOf(name), await headers(), body);
      if (status !== 200) throw refused(NAME, `writing ${name}`, status);
    },
  };
}
