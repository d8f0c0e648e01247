import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testKey } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { loadKey, parseKeySources } from './config/key-sources.ts';
import { applyOverrides } from './config/overrides.ts';
import { parseTesseraConfig } from './config/tessera-file.ts';
import { readTesseraConfig, withStore } from './config.ts';
import { generateKey, writeKeyPair } from './keygen.ts';
import { startPtm } from './start.ts';

const LIGHT = { variant: 'id', memory: 64, iterations: 1, parallelism: 1 } as const;
const folder = scratchFolder('ptm-options-');
const file = join(folder, 'tessera.json');

/** The configuration that the quickstart writes, without its ports. */
const sample = {
  useWhiteList: false,
  jdbc: {
    username: 'sa',
    password: '',
    url: 'jdbc:h2:./target/h2/tessera1',
    autoCreateTables: true,
  },
  serverConfigs: [
    { app: 'ThirdParty', serverAddress: 'http://127.0.0.1:0', communicationType: 'REST' },
    { app: 'Q2T', serverAddress: 'unix:tm.ipc', communicationType: 'REST' },
    {
      app: 'P2P',
      serverAddress: 'http://member1:9000',
      bindingAddress: 'http://127.0.0.1:0',
      sslConfig: { tls: 'OFF' },
      communicationType: 'REST',
      properties: { partyInfoInterval: '1000' },
    },
    { app: 'ADMIN', serverAddress: 'http://127.0.0.1:0', communicationType: 'REST' },
    { app: 'ENCLAVE', serverAddress: 'http://127.0.0.1:0', communicationType: 'REST' },
  ],
  peer: [{ url: 'http://member1:9000/' }, { url: 'http://member2:9000/' }],
  keys: { passwords: [], keyData: [{ privateKeyPath: 'tm.key', publicKeyPath: 'tm.pub' }] },
  alwaysSendTo: [],
  bootstrapNode: false,
  features: { enablePrivacyEnhancements: true },
};

