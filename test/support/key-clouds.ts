/**
 * Simulated cloud services and vaults that hold signing keys. They check what real ones check:
 * signatures, tokens, tags, pages.
 */
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { jwtVerify } from 'jose';

export type Reply = readonly [status: number, body: unknown];
type Handle = (request: IncomingMessage, url: URL, body: string) => Reply | Promise<Reply>;

export interface StandIn {
  readonly url: string;
  /** The requests in order, as `METHOD /path` or the operation's name. */
  readonly asked: string[];
  close(): void;
}

async function listen(
  handle: Handle,
  asked: string[] = [],
  tls?: { readonly key: string; readonly cert: string },
): Promise<StandIn> {
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, 'http://stand-in');
    const [status, body] = await handle(request, url, Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface CloudKey {
  readonly name: string;
  readonly secretKey: Uint8Array;
  readonly enabled?: boolean;
  readonly tags?: Readonly<Record<string, string>>;
  /** The key is on another curve, so it cannot be used. */
  readonly isForeign?: boolean;
}

const SPKI_PREFIX = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

function spki({ secretKey }: CloudKey): Buffer {
  return Buffer.concat([SPKI_PREFIX, secp256k1.getPublicKey(secretKey, false)]);
}

/** Half of all signatures have a high s, like those of real clouds. */
function signDigest(digest: Uint8Array, { secretKey }: CloudKey, format: 'der' | 'compact') {
  return secp256k1.sign(digest, secretKey, {
    prehash: false,
    lowS: false,
    extraEntropy: true,
    format,
  });
}

// --- AWS ----------------------------------------------------------------------------------------------------------

export interface AwsAccount {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly keys: readonly CloudKey[];
  readonly secrets?: Readonly<Record<string, string>>;
  /** The number of requests that are answered as throttled first. */
  throttles?: number;
}

/** KMS and Secrets Manager of one account. */
export function awsStandIn(account: AwsAccount): Promise<StandIn> {
  const asked: string[] = [];
  return listen((request, _url, body) => {
    const target = String(request.headers['x-amz-target']);
    const operation = target.split('.')[1]!;
    asked.push(operation);
    const service = target.startsWith('TrentService.') ? 'kms' : 'secretsmanager';
    if (!isSigned(request, body, service, account)) {
      return [400, { __type: 'com.amazon.coral.service#InvalidSignatureException' }];
    }
    if (account.throttles) {
      account.throttles -= 1;
      return [400, { __type: 'ThrottlingException' }];
    }
    return awsAnswer(operation, JSON.parse(body), account);
  }, asked);
}

/** Computes Signature Version 4 from the received request. */
function isSigned(
  request: IncomingMessage,
  body: string,
  service: string,
  { accessKeyId, secretAccessKey, sessionToken, region }: AwsAccount,
): boolean {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (!parts) return false;
  const [, id, day, place, name, signedHeaders, signature] = parts as unknown as string[];
  const time = String(request.headers['x-amz-date']);
  const names = signedHeaders!.split(';');
  const isComplete = ['host', 'x-amz-date', 'x-amz-target'].every((each) => names.includes(each));
  if (id !== accessKeyId || place !== region || name !== service || !isComplete) return false;
  if (request.headers['x-amz-security-token'] !== sessionToken) return false;
  const at = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  if (!time.startsWith(day!) || Math.abs(Date.now() - Date.parse(at)) > 300_000) return false;
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
  const headers = names.map((each) => `${each}:${String(request.headers[each]).trim()}\n`).join('');
  const canonical = `${request.method}\n${request.url}\n\n${headers}\n${signedHeaders}\n${hash(body)}`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${hash(canonical)}`;
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [day!, region, service, 'aws4_request', toSign]) {
    key = createHmac('sha256', key).update(part).digest();
  }
  return timingSafeEqual(key, Buffer.from(signature!, 'hex'));
}

function awsAnswer(operation: string, fields: Record<string, unknown>, account: AwsAccount): Reply {
  if (operation === 'ListKeys') {
    const from = Number(fields.Marker ?? 0);
    const page = account.keys.slice(from, from + 2).map(({ name }) => ({ KeyId: name }));
    const isMore = from + 2 < account.keys.length;
    return [
      200,
      { Keys: page, Truncated: isMore, ...(isMore ? { NextMarker: `${from + 2}` } : {}) },
    ];
  }
  if (operation === 'GetSecretValue') {
    const value = account.secrets?.[String(fields.SecretId)];
    if (value === undefined) return [400, { __type: 'ResourceNotFoundException' }];
    return [200, { SecretString: value }];
  }
  const key = account.keys.find(({ name }) => name === fields.KeyId);
  if (!key) return [400, { __type: 'com.amazonaws#NotFoundException' }];
  const KeySpec = key.isForeign ? 'ECC_NIST_P256' : 'ECC_SECG_P256K1';
  switch (operation) {
    case 'DescribeKey':
      return [
        200,
        { KeyMetadata: { KeySpec, KeyState: key.enabled === false ? 'Disabled' : 'Enabled' } },
      ];
    case 'ListResourceTags': {
      const all = Object.entries(key.tags ?? {});
      return [
        200,
        { Tags: all.map(([TagKey, TagValue]) => ({ TagKey, TagValue })), Truncated: false },
      ];
    }
    case 'GetPublicKey':
      return [200, { KeySpec, PublicKey: spki(key).toString('base64') }];
    case 'Sign': {
      const digest = Buffer.from(String(fields.Message), 'base64');
      const isGood =
        fields.MessageType === 'DIGEST' &&
        fields.SigningAlgorithm === 'ECDSA_SHA_256' &&
        digest.length === 32;
      if (!isGood) return [400, { __type: 'ValidationException' }];
      const Signature = Buffer.from(signDigest(digest, key, 'der')).toString('base64');
      return [200, { Signature, SigningAlgorithm: 'ECDSA_SHA_256' }];
    }
    default:
      return [400, { __type: 'UnknownOperationException' }];
  }
}

// --- Azure --------------------------------------------------------------------------------------------------------

export interface AzureTenant {
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly keys: readonly CloudKey[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly curveName?: string;
}

/**
 * A key vault, its tenant's login, and the machine's metadata service. `forget` invalidates all
 * tokens.
 */
export async function azureStandIn(tenant: AzureTenant): Promise<StandIn & { forget(): void }> {
  const asked: string[] = [];
  const tokens = new Set<string>();
  const newToken = (): Reply => {
    const token = randomBytes(16).toString('hex');
    tokens.add(token);
    return [200, { access_token: token, expires_in: 3599, token_type: 'Bearer' }];
  };
  let base = '';
  const standIn = await listen((request, url, body) => {
    asked.push(`${request.method} ${url.pathname}`);
    if (url.pathname === `/${tenant.tenant}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(body);
      const isGood =
        form.get('grant_type') === 'client_credentials' &&
        form.get('client_id') === tenant.clientId &&
        form.get('client_secret') === tenant.clientSecret &&
        form.get('scope') === 'https://vault.azure.net/.default';
      return isGood ? newToken() : [401, { error: 'invalid_client' }];
    }
    if (url.pathname === '/metadata/identity/oauth2/token') {
      const isGood =
        request.headers.metadata === 'true' &&
        url.searchParams.get('resource') === 'https://vault.azure.net' &&
        [null, tenant.clientId].includes(url.searchParams.get('client_id'));
      return isGood ? newToken() : [400, { error: 'invalid_request' }];
    }
    const token = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!token || !tokens.has(token)) return [401, { error: { code: 'Unauthorized' } }];
    if (!/^7\.\d$/.test(url.searchParams.get('api-version') ?? '')) return [400, {}];
    return azureAnswer(request.method!, url, body, tenant, base);
  }, asked);
  base = standIn.url;
  return { ...standIn, forget: () => tokens.clear() };
}

