/** Translates the options into key sources. */
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import type {
  AwsKeysSettings,
  AzureKeysSettings,
  EthSignerKeys,
  KeySettings as KeyOptions,
} from '../config/keys.ts';
import { AWS_MODES, AZURE_MODES, type KeyConfig } from './key-config.ts';
import type { AwsFilter, AzureFilter, KeySettings } from './settings.ts';

/** Used when no folder is given. */
const CONFIG_FOLDER_DEFAULT = './';
const PUBLIC_KEYS_FILE = 'public-keys';
const AZURE_TIMEOUT_MS = 60_000;

/** Throws OPTION_VALUE_INVALID. */
export function keysFromOptions(options: KeyOptions, dataPath: string | undefined): KeySettings {
  const { keystores, azure, aws, ethSigner } = options;
  return {
    configPath: options.configFolder,
    isConfigPathImplied: options.configFolder === CONFIG_FOLDER_DEFAULT,
    configFileBytesMax: options.configFileBytesMax,
    tomlPath: ethSigner?.kind === 'multikey-signer' ? ethSigner.folder : undefined,
    keys: ethSigner && ethSigner.kind !== 'multikey-signer' ? [singleKey(ethSigner)] : undefined,
    keystores: keystores && {
      path: keystores.folder,
      passwords:
        keystores.password.kind === 'file'
          ? { kind: 'file', path: keystores.password.file }
          : { kind: 'folder', path: keystores.password.folder },
    },
    hexPath: options.hexFolder,
    unlocksAtStart: options.unlocksAtStart,
    azure: azure && azureFilter(azure),
    awsKms: aws && awsFilter(aws),
    publicKeysFile: dataPath === undefined ? undefined : join(dataPath, PUBLIC_KEYS_FILE),
    keyTimeoutMs: options.loadTimeoutMs,
    reloadTimeoutMs: options.reloadTimeoutMs,
  };
}

function singleKey(from: Exclude<EthSignerKeys, { kind: 'multikey-signer' }>): KeyConfig {
  switch (from.kind) {
    case 'raw-signer':
      return { kind: 'raw', hex: from.key };
    case 'file-based-signer':
      return {
        kind: 'keystore',
        path: from.keyFile,
        password: { path: from.passwordFile, take: 'firstLine', mayBeEmpty: true },
      };
    case 'hashicorp-signer':
      return {
        kind: 'hashicorp',
        host: from.host,
        port: from.port,
        tls: from.tls,
        trust:
          from.knownServersFile === undefined
            ? undefined
            : { kind: 'ALLOWLIST', path: from.knownServersFile },
        timeoutMs: from.timeoutMs,
        keyPath: from.keyPath,
        keyName: 'value',
        login: { method: 'TOKEN_FILE', path: from.authFile },
      };
    case 'azure-signer':
      return {
        kind: 'azureKey',
        keyName: from.keyName,
        keyVersion: from.keyVersion,
        access: {
          mode: 'CLIENT_SECRET',
          clientId: from.clientId,
          clientSecretPath: from.clientSecretFile,
          tenantId: from.tenantId,
          vaultName: from.vaultName,
          timeoutMs: AZURE_TIMEOUT_MS,
        },
      };
  }
}

function azureFilter(from: AzureKeysSettings): AzureFilter {
  const mode = AZURE_MODES.find((each) => each === from.authMode.toUpperCase());
  if (!mode) throw wrongMode('azure-vault-auth-mode', AZURE_MODES);
  need('azure-vault', {
    'azure-vault-name': from.vaultName,
    ...(mode === 'CLIENT_SECRET'
      ? {
          'azure-client-id': from.clientId,
          'azure-client-secret': from.clientSecret,
          'azure-tenant-id': from.tenantId,
        }
      : {}),
    ...(mode === 'USER_ASSIGNED_MANAGED_IDENTITY' ? { 'azure-client-id': from.clientId } : {}),
  });
  const { clientId, clientSecret, tenantId, timeoutMs } = from;
  return {
    access: { mode, clientId, clientSecret, tenantId, vaultName: from.vaultName!, timeoutMs },
    tags: Object.fromEntries(from.tags),
  };
}

function awsFilter(from: AwsKeysSettings): AwsFilter {
  const mode = AWS_MODES.find((each) => each === from.authMode.toUpperCase());
  if (!mode) throw wrongMode('aws-kms-auth-mode', AWS_MODES);
  need('aws-kms', {
    'aws-kms-region': from.region,
    ...(mode === 'SPECIFIED'
      ? {
          'aws-kms-access-key-id': from.accessKeyId,
          'aws-kms-secret-access-key': from.secretAccessKey,
        }
      : {}),
  });
  const { accessKeyId, secretAccessKey, endpoint } = from;
  return {
    access: { mode, region: from.region!, accessKeyId, secretAccessKey, endpoint },
    tags: Object.fromEntries(from.tags),
  };
}

function need(what: string, values: Readonly<Record<string, string | undefined>>): void {
  const missing = Object.keys(values).filter((name) => !values[name]);
  if (missing.length === 0) return;
  const names = missing.map((name) => `--${name}`).join(', ');
  throw fail(
    'OPTION_VALUE_INVALID',
    `Missing required options when --${what}-enabled is set: ${names}`,
  );
}

function wrongMode(flag: string, modes: readonly string[]): Error {
  return fail(
    'OPTION_VALUE_INVALID',
    `Invalid value for option '--${flag}': expected one of ${modes.join(', ')}`,
  );
}