describe('Tessera configuration files', () => {
  it('are read as they are', () => {
    const { config, warnings } = parseTesseraConfig(sample, file);
    expect(config).toMatchObject({
      dataFolder: join(folder, 'ptm-data'),
      servers: [
        {
          app: 'ThirdParty',
          address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
          advertised: undefined,
        },
        { app: 'Q2T', address: { kind: 'unix', path: join(folder, 'tm.ipc') } },
        { app: 'P2P', address: { kind: 'tcp', host: '127.0.0.1', port: 0 } },
        { app: 'ADMIN', address: { kind: 'tcp', host: '127.0.0.1', port: 0 } },
      ],
      peers: ['http://member1:9000/', 'http://member2:9000/'],
      discovery: false,
      discoverInternal: [],
      unprovenPeers: 'deliver',
      unknownSenderBytesPerDay: 2 ** 30,
      enhancements: true,
      multiplePrivateStates: false,
      partyInfoIntervalMs: 1000,
    });
    expect(warnings).toEqual([
      'configuration key "bootstrapNode" is ignored: any manager may be the first of its network',
      'serverConfigs[4]: app ENCLAVE is not served',
      'jdbc: a database of kind h2 is not read, PostgreSQL is: payloads are kept in an embedded store (quorate.dataDir)',
    ]);
  });

  it('find peers by themselves where none is configured, or where they are asked to', () => {
    const own = [{ url: 'http://member1:9000/' }];
    for (const [fields, discovery] of [
      [{ peer: [] }, true],
      [{ peer: own }, true],
      [{ peer: [], disablePeerDiscovery: true }, false],
      [{ disablePeerDiscovery: false }, true],
      [{ disablePeerDiscovery: true }, false],
    ] as const) {
      expect(parseTesseraConfig({ ...sample, ...fields }, file).config).toMatchObject({
        discovery,
      });
    }
  });

  it('say in quorate what Tessera has no key for', () => {
    const quorate = {
      discoverInternal: ['10.1.0.0/16', 'fd00::/8', '192.168.0.7'],
      unprovenPeers: 'refuse',
      unknownSenderBytesPerDay: 0,
    };
    const { config, warnings } = parseTesseraConfig({ ...sample, quorate }, file);
    expect(config).toMatchObject(quorate);
    expect(
      warnings.filter((warning) => warning.includes('quorate.') && !warning.startsWith('jdbc')),
    ).toEqual([]);
    const all = parseTesseraConfig({ ...sample, quorate: { discoverInternal: true } }, file);
    expect(all.config.discoverInternal).toBe('all');
    for (const [fields, text] of [
      [{ discoverInternal: ['10.1.0.0/33'] }, '"10.1.0.0/33" is not a block of addresses'],
      [{ discoverInternal: ['intranet'] }, '"intranet" is not a block of addresses'],
      [{ unprovenPeers: 'some' }, 'quorate.unprovenPeers must be one of refuse, deliver, answer'],
      [{ unknownSenderBytesPerDay: -1 }, 'quorate.unknownSenderBytesPerDay must be a number'],
    ] as const) {
      expect(() => parseTesseraConfig({ ...sample, quorate: fields }, file)).toThrow(text);
    }
  });

  it('are refused where ignoring them would be unsafe', () => {
    const refused = (change: object, text: RegExp) =>
      expect(() => parseTesseraConfig({ ...sample, ...change }, file)).toThrow(text);
    refused({ encryptor: { type: 'EC' } }, /NACL/);
    refused({ mode: 'orion' }, /orion/);
    refused({ serverConfigs: [] }, /exactly one server of app Q2T/);
    refused(
      {
        serverConfigs: [{ app: 'P2P', serverAddress: 'http://x:1', sslConfig: { tls: 'STRICT' } }],
      },
      /must be https/,
    );
    refused({ serverConfigs: [{ app: 'P2P', serverAddress: 'nonsense' }] }, /address "nonsense"/);
    refused({ keys: {} }, /keyData/);
    refused(
      { keys: { keyData: [{ hashicorpVaultPublicKeyId: 'x' }] } },
      /SecretEngineName is missing/,
    );
    refused({ alwaysSendTo: ['AA=='] }, /not a public key/);
    expect(() => parseTesseraConfig([], file)).toThrow(/must be an object/);
  });

  it('name every key that has no meaning here', () => {
    const { serverConfigs } = sample;
    const { warnings } = parseTesseraConfig(
      {
        ...sample,
        jdbc: { ...sample.jdbc, url: 'jdbc:postgresql://db/ptm', fetchSize: 1 },
        serverConfigs: [
          { ...serverConfigs[0], cors: { allowedOrigins: ['*'] } },
          serverConfigs[1],
          {
            ...serverConfigs[2],
            sslConfig: { tls: 'OFF', generateKeyStoreIfNotExisted: true },
            influxConfig: {},
            properties: { partyInfoInterval: 1, resendWaitTime: 2 },
          },
        ],
        peer: [{ url: 'http://a:1/', name: 'x' }],
        features: { ...sample.features, enableOther: true },
        encryptor: { type: 'NACL', properties: { symmetricCipher: 'x' } },
        unknown: { deep: 1 },
      },
      file,
    );
    expect(warnings.map((warning) => warning.replace(/" is ignored.*/, '"'))).toEqual([
      'configuration key "jdbc.fetchSize"',
      'configuration key "serverConfigs[0].cors"',
      'configuration key "serverConfigs[2].sslConfig.generateKeyStoreIfNotExisted"',
      'configuration key "serverConfigs[2].properties.resendWaitTime"',
      'configuration key "serverConfigs[2].influxConfig"',
      'configuration key "peer[0].name"',
      'configuration key "bootstrapNode"',
      'configuration key "features.enableOther"',
      'configuration key "encryptor.properties.symmetricCipher"',
      'configuration key "unknown"',
    ]);
  });

  it('name PostgreSQL by jdbc or --store, and an older Q2T socket', () => {
    const parse = (change: object) => parseTesseraConfig({ ...sample, ...change }, file).config;
    const url = 'jdbc:postgresql://db:5432/ptm';
    const jdbc = { url, username: 'u', password: 'p', autoCreateTables: true };
    const quorate = { databaseConnections: 20 };
    const config = parse({ jdbc, quorate });
    const database = { url, user: 'u', password: 'p', createTables: true, connectionsMax: 20 };
    expect(config.database).toEqual(database);
    expect(parse({ jdbc: { url } }).database).toEqual({
      ...database,
      user: undefined,
      password: undefined,
      createTables: false,
      connectionsMax: 10,
    });
    expect(withStore(config, 'postgres://x@h/d').database).toEqual({
      url: 'postgres://x@h/d',
      user: undefined,
      password: undefined,
      createTables: true,
      connectionsMax: 20,
    });
    expect(() => withStore(config, 'mysql://x')).toThrow(/--store must be postgres:/);
    expect(() => parse({ jdbc: { ...jdbc, password: 'ENC(abc)' } })).toThrow(/Jasypt.*PGPASSWORD/);
    expect(() => parse({ jdbc, quorate: { databaseConnections: 1 } })).toThrow(/from 2 to/);
    const servers = sample.serverConfigs.filter(({ app }) => app !== 'Q2T');
    const older = parse({ serverConfigs: servers, unixSocketFile: 'old.ipc' });
    expect(older.servers.at(-1)).toMatchObject({
      app: 'Q2T',
      address: { kind: 'unix', path: join(folder, 'old.ipc') },
    });
    const grpc = { ...servers[0], communicationType: 'GRPC' };
    expect(() => parse({ serverConfigs: [grpc] })).toThrow(/communicationType must be REST/);
  });

  it('are changed by overrides, each as what is there', () => {
    const root = structuredClone(sample) as never as Record<string, never>;
    applyOverrides(root, [
      'jdbc.username=a=b,c',
      'useWhiteList=TRUE',
      'peer[2].url=http://member3:9000/',
      'peer[0].url=http://other:1/',
      'features.enableMultiplePrivateStates=true',
      'serverConfigs[2].properties.partyInfoInterval=7',
      'alwaysSendTo=["x"]',
      'alwaysSendTo[1]=y',
      'keys.passwords[0]=true story',
    ]);
    expect(root).toEqual({
      ...sample,
      jdbc: { ...sample.jdbc, username: 'a=b,c' },
      useWhiteList: true,
      peer: [{ url: 'http://other:1/' }, sample.peer[1], { url: 'http://member3:9000/' }],
      features: { enablePrivacyEnhancements: true, enableMultiplePrivateStates: true },
      serverConfigs: sample.serverConfigs.map((server, i) =>
        i === 2 ? { ...server, properties: { partyInfoInterval: '7' } } : server,
      ),
      alwaysSendTo: ['x', 'y'],
      keys: { ...sample.keys, passwords: ['true story'] },
    });
    for (const bad of [
      'nothing',
      '=x',
      'peer[9].url=secret',
      'peer.url=secret',
      'jdbc.url.deep=secret',
      '__proto__.x=secret',
      'a.constructor.b=secret',
      'useWhiteList=secret',
      'alwaysSendTo=secret',
      'jdbc..url=secret',
    ]) {
      expect(() => applyOverrides(structuredClone(sample), [bad])).toThrow(
        expect.objectContaining({
          code: 'PTM_CONFIG_INVALID',
          message: expect.not.stringContaining('secret'),
        }),
      );
    }
  });

  it('start a manager with its own store, which a second one cannot take', async () => {
    await writeKeyPair(join(folder, 'tm'), await generateKey());
    writeFileSync(file, JSON.stringify(sample));
    const { config } = await readTesseraConfig(file);
    const ptm = await startPtm(config);
    expect(ptm.publicKeys).toEqual([readFileSync(join(folder, 'tm.pub'), 'utf8')]);
    const stored = await fetch(`${ptm.thirdPartyUrl}/storeraw`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payload: 'AAAA' }),
    });
    expect(stored.status).toBe(200);
    const peers = `${ptm.adminUrl}/config/peers`;
    const headers = { 'content-type': 'application/json' };
    const put = (url: string) =>
      fetch(peers, { method: 'PUT', headers, body: JSON.stringify({ url }) });
    const added = await put('http://member3:9000');
    expect([added.status, added.headers.get('location')]).toEqual([201, 'config/peers/2']);
    expect(await (await fetch(peers)).json()).toHaveLength(3);
    expect(await (await fetch(`${peers}/2`)).json()).toEqual({ url: 'http://member3:9000/' });
    expect((await fetch(`${peers}/9`)).status).toBe(404);
    expect((await put('nonsense')).status).toBe(400);
    await expect(startPtm({ ...config, servers: [] })).rejects.toMatchObject({
      code: 'STORAGE_LOCKED',
    });
    await ptm.close();
    const again = await startPtm(config);
    await again.close();
    await expect(readTesseraConfig(join(folder, 'none.json'))).rejects.toMatchObject({
      code: 'PTM_CONFIG_INVALID',
    });
  });
});

