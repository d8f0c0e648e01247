/**
 * Web3Signer's key configuration files: YAML, several keys per file, one document each (Web3Signer
 * YamlSignerParser).
 */
import { resolve } from 'node:path';
import { type Document, parseAllDocuments, type YAMLError } from 'yaml';
import {
  type Fields,
  flag,
  foreignFile,
  integer,
  invalidKey,
  isFields,
  needTexts,
  oneOf,
  optionalText,
  text,
} from './fields.ts';
import {
  AWS_MODES,
  type AwsAccess,
  AZURE_MODES,
  type AzureAccess,
  type HashicorpKey,
  type HashicorpLogin,
  type KeyConfig,
  type Pkcs11Key,
} from './key-config.ts';

const KEY_TYPES = ['BLS', 'SECP256K1'] as const;
const PORTS = { min: 1, max: 65_535 };
const MILLISECONDS = { min: 1, max: 3_600_000 };
const SECONDS = { min: 1, max: 3600 };
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Reads a document of one `type`; `directory` is the base of relative paths. */
type Reader = (fields: Fields, directory: string) => KeyConfig;

interface KeyType {
  /** Default key type, usually BLS: without SECP256K1 the document is not an account's key. */
  readonly keyType: (typeof KEY_TYPES)[number];
  readonly read: Reader;
}

const TYPES: Readonly<Record<string, KeyType>> = {
  'file-raw': {
    keyType: 'BLS',
    read: (fields) => ({ kind: 'raw', hex: text(fields, 'privateKey') }),
  },
  'file-keystore': {
    keyType: 'BLS',
    read(fields, directory) {
      needTexts(fields, ['keystoreFile', 'keystorePasswordFile']);
      const path = resolve(directory, text(fields, 'keystorePasswordFile'));
      return {
        kind: 'keystore',
        path: resolve(directory, text(fields, 'keystoreFile')),
        password: { path, take: 'firstLine', mayBeEmpty: false },
      };
    },
  },
  hashicorp: { keyType: 'BLS', read: hashicorpKey },
  'azure-secret': {
    keyType: 'BLS',
    read(fields) {
      const access = azureAccess(fields, ['vaultName', 'secretName']);
      return { kind: 'azureSecret', access, secretName: text(fields, 'secretName') };
    },
  },
  'azure-key': {
    keyType: 'SECP256K1',
    read(fields) {
      const access = azureAccess(fields, ['vaultName', 'keyName']);
      const keyVersion = optionalText(fields, 'keyVersion');
      return { kind: 'azureKey', access, keyName: text(fields, 'keyName'), keyVersion };
    },
  },
  'aws-kms': {
    keyType: 'SECP256K1',
    read(fields) {
      const access = awsAccess(fields, ['kmsKeyId']);
      return { kind: 'awsKms', access, keyId: text(fields, 'kmsKeyId') };
    },
  },
  'aws-secret': {
    keyType: 'BLS',
    read(fields) {
      const access = awsAccess(fields, ['secretName']);
      return { kind: 'awsSecret', access, secretName: text(fields, 'secretName') };
    },
  },
  'gcp-kms': {
    keyType: 'SECP256K1',
    read: (fields, directory) => ({
      kind: 'gcpKms',
      keyVersionName: gcpKeyVersion(fields),
      credentialsPath: pathIn(directory, optionalText(fields, 'credentialsFile')),
      endpoint: optionalText(fields, 'endpointOverride'),
    }),
  },
  pkcs11: { keyType: 'SECP256K1', read: pkcs11Key },
};

/** Types that Web3Signer no longer supports. */
const REMOVED: readonly string[] = ['yubihsm', 'interlock'];

/**
 * Every scalar stays a text: an unquoted key of digits is not read as a number. The parser's own
 * errors would quote the file, which may contain keys.
 */
const PARSING = { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' } as const;

/**
 * The secp256k1 keys in a file's text. Throws KEY_CONFIG_INVALID, and KEY_CONFIG_FOREIGN when the
 * file may not be a key configuration; errors never quote the content.
 */
export function readKeyConfigs(source: string, directory: string): KeyConfig[] {
  const found: KeyConfig[] = [];
  const documents = parseAllDocuments(source, PARSING);
  for (const [index, document] of [...documents].entries()) {
    const [error] = document.errors;
    if (error) throw foreignFile(`not YAML: ${reasonOf(error)} at character ${error.pos[0]}`);
    const fields = plain(document);
    if (fields === null || fields === undefined || fields === '') continue;
    if (!isFields(fields)) throw foreignFile(`document ${index + 1} is not a mapping`);
    const config = readDocument(fields, directory);
    if (config) found.push(config);
  }
  return found;
}

function plain(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw foreignFile('aliases of YAML are not supported');
  }
}

function reasonOf(error: YAMLError): string {
  return error.code.toLowerCase().replaceAll('_', ' ');
}

function readDocument(fields: Fields, directory: string): KeyConfig | undefined {
  const name = optionalText(fields, 'type');
  if (name === undefined) throw foreignFile('Missing values for required parameters: type');
  if (REMOVED.includes(name)) {
    throw invalidKey(`keys of type ${name} are not supported: use pkcs11 or hashicorp`);
  }
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (!type) {
    throw invalidKey(`"type" must be one of ${Object.keys(TYPES).join(', ')}`);
  }
  const keyType = oneOf(fields, 'keyType', KEY_TYPES, type.keyType);
  return keyType === 'SECP256K1' ? type.read(fields, directory) : undefined;
}

function pathIn(directory: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(directory, path);
}

