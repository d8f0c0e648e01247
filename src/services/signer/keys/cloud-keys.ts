/** Keys of vaults and clouds: fetched, or used where they are to sign. */
import { KMS, kmsKeys, kmsPublicKey, kmsSign } from '../../../io/keys/aws-kms.ts';
import { azureKey, azureKeyNames, azureSign } from '../../../io/keys/azure-keys.ts';
import { gcpKeyUrl, gcpPublicKey, gcpSign } from '../../../io/keys/gcp-kms.ts';
import { type FailureSink, RemoteSigner } from '../../../io/keys/key-signer.ts';
import { openPkcs11 } from '../../../io/keys/pkcs11.ts';
import { readAwsSecret, SECRETS_MANAGER } from '../../../io/keys/vault-aws.ts';
import { readAzureSecret } from '../../../io/keys/vault-azure.ts';
import { readHashicorpPath } from '../../../io/keys/vault-hashicorp.ts';
import { type Clouds, firstLine } from './clouds.ts';
import { identityOf } from './connections.ts';
import type {
  AwsKmsKey,
  AwsSecretKey,
  AzureRemoteKey,
  AzureSecretKey,
  GcpKmsKey,
  HashicorpKey,
  Pkcs11Key,
} from './key-config.ts';
import type { LoadedKey } from './key-ring.ts';
import type { AwsFilter, AzureFilter } from './settings.ts';

export type SecretConfig = HashicorpKey | AzureSecretKey | AwsSecretKey;
export type RemoteConfig = AzureRemoteKey | AwsKmsKey | GcpKmsKey | Pkcs11Key;

/** Fetches the key's text. */
export async function fetchSecret(config: SecretConfig, clouds: Clouds): Promise<string> {
  switch (config.kind) {
    case 'hashicorp': {
      const { session, base } = clouds.hashicorp(config);
      const url = new URL(config.keyPath.replace(/^\/+/, ''), base);
      return readHashicorpPath(session, url, config.keyName);
    }
    case 'azureSecret': {
      const { login, base } = clouds.azure(config.access);
      return readAzureSecret(login, base, config.secretName);
    }
    case 'awsSecret':
      return readAwsSecret(clouds.aws(SECRETS_MANAGER, config.access), config.secretName);
  }
}

/** Fetches the public key from the service that holds the key. */
export async function openRemote(
  config: RemoteConfig,
  clouds: Clouds,
  onFailure: FailureSink,
): Promise<LoadedKey> {
  const identity = identityOf(config.kind, config);
  switch (config.kind) {
    case 'awsKms': {
      const call = clouds.aws(KMS, config.access);
      const publicKey = await kmsPublicKey(call, config.keyId);
      const sign = (digest: Uint8Array) => kmsSign(call, config.keyId, digest);
      return { identity, signer: new RemoteSigner(publicKey, sign, onFailure) };
    }
    case 'azureKey': {
      const { login, base } = clouds.azure(config.access);
      const key = await azureKey(login, base, config.keyName, config.keyVersion);
      const sign = (digest: Uint8Array) => azureSign(login, key, digest);
      return {
        identity: `${identity}${key.url.pathname}`,
        signer: new RemoteSigner(key.publicKey, sign, onFailure),
      };
    }
    case 'gcpKms': {
      const login = clouds.gcp(config);
      const key = gcpKeyUrl(config.endpoint, config.keyVersionName);
      const publicKey = await gcpPublicKey(login, key);
      const sign = (digest: Uint8Array) => gcpSign(login, key, digest);
      return { identity, signer: new RemoteSigner(publicKey, sign, onFailure) };
    }
    case 'pkcs11':
      return openModule(config, clouds, identity, onFailure);
  }
}

async function openModule(
  config: Pkcs11Key,
  clouds: Clouds,
  identity: string,
  onFailure: FailureSink,
): Promise<LoadedKey> {
  const { opened } = clouds.connections.get('pkcs11', config, () => {
    const pin = async () =>
      config.pinPath === undefined ? config.pin : await firstLine(config.pinPath);
    const opening = openPkcs11({ ...config, pin }, clouds.parts.load);
    const close = () => void opening.then((signer) => signer.close()).catch(() => undefined);
    return { opened: opening, close };
  });
  try {
    const { publicKey, sign } = await opened;
    return { identity, signer: new RemoteSigner(publicKey, sign, onFailure) };
  } catch (error) {
    clouds.connections.drop('pkcs11', config);
    throw error;
  }
}

/** All keys of a vault with these tags, as one configuration each. */
export async function listAzureKeys(
  { access, tags }: AzureFilter,
  clouds: Clouds,
): Promise<AzureRemoteKey[]> {
  const { login, base } = clouds.azure(access);
  const names = await azureKeyNames(login, base, tags);
  return names.map((keyName) => ({ kind: 'azureKey', access, keyName }));
}

/** All keys of a region with these tags, as one configuration each. */
export async function listKmsKeys(
  { access, tags }: AwsFilter,
  clouds: Clouds,
): Promise<AwsKmsKey[]> {
  const keyIds = await kmsKeys(clouds.aws(KMS, access), tags);
  return keyIds.map((keyId) => ({ kind: 'awsKms', access, keyId }));
}
