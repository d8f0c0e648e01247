/** Azure Key Vault's keys, which sign remotely, a single one or all of a vault. */
import type { Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { AzureLogin } from './azure-login.ts';
import { publicKeyOfCoordinates } from './remote-public-key.ts';
import { AZURE_API_VERSION, azureUrl } from './vault-azure.ts';
import { refused, type VaultAnswer } from './vault-types.ts';

const NAME = 'Azure Key Vault';
const PAGES_MAX = 10_000;
const TOO_MANY = 429;
const TRIES_MAX = 4;
const RETRY_MS = 200;
/** Names of the curve, the current and the older one, each with its signing algorithm. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  'P-256K': 'ES256K',
  SECP256K1: 'ECDSA256',
};

type Fields = Readonly<Record<string, unknown>>;

export interface AzureKey {
  /** The key's URL in the vault, with name and version. */
  readonly url: URL;
  readonly algorithm: string;
  readonly publicKey: Uint8Array;
}

/** Throws VAULT_REFUSED, VAULT_SECRET_MISSING, KEY_CURVE_UNSUPPORTED. */
export async function azureKey(
  login: AzureLogin,
  base: URL,
  name: string,
  version?: string,
): Promise<AzureKey> {
  const url = azureUrl(base, ['keys', name, ...(version ? [version] : [])]);
  const { status, fields } = await patient(() => login.request('GET', url));
  if (status === 404) {
    throw fail(
      'VAULT_SECRET_MISSING',
      `Keyvault does not contain key with specified parameters: ${name}`,
    );
  }
  if (status !== 200) throw refused(NAME, `reading the key ${name}`, status);
  const { kid, crv, x, y } = (fields.key ?? {}) as Fields;
  const algorithm = typeof crv === 'string' && Object.hasOwn(ALGORITHMS, crv) && ALGORITHMS[crv];
  if (!algorithm) throw fail('KEY_CURVE_UNSUPPORTED', 'Remote key has unsupported curve name');
  return { url: ownUrl(base, kid), algorithm, publicKey: publicKeyOfCoordinates(x, y) };
}

/**
 * The vault returns the key's URL; a URL outside the vault would receive our token, so only its
 * path is used.
 */
function ownUrl(base: URL, kid: unknown): URL {
  const path = typeof kid === 'string' && URL.canParse(kid) ? new URL(kid).pathname : undefined;
  if (path?.startsWith('/keys/')) return new URL(path, base);
  throw fail('VAULT_FAILED', `${NAME} names a key in a way that is not understood`);
}

/** The signature, r ‖ s. */
export async function azureSign(
  login: AzureLogin,
  { url, algorithm }: AzureKey,
  digest: Hash32,
): Promise<Uint8Array> {
  const at = new URL(`${url.pathname}/sign`, url);
  at.searchParams.set('api-version', AZURE_API_VERSION);
  const value = Buffer.from(digest).toString('base64url');
  const body = JSON.stringify({ alg: algorithm, value });
  const { status, fields } = await patient(() => login.request('POST', at, body));
  if (status !== 200) throw refused(NAME, 'a signature', status);
  return new Uint8Array(Buffer.from(String(fields.value), 'base64url'));
}

/** Names of all enabled keys with all of `tags`. */
export async function azureKeyNames(
  login: AzureLogin,
  base: URL,
  tags: Readonly<Record<string, string>>,
): Promise<string[]> {
  const names: string[] = [];
  let url = azureUrl(base, ['keys']);
  for (let page = 0; page < PAGES_MAX; page++) {
    const { status, fields } = await patient(() => login.request('GET', url));
    if (status !== 200) throw refused(NAME, 'the list of keys', status);
    for (const row of Array.isArray(fields.value) ? (fields.value as Fields[]) : []) {
      const name = wantedName(row, tags);
      if (name !== undefined) names.push(name);
    }
    const { nextLink } = fields;
    if (typeof nextLink !== 'string' || nextLink === '') return names;
    const next = new URL(nextLink, base);
    url = new URL(next.pathname + next.search, base);
  }
  throw fail('VAULT_FAILED', `${NAME}: more than ${PAGES_MAX} pages of keys`);
}

function wantedName(row: Fields, tags: Readonly<Record<string, string>>): string | undefined {
  const { enabled } = (row.attributes ?? {}) as Fields;
  const own = (row.tags ?? {}) as Fields;
  if (enabled === false) return undefined;
  if (!Object.entries(tags).every(([name, value]) => own[name] === value)) return undefined;
  const name = typeof row.kid === 'string' ? /\/keys\/([^/]+)/.exec(row.kid)?.[1] : undefined;
  return name && decodeURIComponent(name);
}

/** Retries requests, because the vault limits their rate. */
async function patient(ask: () => Promise<VaultAnswer>): Promise<VaultAnswer> {
  for (let tried = 1; ; tried++) {
    const answer = await ask();
    const isBusy = answer.status === TOO_MANY || answer.status >= 500;
    if (!isBusy || tried === TRIES_MAX) return answer;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** tried * Math.random()));
  }
}
