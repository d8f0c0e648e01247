/**
 * Location of one key, from Web3Signer's YAML files, EthSigner's TOML files or its subcommands
 * (Web3Signer SigningMetadata; EthSigner MultiKeySubCommand).
 */
import type { PasswordFile } from '../../../io/keys/keystore-file.ts';

export type KeyConfig =
  | RawKey
  | HexFileKey
  | KeystoreKey
  | HashicorpKey
  | AzureSecretKey
  | AzureRemoteKey
  | AwsSecretKey
  | AwsKmsKey
  | GcpKmsKey
  | Pkcs11Key;

/** The key itself, in hex. */
export interface RawKey {
  readonly kind: 'raw';
  readonly hex: string;
}

/** A file that holds only the key in hex. */
export interface HexFileKey {
  readonly kind: 'hexFile';
  readonly path: string;
}

export interface KeystoreKey {
  readonly kind: 'keystore';
  readonly path: string;
  readonly password: PasswordFile;
}

/** TLS to a vault: a file of known servers (`host:port fingerprint`) or a store of certificates. */
export interface VaultTrust {
  readonly kind: 'ALLOWLIST' | 'PEM' | 'PKCS12' | 'JKS';
  readonly path: string;
  readonly password?: string | undefined;
}

export type HashicorpLogin =
  | { readonly method: 'TOKEN'; readonly token: string }
  | { readonly method: 'TOKEN_FILE'; readonly path: string }
  | {
      readonly method: 'APPROLE';
      readonly roleId: string;
      readonly secretId: string;
      readonly mount: string;
    }
  | {
      readonly method: 'KUBERNETES';
      readonly role: string;
      readonly tokenPath: string;
      readonly mount: string;
    };

export interface HashicorpKey {
  readonly kind: 'hashicorp';
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly trust?: VaultTrust | undefined;
  readonly timeoutMs: number;
  /** Path in the vault, such as /v1/secret/data/key. */
  readonly keyPath: string;
  readonly keyName: string;
  /** The namespace in Vault Enterprise. */
  readonly namespace?: string | undefined;
  readonly login: HashicorpLogin;
}

export const AZURE_MODES = [
  'CLIENT_SECRET',
  'SYSTEM_ASSIGNED_MANAGED_IDENTITY',
  'USER_ASSIGNED_MANAGED_IDENTITY',
  'DEFAULT',
] as const;
export type AzureMode = (typeof AZURE_MODES)[number];

export interface AzureAccess {
  readonly mode: AzureMode;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** A file that contains the secret. */
  readonly clientSecretPath?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly vaultName: string;
  /** Replaces https://NAME.vault.azure.net. */
  readonly endpoint?: string | undefined;
  readonly timeoutMs: number;
}

export interface AzureSecretKey {
  readonly kind: 'azureSecret';
  readonly access: AzureAccess;
  readonly secretName: string;
}

export interface AzureRemoteKey {
  readonly kind: 'azureKey';
  readonly access: AzureAccess;
  readonly keyName: string;
  /** Undefined: the newest version. */
  readonly keyVersion?: string | undefined;
}

export const AWS_MODES = ['SPECIFIED', 'ENVIRONMENT'] as const;
export type AwsMode = (typeof AWS_MODES)[number];

export interface AwsAccess {
  readonly mode: AwsMode;
  readonly region: string;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
  readonly endpoint?: string | undefined;
}

export interface AwsSecretKey {
  readonly kind: 'awsSecret';
  readonly access: AwsAccess;
  readonly secretName: string;
}

export interface AwsKmsKey {
  readonly kind: 'awsKms';
  readonly access: AwsAccess;
  readonly keyId: string;
}

export interface GcpKmsKey {
  readonly kind: 'gcpKms';
  /** projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/V. */
  readonly keyVersionName: string;
  /** A service account's key; undefined: application default credentials. */
  readonly credentialsPath?: string | undefined;
  readonly endpoint?: string | undefined;
}

export interface Pkcs11Key {
  readonly kind: 'pkcs11';
  readonly modulePath: string;
  readonly tokenLabel?: string | undefined;
  readonly slotIndex?: number | undefined;
  readonly pin?: string | undefined;
  readonly pinPath?: string | undefined;
  readonly keyLabel?: string | undefined;
  /** In hex. */
  readonly keyId?: string | undefined;
}
