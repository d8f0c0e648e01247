import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  makeCertificate,
  pkcs12,
  type TestCertificate,
} from '../../../test/support/certificates.ts';
import { type TestPtm, testPtm, until } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { AllowList } from '../../io/http/allow-list.ts';
import { clientTrust, parseTls, serverTrust } from './config/tls.ts';

const folder = scratchFolder('ptm-tls-');
const at = (name: string) => join(folder, name);
const running: TestPtm[] = [];

/** A key and a certificate for 127.0.0.1 in the folder, self-signed or issued by our authority. */
function certificate(name: string, issuer?: TestCertificate): TestCertificate {
  const made = makeCertificate(name, issuer);
  writeFileSync(at(`${name}.key`), made.key);
  writeFileSync(at(`${name}.pem`), made.cert);
  return made;
}

beforeAll(() => {
  const authority = certificate('authority');
  for (const name of ['one', 'two']) certificate(name, authority);
  certificate('self-one');
  certificate('self-two');
});

afterEach(async () => {
  for (const ptm of running.splice(0)) await ptm.close();
});

function ssl(name: string, mode: string, fields: object = {}) {
  return parseTls(
    {
      tls: 'STRICT',
      serverTlsKeyPath: `${name}.key`,
      serverTlsCertificatePath: `${name}.pem`,
      clientTlsKeyPath: `${name}.key`,
      clientTlsCertificatePath: `${name}.pem`,
      serverTrustMode: mode,
      clientTrustMode: mode,
      ...fields,
    },
    folder,
    'sslConfig',
  );
}

const CA = {
  serverTrustCertificates: ['authority.pem'],
  clientTrustCertificates: ['authority.pem'],
};

async function start(number: number, peers: string[], tls: ReturnType<typeof ssl>, port = 0) {
  const tcp = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;
  const ptm = await testPtm(number, peers, {
    servers: [
      { app: 'P2P', address: { ...tcp, port }, advertised: undefined, tls },
      { app: 'Q2T', address: tcp, advertised: undefined },
    ],
  });
  running.push(ptm);
  return ptm;
}

