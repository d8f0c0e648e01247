/** Key sources named by the options; they are loaded elsewhere. */
import { fail } from '../../../core/base/errors.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import { type EthSignerSubcommand, isEthSignerSubcommand } from '../options.ts';

/** With an EthSigner subcommand exactly one source; otherwise any of the other sources. */
export interface KeySettings {
  /** Folder of Web3Signer's YAML files. */
  readonly configFolder: string | undefined;
  readonly configFileBytesMax: number;
  readonly keystores: KeystoresSettings | undefined;
  readonly unlocksAtStart: boolean;
  /** Folder of files with one hex key each. */
  readonly hexFolder: string | undefined;
  /** Folder of YAML files of node keys, which are no accounts. */
  readonly nodeKeysFolder: string | undefined;
  readonly azure: AzureKeysSettings | undefined;
  readonly aws: AwsKeysSettings | undefined;
  readonly ethSigner: EthSignerKeys | undefined;
  readonly loadTimeoutMs: number;
  readonly reloadTimeoutMs: number;
}

export interface KeystoresSettings {
  readonly folder: string;
  readonly password:
    | { readonly kind: 'file'; readonly file: string }
    | { readonly kind: 'folder'; readonly folder: string };
}

type Tags = readonly (readonly [name: string, value: string])[];

export interface AzureKeysSettings {
  readonly authMode: string;
  readonly vaultName: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly tenantId: string | undefined;
  readonly timeoutMs: number;
  readonly tags: Tags;
}

export interface AwsKeysSettings {
  readonly authMode: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly tags: Tags;
}

export type EthSignerKeys =
  | { readonly kind: 'multikey-signer'; readonly folder: string }
  | { readonly kind: 'file-based-signer'; readonly keyFile: string; readonly passwordFile: string }
  | {
      readonly kind: 'hashicorp-signer';
      readonly host: string;
      readonly port: number;
      readonly timeoutMs: number;
      readonly authFile: string;
      readonly keyPath: string;
      readonly tls: boolean;
      readonly knownServersFile: string | undefined;
    }
  | {
      readonly kind: 'azure-signer';
      readonly vaultName: string;
      readonly keyName: string;
      readonly keyVersion: string | undefined;
      readonly clientId: string;
      readonly tenantId: string;
      readonly clientSecretFile: string;
    }
  | { readonly kind: 'raw-signer'; readonly key: string };

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** Throws OPTION_VALUE_INVALID. */
export function keySettings(options: ParsedOptions, subcommand: string | undefined): KeySettings {
  const ethSigner = isEthSignerSubcommand(subcommand)
    ? ethSignerKeys(options, subcommand)
    : undefined;
  return {
    configFolder: ethSigner
      ? undefined
      : (options.string('key-config-path') ?? (subcommand === undefined ? undefined : './')),
    configFileBytesMax: atLeast(options, 'key-store-config-file-max-size', 1),
    keystores: keystores(options),
    unlocksAtStart: options.boolean('keystores-unlock-at-start'),
    hexFolder: options.string('hex-keys-path'),
    nodeKeysFolder: options.string('node-keys-path'),
    azure: options.boolean('azure-vault-enabled') ? azure(options) : undefined,
    aws: options.boolean('aws-kms-enabled') ? aws(options) : undefined,
    ethSigner,
    loadTimeoutMs: atLeast(options, 'signer-load-timeout', 1) * SECOND_MS,
    reloadTimeoutMs: atLeast(options, 'reload-timeout', 1) * MINUTE_MS,
  };
}

function keystores(options: ParsedOptions): KeystoresSettings | undefined {
  const folder = options.string('keystores-path');
  if (folder === undefined) return undefined;
  const folderOfPasswords = options.string('keystores-passwords-path');
  const file = options.string('keystores-password-file');
  if (file !== undefined && folderOfPasswords === undefined)
    return { folder, password: { kind: 'file', file } };
  if (folderOfPasswords !== undefined && file === undefined)
    return { folder, password: { kind: 'folder', folder: folderOfPasswords } };
  throw wrong('Either --keystores-password-file or --keystores-passwords-path must be specified');
}

function azure(options: ParsedOptions): AzureKeysSettings {
  return {
    authMode: options.string('azure-vault-auth-mode')!,
    vaultName: options.string('azure-vault-name'),
    clientId: options.string('azure-client-id'),
    clientSecret: options.string('azure-client-secret'),
    tenantId: options.string('azure-tenant-id'),
    timeoutMs: atLeast(options, 'azure-response-timeout', 1) * SECOND_MS,
    tags: tags(options, 'azure-tags'),
  };
}

function aws(options: ParsedOptions): AwsKeysSettings {
  return {
    authMode: options.string('aws-kms-auth-mode')!,
    accessKeyId: options.string('aws-kms-access-key-id'),
    secretAccessKey: options.string('aws-kms-secret-access-key'),
    region: options.string('aws-kms-region'),
    endpoint: options.string('aws-endpoint-override'),
    tags: tags(options, 'aws-kms-tag'),
  };
}

function ethSignerKeys(options: ParsedOptions, kind: EthSignerSubcommand): EthSignerKeys {
  const need = (name: string): string => {
    const value = options.string(`${kind}.${name}`);
    if (value !== undefined) return value;
    throw wrong(`Missing required option: '--${name}' of ${kind}`);
  };
  switch (kind) {
    case 'multikey-signer':
      return { kind, folder: need('directory') };
    case 'file-based-signer':
      return { kind, keyFile: need('key-file'), passwordFile: need('password-file') };
    case 'raw-signer':
      return { kind, key: need('key') };
    case 'azure-signer':
      return {
        kind,
        vaultName: need('key-vault-name'),
        keyName: need('key-name'),
        keyVersion: options.string(`${kind}.key-version`),
        clientId: need('client-id'),
        tenantId: need('tenant-id'),
        clientSecretFile: need('client-secret-path'),
      };
    case 'hashicorp-signer':
      return {
        kind,
        host: need('host'),
        port: options.number(`${kind}.port`)!,
        timeoutMs: atLeast(options, `${kind}.timeout`, 1),
        authFile: need('auth-file'),
        keyPath: need('signing-key-path'),
        tls: options.boolean(`${kind}.tls-enabled`),
        knownServersFile: options.string(`${kind}.tls-known-server-file`),
      };
  }
}

/** `name=value|name=value`. */
function tags(options: ParsedOptions, flag: string): Tags {
  const text = options.string(flag);
  if (text === undefined || text === '') return [];
  return text.split('|').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw wrong(`Invalid value for option '--${flag}': give name=value|name=value`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
}

function atLeast(options: ParsedOptions, flag: string, least: number): number {
  const value = options.number(flag)!;
  if (value >= least) return value;
  throw wrong(`Invalid value for option '--${flag}': Expecting positive value.`);
}

function wrong(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
