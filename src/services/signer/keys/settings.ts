/** The signing proxy's key settings, from its options. */
import type { AwsAccess, AzureAccess, KeyConfig } from './key-config.ts';

/** Web3Signer's limit on a YAML file. */
export const CONFIG_FILE_BYTES_MAX = 104_857_600;

export type Tags = Readonly<Record<string, string>>;

export interface KeySettings {
  /** Keys named individually; the program does not start if one is missing. */
  readonly keys?: readonly KeyConfig[] | undefined;
  /** Folder of Web3Signer's YAML files. */
  readonly configPath?: string | undefined;
  /** The folder is the default (the working folder) and may hold unrelated YAML files. */
  readonly isConfigPathImplied?: boolean | undefined;
  readonly configFileBytesMax?: number | undefined;
  /** Folder of EthSigner's TOML files. */
  readonly tomlPath?: string | undefined;
  readonly keystores?: KeystoreFolder | undefined;
  /** Folder of files with one hex key each. */
  readonly hexPath?: string | undefined;
  readonly azure?: AzureFilter | undefined;
  readonly awsKms?: AwsFilter | undefined;
  /** File that stores the public keys of keystores that were opened before. */
  readonly publicKeysFile?: string | undefined;
  /**
   * Decrypts every keystore at the start, and refuses those that fail; otherwise each is decrypted
   * at its first signature.
   */
  readonly unlocksAtStart?: boolean | undefined;
  /** Time limit for loading all keys; a reload that takes longer fails. */
  readonly reloadTimeoutMs?: number | undefined;
  /** Time limit for loading one key. */
  readonly keyTimeoutMs?: number | undefined;
}

/** Keystores (`*.json`), each with a password file of the same name (`*.txt`), or one for all. */
export interface KeystoreFolder {
  readonly path: string;
  readonly passwords:
    | { readonly kind: 'folder'; readonly path: string }
    | { readonly kind: 'file'; readonly path: string };
}

/** All keys of a vault that have all of these tags. */
export interface AzureFilter {
  readonly access: AzureAccess;
  readonly tags: Tags;
}

/** All keys of a region that have all of these tags. */
export interface AwsFilter {
  readonly access: AwsAccess;
  readonly tags: Tags;
}