/** Status of sending a payload from one manager to a key of the other. */
async function sends(from: TestPtm, to: TestPtm): Promise<number> {
  const response = await fetch(`${from.q2tUrl}/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: 'AQID', to: [to.key] }),
  });
  await response.text();
  return response.status;
}

/** Status of GET /upcheck with that client certificate, or the error. */
function knock(url: string, name?: string): Promise<number | string> {
  return new Promise((resolve) => {
    const own = name
      ? { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) }
      : {};
    const call = request(`${url}/upcheck`, { ...own, rejectUnauthorized: false, agent: false });
    call.on('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    call.on('error', (error) => resolve(error.message));
    call.end();
  });
}

describe('TLS between managers', () => {
  it.each([
    ['CA', 'one', 'two', CA],
    ['TOFU', 'self-one', 'self-two', {}],
    ['NONE', 'self-one', 'self-two', {}],
    ['CA_OR_TOFU', 'one', 'self-two', CA],
  ])('mode %s carries payloads', async (mode, a, b, fields) => {
    const known = { knownClientsFile: `${mode}-clients`, knownServersFile: `${mode}-servers` };
    const one = await start(1, [], ssl(a, mode, { ...fields, ...known }));
    expect(one.p2pUrl).toMatch(/^https:/);
    const two = await start(2, [one.p2pUrl], ssl(b, mode, { ...fields, ...known }));
    await until(async () => (await sends(two, one)) === 201, 'the payload is taken');
    const remembers = mode === 'TOFU' || mode === 'CA_OR_TOFU';
    expect(existsSync(at(`${mode}-clients`))).toBe(remembers);
    if (mode === 'TOFU') {
      expect(readFileSync(at('TOFU-servers'), 'utf8')).toMatch(/^self-one [0-9a-f]{64}$/m);
    }
  });

  it('refuses who has no certificate, or another one than its authority or the files know', async () => {
    const strict = await start(1, [], ssl('one', 'CA', CA));
    expect(await knock(strict.p2pUrl, 'two')).toBe(200);
    expect(await knock(strict.p2pUrl, 'self-two')).not.toBe(200);
    expect(await knock(strict.p2pUrl)).not.toBe(200);
    const oneWay = await start(2, [], ssl('one', 'CA', { ...CA, clientAuth: false }));
    expect(await knock(oneWay.p2pUrl)).toBe(200);

    const sha1 = new X509Certificate(readFileSync(at('self-two.pem'))).fingerprint;
    writeFileSync(at('white'), `self-two ${sha1}\n`);
    const listed = await start(3, [], ssl('self-one', 'WHITELIST', { knownClientsFile: 'white' }));
    expect(await knock(listed.p2pUrl, 'self-two')).toBe(200);
    expect(await knock(listed.p2pUrl, 'two')).not.toBe(200);

    writeFileSync(at('first'), `self-two ${'0'.repeat(64)}\n`);
    const first = await start(4, [], ssl('self-one', 'TOFU', { knownClientsFile: 'first' }));
    expect(await knock(first.p2pUrl, 'self-two')).not.toBe(200);
    expect(await knock(first.p2pUrl, 'two')).toBe(200);
    expect(readFileSync(at('first'), 'utf8')).toContain('\ntwo ');
  });

  it('sends nothing to a server that is not trusted', async () => {
    const one = await start(1, [], ssl('self-one', 'NONE'));
    const two = await start(2, [one.p2pUrl], ssl('two', 'CA', CA));
    expect(await sends(two, one)).toBe(404);
    expect((await knock(one.p2pUrl, 'two')).toString()).toBe('200');
  });

  it('takes key stores before PEM files, passwords by precedence', async () => {
    const authority = certificate('store-authority');
    const [a, b] = [certificate('a', authority), certificate('b', authority)];
    writeFileSync(at('a.p12'), pkcs12(a, 'pässword'));
    writeFileSync(at('b.p12'), pkcs12(b, 'b'));
    const store = (file: string, fields: object) => ({
      serverKeyStore: file,
      clientKeyStore: file,
      serverTrustCertificates: ['store-authority.pem'],
      clientTrustCertificates: ['store-authority.pem'],
      ...fields,
    });
    const passwords = { serverKeyStorePassword: 'pässword', clientKeyStorePassword: 'pässword' };
    const one = await start(1, [], ssl('self-one', 'CA', store('a.p12', passwords)));
    expect(await knock(one.p2pUrl, 'a')).toBe(200);
    const tls = ssl('self-two', 'CA', store('b.p12', { environmentVariablePrefix: 'B' }))!;
    expect(() => serverTrust(tls)).toThrow(/serverKeyStore: .*b\.p12: .*password is wrong/);
    const env = { TESSERA_SERVER_KEYSTORE_PWD: 'no', B_TESSERA_SERVER_KEYSTORE_PWD: 'b' };
    expect(createPrivateKey(serverTrust(tls, env).key).equals(createPrivateKey(b.key))).toBe(true);
    const configured = { ...tls, fields: { ...tls.fields, clientKeyStorePassword: 'b' } };
    const all = { TESSERA_CLIENT_KEYSTORE_PWD: 'no' };
    expect(clientTrust(configured, all).cert).toContain('BEGIN CERTIFICATE');
    expect(() => clientTrust(tls, all)).toThrow(/password is wrong/);
    expect(clientTrust(tls, { TESSERA_CLIENT_KEYSTORE_PWD: 'b' }).key).toBeDefined();
    const trusting = ssl('self-two', 'CA', {
      clientTrustStore: 'b.p12',
      clientTrustStorePassword: 'b',
    })!;
    expect(clientTrust(trusting).ca).toHaveLength(1);
    const missing = ssl('one', 'CA', { serverKeyStore: 'none.jks' })!;
    expect(() => serverTrust(missing)).toThrow(/serverKeyStore: cannot read/);
  });

  it('refuses modes that it does not know', () => {
    expect(() => ssl('one', 'SOME')).toThrow(/TrustMode must be one of CA, TOFU/);
    expect(() => parseTls({ tls: 'MAYBE' }, folder, 's')).toThrow(/STRICT or OFF/);
    expect(parseTls({ tls: 'off', serverKeyStore: 'a.jks' }, folder, 's')).toBeUndefined();
  });
});

describe('the allow list', () => {
  it('lets the configured hosts in, local ones in every form, and nobody else', async () => {
    const list = new AllowList(['localhost', '10.1.2.3']);
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3']) {
      expect(await list.allows(address), address).toBe(true);
    }
    expect(await list.allows('10.1.2.4')).toBe(false);
    expect(await new AllowList(['name.invalid']).allows('127.0.0.1')).toBe(false);
    for (const [peer, status] of [
      ['http://10.1.2.3:9000/', 401],
      ['http://localhost:9/', 200],
    ] as const) {
      const ptm = await testPtm(1, [peer], { allowListed: true });
      running.push(ptm);
      expect((await fetch(`${ptm.p2pUrl}/upcheck`)).status).toBe(status);
      expect((await fetch(`${ptm.q2tUrl}/upcheck`)).status).toBe(200);
    }
  });
});