function hashicorpKey(fields: Fields, directory: string): HashicorpKey {
  needTexts(fields, ['serverHost', 'keyPath']);
  const known = pathIn(directory, optionalText(fields, 'tlsKnownServersPath'));
  return {
    kind: 'hashicorp',
    host: text(fields, 'serverHost'),
    port: integer(fields, 'serverPort', 8200, PORTS),
    // COMPAT: off by default, although Web3Signer's documentation says otherwise.
    tls: flag(fields, 'tlsEnabled', false),
    trust: known === undefined ? undefined : { kind: 'ALLOWLIST', path: known },
    timeoutMs: integer(fields, 'timeout', 10_000, MILLISECONDS),
    keyPath: text(fields, 'keyPath'),
    keyName: optionalText(fields, 'keyName') ?? 'value',
    namespace: optionalText(fields, 'namespace'),
    login: hashicorpLogin(fields, directory),
  };
}

function hashicorpLogin(fields: Fields, directory: string): HashicorpLogin {
  const method = oneOf(fields, 'authMethod', ['TOKEN', 'KUBERNETES', 'APPROLE'], 'TOKEN');
  if (method === 'APPROLE') {
    needTexts(fields, ['appRoleId', 'appRoleSecretId']);
    return {
      method,
      roleId: text(fields, 'appRoleId'),
      secretId: text(fields, 'appRoleSecretId'),
      mount: optionalText(fields, 'appRoleAuthPath') ?? 'approle',
    };
  }
  if (method === 'KUBERNETES') {
    const role = optionalText(fields, 'kubernetesRole');
    if (role === undefined) {
      throw invalidKey('kubernetesRole must be provided when using KUBERNETES auth method');
    }
    const tokenPath = optionalText(fields, 'kubernetesServiceAccountTokenPath');
    return {
      method,
      role,
      tokenPath: pathIn(directory, tokenPath) ?? SERVICE_ACCOUNT_TOKEN,
      mount: optionalText(fields, 'kubernetesAuthPath') ?? 'kubernetes',
    };
  }
  const token = optionalText(fields, 'token');
  if (token !== undefined) return { method, token };
  const tokenPath = pathIn(directory, optionalText(fields, 'tokenFile'));
  if (tokenPath !== undefined) return { method: 'TOKEN_FILE', path: tokenPath };
  throw invalidKey('token must be provided when using TOKEN auth method');
}

function azureAccess(fields: Fields, names: readonly string[]): AzureAccess {
  const mode = oneOf(fields, 'authenticationMode', AZURE_MODES, 'CLIENT_SECRET');
  const own: Readonly<Record<string, readonly string[]>> = {
    CLIENT_SECRET: ['clientId', 'clientSecret', 'tenantId'],
    USER_ASSIGNED_MANAGED_IDENTITY: ['clientId'],
  };
  needTexts(fields, [...(own[mode] ?? []), ...names]);
  return {
    mode,
    clientId: optionalText(fields, 'clientId'),
    clientSecret: optionalText(fields, 'clientSecret'),
    tenantId: optionalText(fields, 'tenantId'),
    vaultName: text(fields, 'vaultName'),
    endpoint: optionalText(fields, 'endpointOverride'),
    timeoutMs: integer(fields, 'timeout', 60, SECONDS) * 1000,
  };
}

function awsAccess(fields: Fields, names: readonly string[]): AwsAccess {
  const mode = oneOf(fields, 'authenticationMode', AWS_MODES, 'SPECIFIED');
  const own = mode === 'SPECIFIED' ? ['accessKeyId', 'secretAccessKey'] : [];
  needTexts(fields, [...own, 'region', ...names]);
  return {
    mode,
    region: text(fields, 'region'),
    accessKeyId: optionalText(fields, 'accessKeyId'),
    secretAccessKey: optionalText(fields, 'secretAccessKey'),
    sessionToken: optionalText(fields, 'sessionToken'),
    endpoint: optionalText(fields, 'endpointOverride'),
  };
}

/** Given as one name, or as its five parts. */
function gcpKeyVersion(fields: Fields): string {
  const whole = optionalText(fields, 'keyVersionName');
  if (whole !== undefined) return whole;
  needTexts(fields, ['project', 'location', 'keyRing', 'keyName']);
  const [project, location, ring, key] = ['project', 'location', 'keyRing', 'keyName'].map((name) =>
    text(fields, name),
  );
  const version = optionalText(fields, 'keyVersion') ?? '1';
  return `projects/${project}/locations/${location}/keyRings/${ring}/cryptoKeys/${key}/cryptoKeyVersions/${version}`;
}

function pkcs11Key(fields: Fields, directory: string): Pkcs11Key {
  const modulePath = text(fields, 'pkcs11ModulePath');
  const keyLabel = optionalText(fields, 'keyLabel');
  const keyId = optionalText(fields, 'keyId');
  if (keyLabel === undefined && keyId === undefined) needTexts(fields, ['keyLabel']);
  if (keyId !== undefined && !/^(?:[0-9a-fA-F]{2})+$/.test(keyId)) {
    throw invalidKey('"keyId" must be hex');
  }
  const slot = integer(fields, 'slotIndex', -1, { min: 0, max: 65_535 });
  return {
    kind: 'pkcs11',
    modulePath,
    tokenLabel: optionalText(fields, 'tokenLabel'),
    slotIndex: slot < 0 ? undefined : slot,
    pin: optionalText(fields, 'pin'),
    pinPath: pathIn(directory, optionalText(fields, 'pinFile')),
    keyLabel,
    keyId,
  };
}