function azureAnswer(
  method: string,
  url: URL,
  body: string,
  tenant: AzureTenant,
  base: string,
): Reply {
  const [, kind, name, version, verb] = url.pathname.split('/');
  if (kind === 'secrets') {
    const value = tenant.secrets?.[name!];
    return value === undefined ? [404, { error: {} }] : [200, { value }];
  }
  if (name === undefined) {
    const from = Number(url.searchParams.get('$skiptoken') ?? 0);
    const value = tenant.keys.slice(from, from + 2).map((key) => ({
      kid: `${base}/keys/${key.name}`,
      attributes: { enabled: key.enabled !== false },
      tags: key.tags,
    }));
    const next = `${base}/keys?api-version=7.4&$skiptoken=${from + 2}`;
    return [200, { value, nextLink: from + 2 < tenant.keys.length ? next : null }];
  }
  const key = tenant.keys.find((each) => each.name === name);
  if (!key || (version !== undefined && version !== 'v1')) return [404, { error: {} }];
  const crv = key.isForeign ? 'P-256' : (tenant.curveName ?? 'P-256K');
  if (verb === 'sign' && method === 'POST') {
    const { alg, value } = JSON.parse(body) as { alg: string; value: string };
    const digest = Buffer.from(value, 'base64url');
    const wanted = crv === 'SECP256K1' ? 'ECDSA256' : 'ES256K';
    if (alg !== wanted || digest.length !== 32 || /[+/=]/.test(value)) return [400, {}];
    const signature = Buffer.from(signDigest(digest, key, 'compact')).toString('base64url');
    return [200, { kid: `${base}/keys/${name}/v1`, value: signature }];
  }
  const point = Buffer.from(secp256k1.getPublicKey(key.secretKey, false));
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return [
    200,
    { key: { kid: `https://real.vault.azure.net/keys/${name}/v1`, kty: 'EC', crv, x, y } },
  ];
}

