/**
 * Options for key sources: of Web3Signer's `eth1`, and of EthSigner's subcommands (Web3Signer
 * Eth1SubCommand; EthSigner SignerSubCommand).
 */
import type { OptionRow } from '../../../io/options/options.ts';

/** Adds the group of `--help` to the rows. */
function inGroup(group: string, rows: readonly Omit<OptionRow, 'group'>[]): readonly OptionRow[] {
  return rows.map((row) => ({ ...row, group }));
}

const KEYS = 'Keys';
const AZURE = 'Keys in Azure Key Vault';
const AWS = 'Keys in AWS KMS';
const SUBCOMMANDS = "Keys of EthSigner's subcommands";
const COMPATIBILITY = 'Accepted for compatibility, without effect';

const FILE_ROWS = inGroup(KEYS, [
  {
    flag: 'key-config-path',
    type: 'string',
    unit: 'folder',
    aliases: ['key-store-path'],
    about: 'Folder of YAML files, each of which describes a key; default: the working folder',
  },
  {
    flag: 'key-store-config-file-max-size',
    type: 'integer',
    default: 104_857_600,
    unit: 'bytes',
    about: 'Larger YAML files are refused',
  },
  {
    flag: 'keystores-path',
    type: 'string',
    unit: 'folder',
    about: 'Folder of keystore files (*.json), unlocked when first used',
  },
  {
    flag: 'keystores-passwords-path',
    type: 'string',
    unit: 'folder',
    about: 'Folder of their password files: the same name, ending in .txt',
  },
  {
    flag: 'keystores-password-file',
    type: 'string',
    unit: 'file',
    about: 'File with one password for all of them',
  },
  {
    flag: 'keystores-unlock-at-start',
    type: 'boolean',
    default: false,
    about: 'Decrypt every keystore at the start, and skip those that fail',
  },
  {
    flag: 'hex-keys-path',
    type: 'string',
    unit: 'folder',
    about: 'Folder of files with one private key in hex each',
  },
  {
    flag: 'node-keys-path',
    type: 'string',
    unit: 'folder',
    about: 'Folder of YAML files, each of which describes the key of a node, for its --nodekey',
  },
  {
    flag: 'reload-timeout',
    type: 'integer',
    default: 30,
    unit: 'minutes',
    about: 'Time limit for a reload of keys',
  },
  {
    flag: 'signer-load-timeout',
    type: 'integer',
    default: 60,
    unit: 'seconds',
    about: 'Time limit for loading one key',
  },
]);

const AZURE_ROWS = inGroup(AZURE, [
  {
    flag: 'azure-vault-enabled',
    type: 'boolean',
    default: false,
    about: 'Sign with all keys of a vault',
  },
  {
    flag: 'azure-vault-auth-mode',
    type: 'string',
    default: 'CLIENT_SECRET',
    about: 'CLIENT_SECRET, SYSTEM_ASSIGNED_MANAGED_IDENTITY or USER_ASSIGNED_MANAGED_IDENTITY',
  },
  { flag: 'azure-vault-name', type: 'string', about: 'Name of the vault' },
  { flag: 'azure-client-id', type: 'string', about: 'Client id' },
  { flag: 'azure-client-secret', type: 'string', about: 'Client secret' },
  { flag: 'azure-tenant-id', type: 'string', about: 'Tenant id' },
  {
    flag: 'azure-response-timeout',
    type: 'integer',
    default: 60,
    unit: 'seconds',
    about: 'Time limit for an answer',
  },
  {
    flag: 'azure-tags',
    type: 'string',
    about: 'Only keys with these tags: name=value|name=value',
  },
]);

const AWS_ROWS = inGroup(AWS, [
  {
    flag: 'aws-kms-enabled',
    type: 'boolean',
    default: false,
    about: 'Sign with all keys of a region',
  },
  {
    flag: 'aws-kms-auth-mode',
    type: 'string',
    default: 'SPECIFIED',
    about: 'SPECIFIED or ENVIRONMENT',
  },
  { flag: 'aws-kms-access-key-id', type: 'string', about: 'Access key id' },
  { flag: 'aws-kms-secret-access-key', type: 'string', about: 'Secret access key' },
  { flag: 'aws-kms-region', type: 'string', about: 'Region' },
  {
    flag: 'aws-kms-tag',
    type: 'string',
    aliases: ['aws-kms-tags'],
    about: 'Only keys with these tags: name=value|name=value',
  },
  {
    flag: 'aws-endpoint-override',
    type: 'string',
    aliases: ['aws-kms-endpoint-override'],
    about: 'URL of a different endpoint',
  },
]);

