/**
 * The keys of a Tessera configuration that are read here; all others are reported when the manager
 * starts.
 */

/** A text: what the key means, everything below it is read. A list describes its items. */
type Known = string | { readonly [key: string]: Known } | readonly [Known];

const SSL: Known = {
  tls: '`STRICT`: the server and its clients use TLS; `OFF`, the default',
  sslConfigType: 'no effect: whether a server needs both sides of TLS follows from its app',
  clientAuth: '`false`: clients need no certificate',
  environmentVariablePrefix:
    'begins the names of the variables that hold the passwords of key stores',
  serverTrustMode:
    'which client certificates a server accepts: `CA`, `TOFU`, `WHITELIST`, `CA_OR_TOFU`, `NONE`',
  serverKeyStore: 'key and certificate of the server: PKCS#12 or JKS',
  serverKeyStorePassword: 'its password',
  serverTrustStore: 'certificates of authorities whose clients are accepted',
  serverTrustStorePassword: 'its password',
  serverTlsKeyPath: 'the server’s key, PEM',
  serverTlsCertificatePath: 'the server’s certificate, PEM',
  serverTrustCertificates: 'certificates of authorities whose clients are accepted, PEM',
  clientTrustMode: 'which server certificates the manager accepts as a client',
  clientKeyStore: 'key and certificate as a client: PKCS#12 or JKS',
  clientKeyStorePassword: 'its password',
  clientTrustStore: 'certificates of authorities whose servers are accepted',
  clientTrustStorePassword: 'its password',
  clientTlsKeyPath: 'the key as a client, PEM',
  clientTlsCertificatePath: 'the certificate as a client, PEM',
  clientTrustCertificates: 'certificates of authorities whose servers are accepted, PEM',
  knownClientsFile: 'certificates of clients, kept by `TOFU` and `WHITELIST`',
  knownServersFile: 'the same of servers',
};

const CONFIG: Known = {
  alwaysSendTo: 'public keys that get every payload',
  disablePeerDiscovery:
    '`true`: no managers besides those of `peer`; `false`: others are found too; missing: `true` if `peer` names others',
  encryptor: { type: '`NACL`; others are refused', properties: {} },
  features: {
    enableMultiplePrivateStates: 'private states for residents, with `residentGroups`',
    enablePrivacyEnhancements: 'party protection, mandatory parties, private state validation',
    enableRemoteKeyValidation: 'no effect: the keys of peers are always checked',
  },
  jdbc: {
    url: 'address of the database, `jdbc:postgresql:…`; others have no effect, payloads are in the embedded store',
    username: 'user of the database',
    password: 'its password',
    autoCreateTables: '`true`: missing tables are created',
  },
  keys: {
    awsKeyVaultConfig: '`endpoint` of AWS Secrets Manager',
    azureKeyVaultConfig: '`url` of an Azure key vault',
    hashicorpKeyVaultConfig:
      '`url`, `approlePath`, `tlsKeyStorePath`, `tlsTrustStorePath` of a HashiCorp vault',
    keyData: 'the key pairs: each as texts, files, or names in a vault',
    keyVaultConfigs: 'vaults as a list, each with its `keyVaultType` and `properties`',
    passwordFile: 'passwords of the keys, one per line',
    passwords: 'passwords of the keys',
  },
  mode: '`tessera`; `orion` is refused',
  peer: [{ url: 'address of another manager' }],
  quorate: {
    dataDir: 'folder of the embedded store, default `ptm-data`',
    databaseConnections: 'most connections to PostgreSQL',
    discoverInternal: 'blocks of internal addresses at which peers may be found, or `all`',
    unknownSenderBytesPerDay:
      'bytes that may be stored per day for senders whose managers are unknown, default 1 GiB',
    unprovenPeers:
      'what a peer may do without proving a key: `refuse`, `deliver` (the default) or `answer`',
  },
  residentGroups: [
    {
      name: 'name of the private state',
      description: 'of the group',
      members: 'public keys of the residents',
    },
  ],
  serverConfigs: [
    {
      app: '`Q2T` for the node, `P2P` for managers, `ThirdParty`, `ADMIN`',
      bindingAddress: 'address to listen on, if another than `serverAddress`',
      communicationType: '`REST`; anything else is refused',
      enabled: '`false`: the server is not started',
      properties: {
        partyInfoInterval:
          'milliseconds between two questions to a peer for its keys, default 5,000',
      },
      serverAddress: 'URL of the server, or `unix:` and a path',
      sslConfig: SSL,
    },
  ],
  unixSocketFile: 'the socket for the node, in configurations of Tessera before 0.9',
  useWhiteList: '`true`: only hosts of `peer` may connect',
};

/** Why a Tessera key has no effect here, by the last part of its name. */
export const IGNORED_KEYS: Readonly<Record<string, string>> = {
  bootstrapNode: 'any manager may be the first of its network',
  clientMode: 'the API is the one of both modes',
  cors: 'browsers have no access to the manager',
  enclaveKeySyncInterval: 'the enclave is inside the manager',
  excludeCipherSuites: 'TLS 1.2 and later with the safe suites of this platform',
  generateKeyStoreIfNotExisted: 'create a key and a certificate, and name their files',
  includeCipherSuites: 'TLS 1.2 and later with the safe suites of this platform',
  influxConfig: 'nothing is sent to InfluxDB',
  resendWaitTime: 'recover lost payloads with "quorate ptm recover"',
  syncInterval: 'recover lost payloads with "quorate ptm recover"',
};
const WARNINGS_MAX = 100;

export function unreadKeys(root: unknown): string[] {
  return [...unread(root, CONFIG, '')].slice(0, WARNINGS_MAX).map((path) => {
    const reason = IGNORED_KEYS[path.slice(path.lastIndexOf('.') + 1)];
    return `configuration key "${path}" is ignored${reason ? `: ${reason}` : ''}`;
  });
}

function* unread(value: unknown, known: Known, path: string): Generator<string> {
  if (typeof known === 'string' || typeof value !== 'object' || value === null) return;
  if (Array.isArray(known)) {
    if (!Array.isArray(value)) return;
    for (const [i, item] of value.entries()) yield* unread(item, known[0], `${path}[${i}]`);
    return;
  }
  for (const [name, below] of Object.entries(value)) {
    const full = path === '' ? name : `${path}.${name}`;
    const next = Object.hasOwn(known, name) ? (known as Record<string, Known>)[name] : undefined;
    if (next === undefined) yield full;
    else yield* unread(below, next, full);
  }
}

/** Each key that is read, such as `serverConfigs[].app`, with its meaning. */
export function* knownKeys(
  known: Known = CONFIG,
  path = '',
): Generator<[path: string, about: string]> {
  if (typeof known === 'string') {
    yield [path, known];
    return;
  }
  if (Array.isArray(known)) {
    yield* knownKeys(known[0], `${path}[]`);
    return;
  }
  for (const [name, below] of Object.entries(known))
    yield* knownKeys(below, path === '' ? name : `${path}.${name}`);
}