describe('keys', () => {
  it('are generated, locked and unlocked, and never overwritten', async () => {
    const crypto = await loadEnclaveCrypto();
    const path = join(folder, 'locked');
    const key = await generateKey({ password: 'pässword', argon2: LIGHT });
    await writeKeyPair(path, key);
    expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600);
    await expect(writeKeyPair(path, key)).rejects.toMatchObject({ code: 'PTM_KEY_EXISTS' });
    const data = { privateKeyPath: 'locked.key', publicKeyPath: 'locked.pub' };
    const open = (keys: object) =>
      loadKey(parseKeySources({ keyData: [data], ...keys }, folder)[0]!, crypto);
    const own = await open({ passwords: ['pässword'] });
    expect(Buffer.from(own.publicKey).toString('base64')).toBe(key.publicKey);
    expect(crypto.publicKey(own.secretKey)).toEqual(own.publicKey);
    writeFileSync(join(folder, 'passwords'), 'pässword\n');
    expect(await open({ passwordFile: 'passwords' })).toEqual(own);
    await expect(open({ passwords: ['wrong'] })).rejects.toMatchObject({
      code: 'PTM_KEY_PASSWORD_WRONG',
    });
    await expect(open({})).rejects.toMatchObject({ code: 'PTM_KEY_LOCKED' });
  });

  it('inline or in the configuration; an error never shows them', async () => {
    const crypto = await loadEnclaveCrypto();
    const { publicKey, privateKey } = await testKey(7);
    const load = (data: object) =>
      loadKey(parseKeySources({ keyData: [data] }, folder)[0]!, crypto);
    const inline = await load({ publicKey, privateKey });
    expect(
      await load({ publicKey, config: { type: 'unlocked', data: { bytes: privateKey } } }),
    ).toEqual(inline);
    for (const data of [
      { publicKey, privateKey: `${privateKey.slice(0, 40)}` },
      { publicKey, config: { type: 'unlocked', data: { bytes: privateKey.slice(4) } } },
      { publicKey, config: { type: 'x', data: { bytes: privateKey } } },
    ]) {
      const error = await load(data).catch((cause: Error) => cause);
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).not.toContain(privateKey.slice(4, 20));
    }
  });
});