/** Flags after a subcommand: `multikey-signer --directory keys`. */
const SUBCOMMAND_ROWS = inGroup(SUBCOMMANDS, [
  {
    flag: 'multikey-signer.directory',
    type: 'string',
    unit: 'folder',
    aliases: ['multikey-signer.d'],
    about: 'Folder of TOML files, each of which describes a key',
  },
  {
    flag: 'file-based-signer.key-file',
    type: 'string',
    unit: 'file',
    aliases: ['file-based-signer.k'],
    about: 'Keystore file',
  },
  {
    flag: 'file-based-signer.password-file',
    type: 'string',
    unit: 'file',
    aliases: ['file-based-signer.p'],
    about: 'File whose first line is its password',
  },
  {
    flag: 'hashicorp-signer.host',
    type: 'string',
    default: 'localhost',
    about: 'Host of the vault',
  },
  {
    flag: 'hashicorp-signer.port',
    type: 'integer',
    unit: 'port',
    default: 8200,
    about: 'Port of the vault',
  },
  {
    flag: 'hashicorp-signer.timeout',
    type: 'integer',
    default: 10_000,
    unit: 'ms',
    about: 'Time limit for an answer',
  },
  {
    flag: 'hashicorp-signer.auth-file',
    type: 'string',
    unit: 'file',
    about: 'File whose first line is the token',
  },
  {
    flag: 'hashicorp-signer.signing-key-path',
    type: 'string',
    default: '/v1/secret/data/ethsignerSigningKey',
    about: 'Path of the secret',
  },
  {
    flag: 'hashicorp-signer.tls-enabled',
    type: 'boolean',
    default: true,
    about: 'Use TLS to the vault',
  },
  {
    flag: 'hashicorp-signer.tls-known-server-file',
    type: 'string',
    unit: 'file',
    about: 'Vaults\' certificates: "<host>:<port> <SHA-256 fingerprint>" per line',
  },
  {
    flag: 'azure-signer.key-vault-name',
    type: 'string',
    aliases: ['azure-signer.keyvault-name'],
    about: 'Name of the vault',
  },
  { flag: 'azure-signer.key-name', type: 'string', about: 'Name of the key' },
  {
    flag: 'azure-signer.key-version',
    type: 'string',
    about: 'Version of the key; default: the latest',
  },
  { flag: 'azure-signer.client-id', type: 'string', about: 'Client id' },
  { flag: 'azure-signer.tenant-id', type: 'string', about: 'Tenant id' },
  {
    flag: 'azure-signer.client-secret-path',
    type: 'string',
    unit: 'file',
    about: 'File with the client secret',
  },
  {
    flag: 'raw-signer.key',
    type: 'string',
    about: 'Private key in hex, for tests',
  },
]);

const TOGETHER = 'keys are loaded together';
const COMPATIBILITY_ROWS: readonly OptionRow[] = (
  [
    ['vertx-worker-pool-size', 'integer', 'there are no workers to wait for'],
    ['signer-load-batch-size', 'integer', TOGETHER],
    ['signer-load-sequential-threshold', 'integer', TOGETHER],
    ['signer-load-parallel', 'boolean', TOGETHER],
    ['aws-connection-cache-size', 'integer', 'connections are kept'],
    ['aws-kms-client-cache-size', 'integer', 'clients are kept'],
  ] as const
).map(([flag, type, ignored]) => {
  return { flag, type, about: `No effect: ${ignored}`, group: COMPATIBILITY, ignored };
});

export const KEY_OPTION_ROWS: readonly OptionRow[] = [
  ...FILE_ROWS,
  ...AZURE_ROWS,
  ...AWS_ROWS,
  ...SUBCOMMAND_ROWS,
  ...COMPATIBILITY_ROWS,
];
