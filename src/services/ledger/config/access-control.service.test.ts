/**
 * From flags and plugin files to the settings of the transports, and a node with TLS and a
 * certificate that it made itself.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { accessControlOf } from './access-control.ts';

let folder: string;
let sign: (scope: string) => Promise<string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-access-'));
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  sign = (scope) =>
    new SignJWT({ scope, aud: 'node1' })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1 minute')
      .sign(privateKey);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const access = (...argv: string[]) =>
  accessControlOf(parseOptions(NODE_ROWS, { argv }), () => {}, {});

function plugins(tokenValidation: object | undefined, tls?: object): string {
  const file = join(folder, 'plugins.json');
  const config = { ...(tls ? { tls } : {}), ...(tokenValidation ? { tokenValidation } : {}) };
  writeFileSync(
    file,
    JSON.stringify({ providers: { security: { name: 'any', version: '1.0.0', config } } }),
  );
  return `file://${file}`;
}

it('asks for nothing unless it is configured to', async () => {
  const control = access();
  expect(await control.authenticate(undefined)).toEqual({ kind: 'open' });
  expect(control.tls).toBeUndefined();
  expect(control.reload).toBeUndefined();
});

it.each([
  [['--multitenancy'], 'multitenancy requires RPC Security Plugin to be configured'],
  [['--rpc.auth.introspect', 'here'], '--rpc.auth.introspect must be a URL'],
  [
    ['--rpc.auth.introspect', 'http://x', '--rpc.auth.client-id', 'me'],
    '--rpc.auth.client-id and --rpc.auth.client-secret-file must be used together',
  ],
  [['--http.tls.cert', 'c'], '--http.tls.cert and --http.tls.key must be used together'],
  [
    ['--http.tls.cert', '/nowhere/c', '--http.tls.key', '/nowhere/k'],
    'TLS of JSON-RPC: /nowhere/c does not exist',
  ],
  [
    ['--plugins', 'file:///nowhere', '--rpc.auth.keys', 'k'],
    'give either --plugins or --rpc.auth.keys',
  ],
])('refuses %j', (argv, text) => {
  expect(() => access(...argv)).toThrow(text);
});

it('takes tokens for its own identity only, unless another audience is named', async () => {
  const keys = join(folder, 'keys.json');
  const header = `Bearer ${await sign('rpc://eth_*')}`;
  const kind = async (...argv: string[]) => {
    const control = access('--rpc.auth.keys', keys, ...argv);
    const { kind: found } = await control.authenticate(header);
    control.close();
    return found;
  };
  expect(await kind()).toBe('token');
  expect(await kind('--identity', 'node1')).toBe('token');
  expect(await kind('--identity', 'node2')).toBe('refused');
  expect(await kind('--identity', 'node2', '--rpc.auth.audience', 'node1')).toBe('token');
});

it('reads the plugin’s configuration again when it is told to, and keeps the old one if the new one is not good', async () => {
  const jws = { endpoint: join(folder, 'keys.json') };
  const control = access('--plugins', plugins({ jws }));
  const header = `Bearer ${await sign('rpc://eth_*')}`;
  expect((await control.authenticate(header)).kind).toBe('token');
  expect(() => control.reload!('account')).toThrow('no such plugin provider: account');
  plugins({});
  expect(() => control.reload!('security')).toThrow(/needs "jws" or "introspect"/);
  expect((await control.authenticate(header)).kind).toBe('token');
  plugins({ jws, issuers: ['https://somebody'] });
  control.reload!('security');
  expect((await control.authenticate(header)).kind).toBe('refused');
  control.close();
});

it('serves HTTP and WebSocket over TLS, with a certificate of its own making', async () => {
  const [certFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const recording = join(OWN_VECTORS, 'goquorum/public-chain');
  const node = await rpcNode({
    genesis: genesisOf(recording),
    secretKey: fromHex(readJson(join(recording, 'keys.json')).nodes[0].nodeKey),
    argv: [
      ...[
        '--plugins',
        plugins(
          { jws: { endpoint: join(folder, 'keys.json') } },
          { auto: true, certFile, keyFile },
        ),
      ],
      ...['--ws', '--ws.port', '0'],
    ],
  });
  const api = await node.serve();
  expect(statSync(keyFile!).mode & 0o077).toBe(0);
  const ca = readFileSync(certFile!, 'utf8');
  const headers = { authorization: `Bearer ${await sign('rpc://eth_*')}` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  expect(api.httpUrl).toMatch(/^https:/);
  const answer = await new Promise<string>((resolve, reject) => {
    const asked = request(api.httpUrl!, {
      method: 'POST',
      ca,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.once('end', () => resolve(text));
    });
    asked.end(body);
  });
  expect(JSON.parse(answer).result).toBe('0x0');
  expect(api.webSocketUrl).toMatch(/^wss:/);
  const socket = new WebSocket(api.webSocketUrl!, { ca, headers });
  const said = await new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send(body));
    socket.once('message', (bytes) => resolve(bytes.toString()));
  });
  expect(JSON.parse(said).result).toBe('0x0');
  socket.terminate();
  await api.close();
  await node.close();
});
