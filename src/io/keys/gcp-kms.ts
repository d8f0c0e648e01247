/**
 * Google Cloud KMS: keys that sign remotely. The login uses a service account's key or Google's own
 * package.
 */
import { createSign } from 'node:crypto';
import type { Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import { signatureOfDer } from '../../core/signing/remote-signature.ts';
import { type LoadPackage, optionalPackage } from '../host/optional-package.ts';
import { BearerSession, type BearerToken, heldUntil, tokenOf } from './bearer-session.ts';
import { publicKeyOfPem } from './remote-public-key.ts';
import { readSmallFile } from './secret-key.ts';
import {
  baseUrl,
  refused,
  type VaultAnswer,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

const NAME = 'Google Cloud KMS';
const ENDPOINT_DEFAULT = 'https://cloudkms.googleapis.com/';
const TOKEN_URI_DEFAULT = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloudkms';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const PACKAGE = 'google-auth-library';
const ALGORITHM = 'EC_SIGN_SECP256K1_SHA256';
const LIFE_SECONDS = 3600;
const CREDENTIALS_BYTES_MAX = 64 * 1024;
const KEY_VERSION =
  /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+\/cryptoKeyVersions\/[^/]+$/;

interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: string;
  readonly tokenUri: string;
}

export interface GcpLoginParts {
  /** File with a service account's key; undefined: application default credentials. */
  readonly credentialsPath: string | undefined;
  readonly ask: VaultRequest;
  readonly env: VaultEnv;
  readonly clock: Clock;
  readonly load?: LoadPackage | undefined;
}

/** Tokens of one identity. */
export class GcpLogin {
  private readonly parts: GcpLoginParts;
  private readonly session: BearerSession;

  constructor(parts: GcpLoginParts) {
    this.parts = parts;
    const { ask, clock } = parts;
    this.session = new BearerSession({ ask, clock, login: () => this.obtain() });
  }

  /** Sends a request with the token. */
  request(method: string, url: URL, body?: string): Promise<VaultAnswer> {
    return this.session.request(method, url, body);
  }

  private async obtain(): Promise<BearerToken> {
    const { credentialsPath, env, load, clock } = this.parts;
    const path = credentialsPath ?? env.GOOGLE_APPLICATION_CREDENTIALS;
    const account = path ? await readAccount(path) : undefined;
    if (account) return this.ofAccount(account);
    const purpose = "Google credentials other than a service account's key";
    const { GoogleAuth } = (await optionalPackage(PACKAGE, purpose, load)) as GoogleAuthPackage;
    const options = { scopes: [SCOPE], ...(path ? { keyFilename: path } : {}) };
    // The package keeps its token and renews it, so it is not kept here.
    const found = await new GoogleAuth(options).getAccessToken().catch((cause: unknown) => {
      throw fail('VAULT_REFUSED', `${NAME}: no credentials were found or they are refused`, {
        cause,
      });
    });
    if (!found) throw fail('VAULT_REFUSED', `${NAME}: no credentials were found`);
    return heldUntil(found, clock.nowMs() + (LIFE_SECONDS / 2) * 1000);
  }

  private async ofAccount(account: ServiceAccount): Promise<BearerToken> {
    const url = baseUrl(account.tokenUri, NAME);
    const form = new URLSearchParams({
      grant_type: GRANT,
      assertion: assertion(account, Math.floor(this.parts.clock.nowMs() / 1000)),
    });
    const type = ['content-type', 'application/x-www-form-urlencoded'] as const;
    const at = new URL(url.href.replace(/\/$/, ''));
    return tokenOf(
      await this.parts.ask('POST', at, [type], form.toString()),
      NAME,
      this.parts.clock,
    );
  }
}

interface GoogleAuthPackage {
  readonly GoogleAuth: new (
    options: object,
  ) => {
    getAccessToken(): Promise<string | null | undefined>;
  };
}

/** Returns undefined for credentials of another kind. Throws VAULT_CONFIG_INVALID. */
async function readAccount(path: string): Promise<ServiceAccount | undefined> {
  const text = (await readSmallFile(path, CREDENTIALS_BYTES_MAX)).toString('utf8');
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw fail('VAULT_CONFIG_INVALID', `${path} is not a Google credentials file`);
  }
  if (fields?.type !== 'service_account') return undefined;
  const { client_email: email, private_key: privateKey, token_uri: uri } = fields;
  if (typeof email !== 'string' || typeof privateKey !== 'string') {
    throw fail('VAULT_CONFIG_INVALID', `${path} lacks client_email or private_key`);
  }
  return {
    email,
    privateKey,
    keyId: typeof fields.private_key_id === 'string' ? fields.private_key_id : undefined,
    tokenUri: typeof uri === 'string' ? uri : TOKEN_URI_DEFAULT,
  };
}

/** The assertion of RFC 7523, signed with RS256. */
function assertion({ email, keyId, privateKey, tokenUri }: ServiceAccount, now: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId ? { kid: keyId } : {}) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + LIFE_SECONDS };
  const signed = `${part(header)}.${part(claims)}`;
  try {
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  } catch {
    throw fail('VAULT_CONFIG_INVALID', `${NAME}: the private key of ${email} cannot be used`);
  }
}

/** Throws VAULT_CONFIG_INVALID. */
export function gcpKeyUrl(endpoint: string | undefined, keyVersionName: string): URL {
  if (!KEY_VERSION.test(keyVersionName)) {
    throw fail(
      'VAULT_CONFIG_INVALID',
      `${NAME}: a key must be named projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/V`,
    );
  }
  const path = keyVersionName.split('/').map(encodeURIComponent).join('/');
  return new URL(`v1/${path}`, baseUrl(endpoint ?? ENDPOINT_DEFAULT, NAME));
}

/** The public key, 64 bytes. Throws VAULT_REFUSED, KEY_CURVE_UNSUPPORTED. */
export async function gcpPublicKey(login: GcpLogin, key: URL): Promise<Uint8Array> {
  const { status, fields } = await login.request('GET', new URL(`${key.pathname}/publicKey`, key));
  if (status !== 200) throw refused(NAME, 'the public key', status);
  if (fields.algorithm !== ALGORITHM || typeof fields.pem !== 'string') {
    throw fail('KEY_CURVE_UNSUPPORTED', `${NAME}: the key is not of algorithm ${ALGORITHM}`);
  }
  return publicKeyOfPem(fields.pem);
}

/** The signature, r ‖ s. */
export async function gcpSign(login: GcpLogin, key: URL, digest: Hash32): Promise<Uint8Array> {
  const url = new URL(`${key.pathname}:asymmetricSign`, key);
  const body = JSON.stringify({ digest: { sha256: Buffer.from(digest).toString('base64') } });
  const { status, fields } = await login.request('POST', url, body);
  if (status !== 200) throw refused(NAME, 'a signature', status);
  return signatureOfDer(Buffer.from(String(fields.signature), 'base64'));
}
