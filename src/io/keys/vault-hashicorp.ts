/** HashiCorp Vault over its HTTP API: version 2 key-value engines, by token or AppRole. */
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
  let token: Promise<string> | undefined;
  const login = async (): Promise<string> => {
    if (!role || !secret) return given!;
    const path = `v1/auth/${pathOf(config.approlePath ?? APPROLE_DEFAULT)}/login`;
    const body = JSON.stringify({ role_id: role, secret_id: secret });
    const { status, fields } = await ask('POST', new URL(path, base), [JSON_BODY], body);
    const auth = fields.auth as { client_token?: unknown } | undefined;
    if (status !== 200 || typeof auth?.client_token !== 'string') {
      throw refused(NAME, 'the AppRole login', status);
    }
    return auth.client_token;
  };
  const headers = async (): Promise<[string, string][]> => {
    token ??= login();
    return [['X-Vault-Token', await token], JSON_BODY];
  };
  return {
    async get({ name, engine = 'secret', field = 'value', version }) {
      const url = dataUrl(base, { name, engine });
      if (version !== undefined) url.searchParams.set('version', version);
      const { status, fields } = await ask('GET', url, await headers());
      if (status === 404) throw missingSecret(NAME, `${engine}/${name}`);
      if (status !== 200) throw refused(NAME, `reading ${engine}/${name}`, status);
      const data = (fields.data as { data?: Record<string, unknown> | null } | undefined)?.data;
      const value = data && Object.hasOwn(data, field) ? data[field] : undefined;
      if (typeof value !== 'string') throw missingSecret(NAME, `${engine}/${name}, id ${field}`);
      return value;
    },
    async set(secretName, values) {
      const body = JSON.stringify({ data: values });
      const { status } = await ask('POST', dataUrl(base, secretName), await headers(), body);
      if (status !== 200 && status !== 204) {
        throw refused(NAME, `writing ${secretName.name} (is it a version 2 engine?)`, status);
      }
    },
  };
}

const JSON_BODY: [string, string] = ['content-type', 'application/json'];

function dataUrl(base: URL, { name, engine = 'secret' }: SecretName): URL {
  return new URL(`v1/${pathOf(engine)}/data/${pathOf(name)}`, base);
}

/** Names may hold slashes. */
function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