// --- Google -------------------------------------------------------------------------------------------------------

export interface GcpProject {
  readonly email: string;
  readonly publicKey: KeyObject;
  /** By key version name. */
  readonly keys: readonly CloudKey[];
}

/** Cloud KMS, and the login of service accounts at /token. */
export async function gcpStandIn(project: GcpProject): Promise<StandIn & { forget(): void }> {
  const asked: string[] = [];
  const tokens = new Set<string>();
  let base = '';
  const standIn = await listen(async (request, url, body) => {
    const path = decodeURIComponent(url.pathname);
    asked.push(`${request.method} ${path}`);
    if (path === '/token') {
      const form = new URLSearchParams(body);
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
        return [400, {}];
      try {
        const { payload } = await jwtVerify(form.get('assertion') ?? '', project.publicKey, {
          issuer: project.email,
          audience: `${base}/token`,
          algorithms: ['RS256'],
          maxTokenAge: '1h',
          requiredClaims: ['exp', 'iat', 'scope'],
        });
        if (payload.scope !== 'https://www.googleapis.com/auth/cloudkms') return [400, {}];
      } catch {
        return [400, { error: 'invalid_grant' }];
      }
      const token = randomBytes(16).toString('hex');
      tokens.add(token);
      return [200, { access_token: token, expires_in: 3599, token_type: 'Bearer' }];
    }
    const token = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!token || !tokens.has(token)) return [401, { error: { status: 'UNAUTHENTICATED' } }];
    const [, name, verb] = /^\/v1\/(.*?)(\/publicKey|:asymmetricSign)$/.exec(path) ?? [];
    const key = project.keys.find((each) => each.name === name);
    if (!key) return [404, { error: { status: 'NOT_FOUND' } }];
    if (verb === '/publicKey') return [200, gcpPublicKey(key)];
    const digest = Buffer.from(JSON.parse(body).digest.sha256, 'base64');
    if (digest.length !== 32) return [400, {}];
    return [
      200,
      { name, signature: Buffer.from(signDigest(digest, key, 'der')).toString('base64') },
    ];
  }, asked);
  base = standIn.url;
  return { ...standIn, forget: () => tokens.clear() };
}

function gcpPublicKey(key: CloudKey): object {
  if (key.isForeign) return { pem: '', algorithm: 'EC_SIGN_P256_SHA256' };
  const pem = createPublicKey({ key: spki(key), format: 'der', type: 'spki' }).export({
    format: 'pem',
    type: 'spki',
  });
  return { pem, algorithm: 'EC_SIGN_SECP256K1_SHA256' };
}

// --- HashiCorp ----------------------------------------------------------------------------------------------------

/**
 * Version 2 key-value secrets, AppRole and Kubernetes logins, tokens that expire and are renewed.
 */
export async function vaultStandIn(options: {
  readonly rootToken: string;
  readonly roleId: string;
  readonly secretId: string;
  readonly jwt: string;
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly tls?: { readonly key: string; readonly cert: string };
}): Promise<StandIn & { forget(): void }> {
  const asked: string[] = [];
  const tokens = new Set([options.rootToken]);
  const newToken = (): Reply => {
    const token = `hvs.${randomBytes(12).toString('hex')}`;
    tokens.add(token);
    return [200, { auth: { client_token: token, lease_duration: 60, renewable: true } }];
  };
  const standIn = await listen(
    (request, url, body) => {
      const { pathname } = url;
      asked.push(`${request.method} ${pathname}`);
      if (pathname === '/v1/auth/approle/login') {
        const { role_id, secret_id } = JSON.parse(body);
        const isGood = role_id === options.roleId && secret_id === options.secretId;
        return isGood ? newToken() : [400, { errors: ['invalid role or secret ID'] }];
      }
      if (pathname === '/v1/auth/kubernetes/login') {
        const { role, jwt } = JSON.parse(body);
        const isGood = role === 'signer' && jwt === options.jwt;
        return isGood ? newToken() : [403, { errors: ['permission denied'] }];
      }
      const token = String(request.headers['x-vault-token']);
      if (!tokens.has(token)) return [403, { errors: ['permission denied'] }];
      if (pathname === '/v1/auth/token/lookup-self') {
        return [200, { data: { ttl: token === options.rootToken ? 0 : 60, renewable: true } }];
      }
      if (pathname === '/v1/auth/token/renew-self') {
        return [200, { auth: { client_token: token, lease_duration: 60, renewable: true } }];
      }
      const found = options.secrets[pathname];
      return found ? [200, { data: { data: found } }] : [404, { errors: [] }];
    },
    asked,
    options.tls,
  );
  const forget = () => {
    tokens.clear();
    tokens.add(options.rootToken);
  };
  return { ...standIn, forget };
}
