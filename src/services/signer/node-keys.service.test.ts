/**
 * Keys of nodes at the proxy: their methods, who may call them, and that they and the accounts stay
 * apart.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bareHex, fromHex, toHex } from '../../core/base/hex.ts';
import { localNodeKey } from '../../core/base/node-key.ts';
import { addressOfSecretKey, secp256k1, sign65 } from '../../core/base/secp256k1.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { findFarKey, openNodeKey } from '../../io/keys/far-node-key.ts';
import { signerConfig } from './config.ts';
import { parseSignerOptions } from './options.ts';
import { NODE_KEY_CALLS_PER_SECOND_MAX } from './proxy/node-key-rate.ts';
import { startSigner } from './start.ts';

const keyOf = (number: number) => new Uint8Array(32).fill(number);
const [NODE, OTHER, ACCOUNT] = [keyOf(1), keyOf(2), keyOf(3)];
const HASH = new Uint8Array(32).fill(7);
const BASE = ['--chain-id', '1337', '--http-listen-port', '0', '--downstream-http-port', '1'];

const folder = mkdtempSync(join(tmpdir(), 'signer-node-keys-'));
const endings: (() => unknown)[] = [];
let NODE_ADDRESS: string;
let OTHER_ADDRESS: string;
let ACCOUNT_ADDRESS: string;

beforeAll(async () => {
  await installCrypto();
  [NODE_ADDRESS, OTHER_ADDRESS, ACCOUNT_ADDRESS] = [NODE, OTHER, ACCOUNT].map((key) =>
    toHex(addressOfSecretKey(key)),
  ) as [string, string, string];
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});
afterAll(() => rmSync(folder, { recursive: true }));

let folders = 0;

function keys(...all: readonly Uint8Array[]): string {
  const path = join(folder, `keys${folders++}`);
  mkdirSync(path);
  for (const [at, key] of all.entries())
    writeFileSync(
      join(path, `${at}.yaml`),
      `type: file-raw\nkeyType: SECP256K1\nprivateKey: "${toHex(key)}"\n`,
    );
  return path;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function start(...argv: readonly string[]) {
  const settings = signerConfig(parseSignerOptions([...BASE, ...argv], {}));
  const signer = await startSigner(settings, { log: () => {}, version: 'x' });
  endings.push(() => signer.close());
  const url = `http://127.0.0.1:${signer.port}/`;
  const ask = async (method: string, params: readonly unknown[], token?: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await response.json()) as { result?: any; error?: any };
  };
  return { signer, url, ask };
}

const accessTo = (url: string, address?: string, tokenFile?: string) => ({
  ...{ url, address: address === undefined ? undefined : fromHex(address), tokenFile },
  ...{ rootCa: undefined, clientCert: undefined, clientKey: undefined },
});

it('a node gets its public key, signatures and shared secrets', async () => {
  const { url } = await start('--node-keys-path', keys(NODE));
  const place = await findFarKey(accessTo(url));
  const own = localNodeKey(NODE);
  expect(place.publicKey).toEqual(own.publicKey);
  const key = openNodeKey(place);
  expect(await key.sign(HASH)).toEqual(sign65(HASH, NODE));
  const peer = secp256k1().publicKey(OTHER);
  expect(await key.sharedX(peer)).toEqual(own.sharedX(peer));
});

it('with several keys, a node names its own', async () => {
  const { url } = await start('--node-keys-path', keys(NODE, OTHER));
  await expect(findFarKey(accessTo(url))).rejects.toThrow('2 node keys: name one by its address');
  const place = await findFarKey(accessTo(url, OTHER_ADDRESS));
  expect(place.publicKey).toEqual(secp256k1().publicKey(OTHER));
  await expect(findFarKey(accessTo(url, ACCOUNT_ADDRESS))).rejects.toThrow('no node key');
});

it('is no account, and no account is a node key', async () => {
  const { ask, signer } = await start(
    ...['--node-keys-path', keys(NODE), '--hex-keys-path', hexKeys(ACCOUNT)],
  );
  expect((await ask('eth_accounts', [])).result).toEqual([ACCOUNT_ADDRESS]);
  expect((await ask('eth_sign', [NODE_ADDRESS, '0x01'])).error).toBeDefined();
  const sent = {
    from: NODE_ADDRESS,
    to: NODE_ADDRESS,
    gas: '0x5208',
    gasPrice: '0x0',
    nonce: '0x0',
  };
  expect((await ask('eth_signTransaction', [sent])).error).toBeDefined();
  expect((await ask('eth_sendTransaction', [sent])).error).toBeDefined();
  const rest = `http://127.0.0.1:${signer.port}/api/v1/eth1`;
  const identifier = toHex(secp256k1().publicKey(NODE));
  expect(await (await fetch(`${rest}/publicKeys`)).json()).toEqual([
    toHex(secp256k1().publicKey(ACCOUNT)),
  ]);
  const signed = await fetch(`${rest}/sign/${identifier}`, {
    method: 'POST',
    body: JSON.stringify({ data: '0x01' }),
  });
  expect(signed.status).toBe(404);
  for (const method of ['nodekey_sign', 'nodekey_publicKey', 'nodekey_ecdh'])
    expect((await ask(method, [ACCOUNT_ADDRESS, toHex(HASH)])).error.data.reason).toContain(
      'no node key that this caller may use',
    );
});

it('one key for both is refused at the start, and a reload does not make it an account', async () => {
  const hex = hexKeys(NODE);
  await expect(start('--node-keys-path', keys(NODE), '--hex-keys-path', hex)).rejects.toThrow(
    `${NODE_ADDRESS} is an account too`,
  );
  const later = hexKeys();
  const { ask, signer } = await start('--node-keys-path', keys(NODE), '--hex-keys-path', later);
  for (const key of [NODE, ACCOUNT]) writeFileSync(join(later, bareHex(key)), bareHex(key));
  signer.reload();
  await until(async () => (await ask('eth_accounts', [])).result.length > 0);
  expect((await ask('eth_accounts', [])).result).toEqual([ACCOUNT_ADDRESS]);
  expect((await ask('eth_sign', [NODE_ADDRESS, '0x01'])).error).toBeDefined();
});

it('a folder without keys, or with a bad one, is refused', async () => {
  await expect(start('--node-keys-path', keys())).rejects.toThrow('has no key file');
  const bad = keys(NODE);
  writeFileSync(join(bad, 'x.yaml'), 'type: file-raw\nkeyType: SECP256K1\nprivateKey: "0x00"\n');
  await expect(start('--node-keys-path', bad)).rejects.toThrow('1 keys in');
});

it('anything but a hash, a public key and a node key is refused', async () => {
  const { ask } = await start('--node-keys-path', keys(NODE));
  const refusals = [
    ['nodekey_sign', [NODE_ADDRESS]],
    ['nodekey_sign', [NODE_ADDRESS, '0x01']],
    ['nodekey_sign', [NODE_ADDRESS, 5]],
    ['nodekey_sign', [NODE_ADDRESS, toHex(HASH), '0x']],
    ['nodekey_sign', []],
    ['nodekey_ecdh', [NODE_ADDRESS, toHex(HASH)]],
    ['nodekey_ecdh', [NODE_ADDRESS, `0x${'00'.repeat(64)}`]],
  ] as const;
  for (const [method, params] of refusals)
    expect((await ask(method, params)).error?.code, `${method} ${params}`).toBe(-32602);
});

it('without node keys the methods do not exist', async () => {
  const { ask } = await start();
  expect((await ask('nodekey_sign', [NODE_ADDRESS, toHex(HASH)])).error.code).toBe(-32604);
});

it('a token needs the methods and the key by name', async () => {
  const secret = keyOf(9);
  const { ask, url } = await start(
    ...['--node-keys-path', keys(NODE), '--jwt-secret-file', file('secret', bareHex(secret))],
  );
  const token = (scope: string) => tokenWith(secret, scope);
  const sign = (scope: string) => ask('nodekey_sign', [NODE_ADDRESS, toHex(HASH)], token(scope));
  expect((await ask('nodekey_sign', [NODE_ADDRESS, toHex(HASH)])).error).toBeDefined();
  expect((await sign(`rpc://eth_* account://${NODE_ADDRESS}`)).error).toBeDefined();
  expect((await sign('rpc://nodekey_* account://*')).error).toBeDefined();
  const good = `rpc://nodekey_* account://${NODE_ADDRESS}`;
  expect((await sign(good)).result).toBe(toHex(sign65(HASH, NODE)));
  const tokenFile = file('token', `${token(good)}\n`);
  const place = await findFarKey(accessTo(url, undefined, tokenFile));
  expect(await openNodeKey(place).sign(HASH)).toEqual(sign65(HASH, NODE));
});

it('a policy gives a key only by a rule that names it', async () => {
  const policy = (accounts: string) =>
    file(
      `policy${folders++}.yaml`,
      `version: 1\nrules:\n  - name: all\n    ${accounts}\n    digests: true\n`,
    );
  const path = keys(NODE);
  const all = await start('--node-keys-path', path, '--policy-file', policy('accounts: "*"'));
  expect((await all.ask('nodekey_publicKey', [])).error).toBeDefined();
  const named = policy(`accounts: ["${NODE_ADDRESS}"]`);
  const one = await start('--node-keys-path', path, '--policy-file', named);
  expect((await one.ask('nodekey_publicKey', [])).result).toBe(toHex(secp256k1().publicKey(NODE)));
});

it('uses are counted in the audit log, without hashes', async () => {
  const log = join(folder, 'audit.log');
  const { ask, signer } = await start('--node-keys-path', keys(NODE), '--audit-log', log);
  for (let call = 0; call < 5; call++) await ask('nodekey_sign', [NODE_ADDRESS, toHex(HASH)]);
  endings.pop();
  await signer.close();
  const lines = readFileSync(log, 'utf8').split('\n');
  const uses = lines.filter((line) => line.includes('"nodekey"'));
  expect(uses).toHaveLength(1);
  expect(uses[0]).toContain('"nodekey_sign":5');
  expect(uses[0]).toContain(NODE_ADDRESS);
  expect(lines.join()).not.toContain(bareHex(HASH));
});

it('a key is used at most so many times in a second', async () => {
  const { url } = await start('--node-keys-path', keys(NODE));
  const call = { jsonrpc: '2.0', id: 1, method: 'nodekey_publicKey', params: [] };
  const body = JSON.stringify(Array(500).fill(call));
  const batches = Math.ceil(NODE_KEY_CALLS_PER_SECOND_MAX / 500) + 1;
  const answers = await Promise.all(
    Array.from({ length: batches }, async () =>
      (await fetch(url, { method: 'POST', body })).text(),
    ),
  );
  expect(answers.join()).toContain('Too many requests');
});

function hexKeys(...all: readonly Uint8Array[]): string {
  const path = join(folder, `hex${folders++}`);
  mkdirSync(path);
  for (const key of all) writeFileSync(join(path, bareHex(key)), bareHex(key));
  return path;
}

function tokenWith(secret: Uint8Array, scope: string): string {
  const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 600;
  const signed = `${text({ alg: 'HS256', typ: 'JWT' })}.${text({ sub: 'node', scope, exp })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
