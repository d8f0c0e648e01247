import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testKey } from '../../../test/support/ptm.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { loadKey, parseKeySources } from './key-sources.ts';
import { generateKey, writeKeyPair } from './keygen.ts';
import { parseTesseraConfig } from './options.ts';
import { readTesseraConfig, startPtm } from './start.ts';

const LIGHT = { variant: 'id', memory: 64, iterations: 1, parallelism: 1 } as const;
const folder = mkdtempSync(join(tmpdir(), 'ptm-options-'));
const file = join(folder, 'tessera.json');

/** As the quickstart writes it, without its ports. */
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
      discovery: true,
      enhancements: true,
      multiplePrivateStates: false,
      partyInfoIntervalMs: 1000,
    });
    expect(warnings).toEqual([
      'jdbc is ignored: payloads are kept in an embedded store (quorate.dataDir)',
      'configuration key "bootstrapNode" is ignored',
      'serverConfigs[4]: app ENCLAVE is not served',
    ]);
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
