/** AWS Secrets Manager over its JSON interface. */
import { randomUUID } from 'node:crypto';
import { fail } from '../../core/base/errors.ts';
import { type AwsCall, type AwsService, awsCalls, awsErrorKind, awsRefused } from './aws-client.ts';
import type { AwsCredentials } from './aws-signature.ts';
import {
  type KeyVault,
  missingCredentials,
  missingSecret,
  type VaultConfig,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

export const SECRETS_MANAGER: AwsService = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  title: 'AWS Secrets Manager',
};
const NAME = SECRETS_MANAGER.title;

export function openAwsVault(
  config: VaultConfig,
  env: VaultEnv,
  ask: VaultRequest,
  now: () => Date,
): KeyVault {
  const credentials = credentialsOf(env);
  const call = awsCalls({
    service: SECRETS_MANAGER,
    region: credentials.region,
    endpoint: config.url,
    credentials: () => credentials,
    ask,
    now,
  });
  return {
    get: ({ name, version }) => readAwsSecret(call, name, version),
    async set({ name }, values) {
      const [value, ...more] = Object.values(values);
      if (value === undefined || more.length > 0) {
        throw fail(
          'VAULT_CONFIG_INVALID',
          'each key in AWS Secrets Manager must be a separate secret',
        );
      }
      const content = { SecretString: value, ClientRequestToken: randomUUID() };
      const made = await call('CreateSecret', { Name: name, ...content });
      if (made.status === 200) return;
      if (awsErrorKind(made) !== 'ResourceExistsException') {
        throw awsRefused(SECRETS_MANAGER, `writing ${name}`, made);
      }
      const put = await call('PutSecretValue', { SecretId: name, ...content });
      if (put.status !== 200) throw awsRefused(SECRETS_MANAGER, `writing ${name}`, put);
    },
  };
}

/** Throws VAULT_SECRET_MISSING or VAULT_REFUSED. */
export async function readAwsSecret(
  call: AwsCall,
  name: string,
  version?: string,
): Promise<string> {
  const body = { SecretId: name, ...(version ? { VersionId: version } : {}) };
  const answer = await call('GetSecretValue', body);
  if (awsErrorKind(answer) === 'ResourceNotFoundException') throw missingSecret(NAME, name);
  if (answer.status !== 200) throw awsRefused(SECRETS_MANAGER, `reading ${name}`, answer);
  const value = answer.fields.SecretString;
  if (typeof value !== 'string') throw missingSecret(NAME, name);
  return value;
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
