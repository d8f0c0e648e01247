/** AWS Secrets Manager over its JSON API, signed with Signature Version 4. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { fail } from '../../core/base/errors.ts';
import {
  baseUrl,
  type KeyVault,
  missingCredentials,
  missingSecret,
  refused,
  type VaultAnswer,
  type VaultConfig,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

const NAME = 'AWS Secrets Manager';
const SERVICE = 'secretsmanager';
const ALGORITHM = 'AWS4-HMAC-SHA256';
const CONTENT_TYPE = 'application/x-amz-json-1.1';

export interface AwsCredentials {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export function openAwsVault(
  config: VaultConfig,
  env: VaultEnv,
  ask: VaultRequest,
  now: () => Date,
): KeyVault {
  const credentials = credentialsOf(env);
  const regional = `https://${SERVICE}.${credentials.region}.amazonaws.com/`;
  const url = baseUrl(config.url ?? regional, NAME);
  const call = (operation: string, body: object): Promise<VaultAnswer> => {
    const text = JSON.stringify(body);
    const headers: Record<string, string> = {
      'content-type': CONTENT_TYPE,
      host: url.host,
      'x-amz-target': `${SERVICE}.${operation}`,
    };
    const signed = signV4('POST', url, headers, text, SERVICE, credentials, now());
    return ask('POST', url, Object.entries(signed), text);
  };
  return {
    async get({ name, version }) {
      const body = { SecretId: name, ...(version ? { VersionId: version } : {}) };
      const { status, fields } = await call('GetSecretValue', body);
      if (isKind(fields, 'ResourceNotFoundException')) throw missingSecret(NAME, name);
      if (status !== 200) throw refused(NAME, `reading ${name}`, status);
      if (typeof fields.SecretString !== 'string') throw missingSecret(NAME, name);
      return fields.SecretString;
    },
    async set({ name }, values) {
      const [value, ...more] = Object.values(values);
      if (value === undefined || more.length > 0) {
        throw fail('VAULT_CONFIG_INVALID', 'a key in AWS Secrets Manager is a secret of its own');
      }
      const content = { SecretString: value, ClientRequestToken: randomUUID() };
      const made = await call('CreateSecret', { Name: name, ...content });
      if (made.status === 200) return;
      if (!isKind(made.fields, 'ResourceExistsException')) {
        throw refused(NAME, `writing ${name}`, made.status);
      }
      const put = await call('PutSecretValue', { SecretId: name, ...content });
      if (put.status !== 200) throw refused(NAME, `writing ${name}`, put.status);
    },
  };
}

function credentialsOf(env: VaultEnv): AwsCredentials {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (!AWS_REGION || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw missingCredentials(NAME, 'AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  return {
    region: AWS_REGION,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
}

/** The headers with `x-amz-date` and `authorization`. `headers` have lower-case names, `host` among them. */
export function signV4(
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  service: string,
  credentials: AwsCredentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = { ...headers, 'x-amz-date': time };
  if (credentials.sessionToken) all['x-amz-security-token'] = credentials.sessionToken;
  const names = Object.keys(all).sort();
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${all[name]!.trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = `${day}/${credentials.region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = [day, credentials.region, service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  all.authorization =
    `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, ` +
    `SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return all;
}

function isKind(fields: VaultAnswer['fields'], kind: string): boolean {
  const type = fields.__type;
  return typeof type === 'string' && type.split('#').at(-1) === kind;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
