/**
 * EthSigner's multikey files: TOML, one key per file, named after its account (EthSigner
 * MultiKeySubCommand).
 */
import { resolve } from 'node:path';
import { parse } from 'smol-toml';
import type { Address } from '../../../core/base/bytes.ts';
import { fromHex } from '../../../core/base/hex.ts';
import {
  type Fields,
  flag,
  integer,
  invalidKey,
  isFields,
  oneOf,
  optionalText,
  text,
} from './fields.ts';
import type { HashicorpKey, KeyConfig, VaultTrust } from './key-config.ts';

const PORTS = { min: 1, max: 65_535 };
const MILLISECONDS = { min: 1, max: 3_600_000 };
const AZURE_TIMEOUT_MS = 60_000;
const NAME = /([0-9a-f]{40})\.toml$/;
const TRUST_TYPES = ['JKS', 'PKCS12', 'WHITELIST', 'ALLOWLIST', 'PEM'] as const;

/**
 * The account in a file's name, `[prefix]<address, lower case, without 0x>.toml`; undefined for any
 * other name.
 */
export function accountOfFileName(name: string): Address | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : fromHex(digits);
}

/** Reads a file's text. Throws KEY_CONFIG_INVALID, never quoting the content. */
export function readTomlConfig(source: string, name: string, directory: string): KeyConfig {
  const signing = parseToml(source).signing;
  if (!isFields(signing)) {
    throw invalidKey(`${name} is a badly formed metadata file - "signing" heading is missing.`);
  }
  const type = text(signing, 'type');
  switch (type) {
    case 'file-based-signer':
      return {
        kind: 'keystore',
        path: resolve(directory, text(signing, 'key-file')),
        password: {
          path: resolve(directory, text(signing, 'password-file')),
          take: 'firstLine',
          mayBeEmpty: true,
        },
      };
    case 'hashicorp-signer':
      return hashicorpKey(signing, directory);
    case 'azure-signer':
      return {
        kind: 'azureKey',
        keyName: text(signing, 'key-name'),
        keyVersion: optionalText(signing, 'key-version'),
        access: {
          mode: 'CLIENT_SECRET',
          clientId: text(signing, 'client-id'),
          clientSecret: text(signing, 'client-secret'),
          tenantId: text(signing, 'tenant-id'),
          vaultName: text(signing, 'key-vault-name'),
          endpoint: optionalText(signing, 'endpoint-override'),
          timeoutMs: AZURE_TIMEOUT_MS,
        },
      };
    case 'raw-signer':
      return { kind: 'raw', hex: text(signing, 'priv-key') };
    default:
      throw invalidKey(
        '"type" must be one of file-based-signer, hashicorp-signer, azure-signer, raw-signer',
      );
  }
}

function parseToml(source: string): Fields {
  try {
    return parse(source);
  } catch (error) {
    // The parser's own message would quote the file, which may contain keys.
    const { line } = error as { readonly line?: number };
    throw invalidKey(`not TOML${line === undefined ? '' : `: line ${line}`}`);
  }
}

function hashicorpKey(fields: Fields, directory: string): HashicorpKey {
  const host = text(fields, 'serverHost');
  const token = text(fields, 'token');
  return {
    kind: 'hashicorp',
    host,
    port: integer(fields, 'serverPort', 8200, PORTS),
    tls: flag(fields, 'tlsEnable', true),
    trust: vaultTrust(fields, directory),
    timeoutMs: integer(fields, 'timeout', 10_000, MILLISECONDS),
    keyPath: text(fields, 'keyPath'),
    keyName: optionalText(fields, 'keyName') ?? 'value',
    login: { method: 'TOKEN', token },
  };
}

function vaultTrust(fields: Fields, directory: string): VaultTrust | undefined {
  if (optionalText(fields, 'tlsTrustStoreType') === undefined) return undefined;
  const type = oneOf(fields, 'tlsTrustStoreType', TRUST_TYPES, 'PEM');
  const password = optionalText(fields, 'tlsTrustStorePassword');
  if ((type === 'JKS' || type === 'PKCS12') && password === undefined) {
    throw invalidKey('Missing values for required parameters: tlsTrustStorePassword');
  }
  const path = resolve(directory, text(fields, 'tlsTrustStorePath'));
  return { kind: type === 'WHITELIST' ? 'ALLOWLIST' : type, path, password };
}
