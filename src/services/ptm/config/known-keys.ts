/**
 * The keys of a Tessera configuration that are read here; all others are reported when the manager
 * starts.
 */

/** `true`: everything below the key is read. A list describes its items. */
type Known = true | { readonly [key: string]: Known } | readonly [Known];

const SSL: Known = {
  tls: true,
  // No code reads it: whether a server needs both sides of TLS follows from its app.
  sslConfigType: true,
  clientAuth: true,
  environmentVariablePrefix: true,
  serverTrustMode: true,
  serverKeyStore: true,
  serverKeyStorePassword: true,
  serverTrustStore: true,
  serverTrustStorePassword: true,
  serverTlsKeyPath: true,
  serverTlsCertificatePath: true,
  serverTrustCertificates: true,
  clientTrustMode: true,
  clientKeyStore: true,
  clientKeyStorePassword: true,
  clientTrustStore: true,
  clientTrustStorePassword: true,
  clientTlsKeyPath: true,
  clientTlsCertificatePath: true,
  clientTrustCertificates: true,
  knownClientsFile: true,
  knownServersFile: true,
};

const CONFIG: Known = {
  alwaysSendTo: true,
  disablePeerDiscovery: true,
  encryptor: { type: true, properties: {} },
  features: {
    enableMultiplePrivateStates: true,
    enablePrivacyEnhancements: true,
    enableRemoteKeyValidation: true,
  },
  jdbc: { url: true, username: true, password: true, autoCreateTables: true },
  keys: {
    awsKeyVaultConfig: true,
    azureKeyVaultConfig: true,
    hashicorpKeyVaultConfig: true,
    keyData: true,
    keyVaultConfigs: true,
    passwordFile: true,
    passwords: true,
  },
  mode: true,
  peer: [{ url: true }],
  quorate: {
    dataDir: true,
    databaseConnections: true,
    discoverInternal: true,
    unknownSenderBytesPerDay: true,
    unprovenPeers: true,
  },
  residentGroups: [{ name: true, description: true, members: true }],
  serverConfigs: [
    {
      app: true,
      bindingAddress: true,
      communicationType: true,
      enabled: true,
      properties: { partyInfoInterval: true },
      serverAddress: true,
      sslConfig: SSL,
    },
  ],
  unixSocketFile: true,
  useWhiteList: true,
};

/** Why a Tessera key has no effect here, by the last part of its name. */
const REASONS: Readonly<Record<string, string>> = {
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
    const reason = REASONS[path.slice(path.lastIndexOf('.') + 1)];
    return `configuration key "${path}" is ignored${reason ? `: ${reason}` : ''}`;
  });
}

function* unread(value: unknown, known: Known, path: string): Generator<string> {
  if (known === true || typeof value !== 'object' || value === null) return;
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
