/**
 * Keys of the manager in key vaults: their names in a Tessera configuration, reading and creating
 * them (Tessera KeyConfiguration).
 */
import { fromBase64, toBase64 } from '../../../core/base/base64.ts';
import { fail } from '../../../core/base/errors.ts';
import { openVault } from '../../../io/keys/vault.ts';
import {
  type SecretName,
  VAULT_TYPES,
  type VaultConfig,
  type VaultEnv,
  type VaultType,
} from '../../../io/keys/vault-types.ts';
import type { OwnKey } from '../manager/enclave.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface VaultKey {
  readonly vault: VaultConfig;
  readonly publicKey: SecretName;
  readonly privateKey: SecretName;
}

/** Undefined when the entry names no vault. Throws PTM_CONFIG_INVALID. */
export function parseVaultKey(data: Fields, keys: Fields, name: string): VaultKey | undefined {
  const text = (field: string): string => {
    const value = data[field];
    if (typeof value === 'string' && value !== '') return value;
    throw invalid(`${name}.${field} is missing`);
  };
  const optional = (field: string) => (data[field] === undefined ? undefined : String(data[field]));
  if ('hashicorpVaultPublicKeyId' in data || 'hashicorpVaultPrivateKeyId' in data) {
    const secret = {
      engine: text('hashicorpVaultSecretEngineName'),
      name: text('hashicorpVaultSecretName'),
      version: optional('hashicorpVaultSecretVersion'),
    };
    return {
      vault: vaultConfig(keys, 'HASHICORP'),
      publicKey: { ...secret, field: text('hashicorpVaultPublicKeyId') },
      privateKey: { ...secret, field: text('hashicorpVaultPrivateKeyId') },
    };
  }
  if ('azureVaultPublicKeyId' in data || 'azureVaultPrivateKeyId' in data) {
    return {
      vault: vaultConfig(keys, 'AZURE'),
      publicKey: {
        name: text('azureVaultPublicKeyId'),
        version: optional('azureVaultPublicKeyVersion'),
      },
      privateKey: {
        name: text('azureVaultPrivateKeyId'),
        version: optional('azureVaultPrivateKeyVersion'),
      },
    };
  }
  if ('awsSecretsManagerPublicKeyId' in data || 'awsSecretsManagerPrivateKeyId' in data) {
    return {
      vault: vaultConfig(keys, 'AWS'),
      publicKey: { name: text('awsSecretsManagerPublicKeyId') },
      privateKey: { name: text('awsSecretsManagerPrivateKeyId') },
    };
  }
  return undefined;
}

/** `keys.keyVaultConfigs`, or the older single entries. Throws PTM_CONFIG_INVALID. */
function vaultConfig(keys: Fields, type: VaultType): VaultConfig {
  const older: Readonly<Record<VaultType, string>> = {
    HASHICORP: 'hashicorpKeyVaultConfig',
    AZURE: 'azureKeyVaultConfig',
    AWS: 'awsKeyVaultConfig',
  };
  const list = (Array.isArray(keys.keyVaultConfigs) ? keys.keyVaultConfigs : []) as Fields[];
  const entry = list.find((one) => String(one?.keyVaultType).toUpperCase() === type);
  const properties = (entry?.properties ?? keys[older[type]] ?? {}) as Fields;
  const { url, endpoint, approlePath, tlsKeyStorePath, tlsTrustStorePath } = properties;
  if (tlsKeyStorePath !== undefined || tlsTrustStorePath !== undefined) {
    throw invalid(
      `keys.keyVaultConfigs: Java key stores are not read: name the authority's PEM file in NODE_EXTRA_CA_CERTS`,
    );
  }
  const place = url ?? endpoint;
  if (typeof place !== 'string' && type !== 'AWS') {
    throw invalid(`keys.keyVaultConfigs needs an entry of keyVaultType ${type} with a url`);
  }
  return {
    type,
    url: typeof place === 'string' ? place : undefined,
    approlePath: typeof approlePath === 'string' ? approlePath : undefined,
  };
}

/** Throws VAULT_…. */
export async function readVaultKey(key: VaultKey, env: VaultEnv): Promise<OwnKey> {
  const vault = openVault(key.vault, env);
  try {
    const publicKey = await vault.get(key.publicKey);
    const secretKey = await vault.get(key.privateKey);
    return { publicKey: fromBase64(publicKey.trim()), secretKey: fromBase64(secretKey.trim()) };
  } finally {
    vault.close();
  }
}

/** A vault's type by its case-insensitive name. Throws PTM_CONFIG_INVALID. */
export function vaultType(name: string): VaultType {
  const type = VAULT_TYPES.find((one) => one === name.toUpperCase());
  if (!type) throw invalid(`a key vault is one of ${VAULT_TYPES.join(', ')}, not "${name}"`);
  return type;
}

/** Puts a key pair into the vault; returns the `keyData` entry that names it. Throws VAULT_…. */
export async function storeVaultKey(
  config: VaultConfig,
  key: OwnKey,
  name: string,
  engine: string,
  env: VaultEnv,
): Promise<Fields> {
  const vault = openVault(config, env);
  const publicKey = toBase64(key.publicKey);
  const privateKey = toBase64(key.secretKey);
  try {
    if (config.type === 'HASHICORP') {
      await vault.set({ name, engine }, { publicKey, privateKey });
      return {
        hashicorpVaultSecretEngineName: engine,
        hashicorpVaultSecretName: name,
        hashicorpVaultPublicKeyId: 'publicKey',
        hashicorpVaultPrivateKeyId: 'privateKey',
      };
    }
    await vault.set({ name: `${name}Pub` }, { value: publicKey });
    await vault.set({ name: `${name}Key` }, { value: privateKey });
    const prefix = config.type === 'AWS' ? 'awsSecretsManager' : 'azureVault';
    return { [`${prefix}PublicKeyId`]: `${name}Pub`, [`${prefix}PrivateKeyId`]: `${name}Key` };
  } finally {
    vault.close();
  }
}

function invalid(message: string): Error {
  return fail('PTM_CONFIG_INVALID', message);
}
