/**
 * Credentials of AWS: given ones, those of the environment, or those that AWS's own package finds
 * (profiles, SSO, containers, instances).
 */
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import { type LoadPackage, optionalPackage } from '../host/optional-package.ts';
import type { AwsCredentials } from './aws-signature.ts';
import type { VaultEnv } from './vault-types.ts';

const PACKAGE = '@aws-sdk/credential-providers';
/** Credentials that expire within this time are renewed. */
const EARLY_MS = 5 * 60_000;

interface ChainCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

interface CredentialProviders {
  readonly fromNodeProviderChain: (options: object) => () => Promise<ChainCredentials>;
}

export interface AwsChainParts {
  readonly region: string;
  readonly env: VaultEnv;
  readonly clock: Clock;
  readonly load?: LoadPackage | undefined;
}

/** Rejects with PACKAGE_MISSING or VAULT_CREDENTIALS_MISSING. */
export function awsCredentialChain({
  region,
  env,
  clock,
  load,
}: AwsChainParts): () => Promise<AwsCredentials> {
  let chain: Promise<() => Promise<ChainCredentials>> | undefined;
  let held: { readonly credentials: AwsCredentials; readonly untilMs: number } | undefined;
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
    if (accessKeyId && secretAccessKey) {
      return { region, accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN };
    }
    if (held && clock.nowMs() < held.untilMs) return held.credentials;
    chain ??= openChain(load);
    chain.catch(() => {
      chain = undefined;
    });
    const provide = await chain;
    const found = await provide().catch((cause: unknown) => {
      throw fail(
        'VAULT_CREDENTIALS_MISSING',
        'AWS: no credentials in the environment, in profiles or from the machine',
        {
          cause,
        },
      );
    });
    const untilMs = found.expiration ? found.expiration.getTime() - EARLY_MS : Infinity;
    const { accessKeyId: id, secretAccessKey: secret, sessionToken } = found;
    held = {
      credentials: { region, accessKeyId: id, secretAccessKey: secret, sessionToken },
      untilMs,
    };
    return held.credentials;
  };
}

async function openChain(load: LoadPackage | undefined): Promise<() => Promise<ChainCredentials>> {
  const purpose = 'AWS credentials other than AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  const { fromNodeProviderChain } = (await optionalPackage(
    PACKAGE,
    purpose,
    load,
  )) as CredentialProviders;
  return fromNodeProviderChain({});
}
