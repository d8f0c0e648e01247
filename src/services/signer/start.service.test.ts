/**
 * The whole proxy in this process, started from its options: what the acceptance tests of EthSigner
 * and Web3Signer check.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeCertificate } from '../../../test/support/certificates.ts';
import { until } from '../../../test/support/conditions.ts';
import { standInNode } from '../../../test/support/stand-in-node.ts';
import { signerConfig } from './config.ts';
import { parseSignerOptions } from './options.ts';
import { startSigner } from './start.ts';

const KEY = '0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20';
const ACCOUNT = '0x6370ef2f4db3611d657b90667de398a2cc2a370c';
const RAW = ['raw-signer', '--key', KEY];

const folder = mkdtempSync(join(tmpdir(), 'signer-run-'));
afterAll(() => rmSync(folder, { recursive: true }));
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function start(argv: readonly string[], env: Record<string, string> = {}) {
  const settings = signerConfig(parseSignerOptions(argv, env));
  const signer = await startSigner(settings, { log: () => {}, version: 'x' });
  endings.push(() => signer.close());
  const ask = async (method: string, ...params: unknown[]) => {
    const response = await fetch(`http://127.0.0.1:${signer.port}/`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return {
      status: response.status,
      ...((await response.json()) as { result?: any; error?: any }),
    };
  };
  return { signer, ask };
}

async function node() {
  const made = await standInNode(({ id }) => ({ jsonrpc: '2.0', id, result: '0x7' }));
  endings.push(() => made.close());
  return made;
}

describe('the same run by command line, environment and file', () => {
  const listen = { HTTP_LISTEN_PORT: '0', METRICS_ENABLED: 'true', METRICS_PORT: '0' };
  const named = (prefix: string, pairs: Record<string, string>) =>
    Object.fromEntries(Object.entries(pairs).map(([name, value]) => [prefix + name, value]));

  it('each finds its accounts, passes reads on and counts them', async () => {
    const { port } = await node();
    const keys = join(folder, 'keys');
    mkdirSync(keys);
    writeFileSync(
      join(keys, 'one.yaml'),
      `type: file-raw\nkeyType: SECP256K1\nprivateKey: "0x${KEY}"\n`,
    );
    writeFileSync(
      join(keys, `${ACCOUNT.slice(2)}.toml`),
      `[signing]\ntype = "raw-signer"\npriv-key = "${KEY}"\n`,
    );
    const yaml = file(
      'run.yaml',
      `http-listen-port: 0\nmetrics-enabled: true\nmetrics-port: 0\nkey-store-path: ${keys}\n` +
        `eth1:\n  chain-id: 1337\n  downstream-http-port: ${port}\n`,
    );
    const toml = file(
      'run.toml',
      `http-listen-port = 0\nmetrics-enabled = true\nmetrics-port = 0\nchain-id = "1337"\n` +
        `downstream-http-port = ${port}\n[multikey-signer]\ndirectory = "${keys}"\n`,
    );
    const node1 = { CHAIN_ID: '1337', DOWNSTREAM_HTTP_PORT: String(port) };
    const runs: readonly (readonly [string[], Record<string, string>])[] = [
      [['--config-file', yaml, 'eth1'], {}],
      [[`--config-file=${toml}`, 'multikey-signer'], {}],
      [
        ['eth1'],
        {
          ...named('WEB3SIGNER_', { ...listen, KEY_CONFIG_PATH: keys }),
          ...named('WEB3SIGNER_ETH1_', node1),
        },
      ],
      [
        ['multikey-signer'],
        named('ETHSIGNER_', { ...listen, ...node1, MULTIKEY_SIGNER_DIRECTORY: keys }),
      ],
    ];
    for (const [argv, env] of runs) {
      const { signer, ask } = await start(argv, env);
      expect((await ask('eth_accounts')).result).toEqual([ACCOUNT]);
      expect((await ask('eth_blockNumber')).result).toBe('0x7');
      const upcheck = await fetch(`http://127.0.0.1:${signer.port}/upcheck`);
      expect([upcheck.status, await upcheck.text()]).toEqual([200, 'OK']);
      const metrics = await fetch(`http://127.0.0.1:${signer.metricsPort}/metrics`);
      const text = await metrics.text();
      expect(text).toContain('signing_signers_loaded_count 1\n');
      expect(text).toContain('signer_rpc_requests_total{method="eth_accounts",outcome="ok"} 1\n');
      expect(text).toContain('signer_rpc_requests_total{method="forwarded",outcome="ok"} 1\n');
    }
  });
});

it('accounts and public keys follow a reload', async () => {
  const keys = join(folder, 'reloaded');
  mkdirSync(keys);
  const { signer, ask } = await start([
    ...[`--key-store-path=${keys}`, '--http-listen-port=0', 'eth1'],
    ...['--chain-id=1', '--downstream-http-port=1'],
  ]);
  const url = `http://127.0.0.1:${signer.port}`;
  const times: string[] = [];
  const reloaded = async () => {
    expect((await fetch(`${url}/reload`, { method: 'POST' })).status).toBe(202);
    const done = await until('the reload has ended', async () => {
      const state = (await (await fetch(`${url}/reload`)).json()) as any;
      return state.status === 'running' ? undefined : state;
    });
    times.push(done.lastOperationTime);
    const listed = await (await fetch(`${url}/api/v1/eth1/publicKeys`)).json();
    return [done.status, (await ask('eth_accounts')).result, (listed as string[]).length];
  };
  expect((await ask('eth_accounts')).result).toEqual([]);
  const path = join(keys, 'any name.yaml');
  writeFileSync(path, `type: file-raw\nkeyType: SECP256K1\nprivateKey: "0x${KEY}"\n`);
  expect(await reloaded()).toEqual(['completed', [ACCOUNT], 1]);
  writeFileSync(path, 'type: file-raw\nkeyType: SECP256K1\n');
  expect(await reloaded()).toEqual(['completed_with_errors', [], 0]);
  rmSync(path);
  expect(await reloaded()).toEqual(['completed', [], 0]);
  expect(new Set(times).size).toBe(3);
});

it('an origin that is listed comes back on sends too, and stays here', async () => {
  const origin = 'https://good.example';
  const upstream = await standInNode(({ id }) => ({
    headers: { 'Access-Control-Allow-Origin': 'https://of.the.node' },
    body: JSON.stringify({ jsonrpc: '2.0', id, result: '0x7' }),
  }));
  endings.push(() => upstream.close());
  const { signer } = await start([
    ...['--chain-id=1337', '--http-listen-port=0', `--downstream-http-port=${upstream.port}`],
    ...[`--http-cors-origins=${origin}`, ...RAW],
  ]);
  const send = (from: string) =>
    fetch(`http://127.0.0.1:${signer.port}/`, {
      method: 'POST',
      headers: { origin: from },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction' },
        params: [{ from: ACCOUNT, to: ACCOUNT, nonce: '0x1' }],
      }),
    });
  const answer = await send(origin);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  expect(upstream.received.map(({ headers }) => headers.origin)).toEqual([undefined]);
  const refused = await send('https://evil.example');
  expect([refused.status, await refused.text()]).toEqual([403, '']);
  expect(upstream.received).toHaveLength(1);
});

it('the ports file stands as long as it runs', async () => {
  const data = join(folder, 'data');
  const base = ['--chain-id=1', '--http-listen-port=0', '--downstream-http-port=1'];
  const { signer } = await start([...base, '--data-path', data, ...RAW]);
  const path = join(data, 'ethsigner.ports');
  expect(readFileSync(path, 'utf8')).toContain(`http-jsonrpc=${signer.port}\n`);
  await signer.close();
  expect(existsSync(path)).toBe(false);
});

it('a connection without a request is closed after its time', async () => {
  const { port } = await node();
  const settings = signerConfig(
    parseSignerOptions(
      ['--chain-id=1', '--http-listen-port=0', `--downstream-http-port=${port}`, ...RAW],
      {},
    ),
  );
  const signer = await startSigner({ ...settings, idleMs: 50 }, { log: () => {}, version: 'x' });
  endings.push(() => signer.close());
  const socket = connect(signer.port, '127.0.0.1');
  endings.push(() => socket.destroy());
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET /upcheck HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await ended;
  expect(heard).toMatch(/^HTTP\/1.1 200 OK/);
});

it('a start that fails leaves nothing open', async () => {
  const { port } = await node();
  const log = join(folder, 'left.jsonl');
  const base = ['--chain-id=1', `--http-listen-port=${port}`, '--downstream-http-port=1'];
  await expect(start([...base, '--audit-log', log, ...RAW])).rejects.toMatchObject({
    code: 'SIGNER_LISTEN_FAILED',
  });
  expect(readFileSync(log, 'utf8')).toContain('"event":"stop"');
});

it('a node that is not trusted is answered for with 502, for reads and for sends', async () => {
  const own = makeCertificate('node');
  let asked = 0;
  const server = createServer({ key: own.key, cert: own.cert }, (_request, response) => {
    asked++;
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x7"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  const argv = [
    ...['--chain-id=1337', '--http-listen-port=0', `--downstream-http-port=${port}`],
    '--downstream-http-tls-enabled',
  ];
  const distrusting = await start([...argv, ...RAW]);
  const transaction = { from: ACCOUNT, to: ACCOUNT, value: '0x0' };
  expect((await distrusting.ask('eth_blockNumber')).status).toBe(502);
  expect((await distrusting.ask('eth_sendTransaction', transaction)).status).toBe(502);
  const named = await distrusting.ask('eth_sendTransaction', { ...transaction, nonce: '0x0' });
  expect(named.status).toBe(502);
  expect(asked).toBe(0);
  const print = new X509Certificate(own.cert).fingerprint256;
  const known = file('servers', `127.0.0.1:${port} ${print}\n`);
  const trusting = await start([
    ...argv,
    `--downstream-http-tls-known-servers-file=${known}`,
    ...RAW,
  ]);
  expect(await trusting.ask('eth_blockNumber')).toMatchObject({ status: 200, result: '0x7' });
});

it('at the end, calls under way over a WebSocket are answered, later ones are not taken', async () => {
  let reply: (answer: object) => void = () => {};
  let isAsked = false;
  const slow = createPlainServer((_request, response) => {
    reply = (answer) => response.end(JSON.stringify(answer));
    isAsked = true;
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  endings.push(() => slow.close());
  const { port } = slow.address() as AddressInfo;
  const { signer } = await start([
    ...['--chain-id=1337', '--http-listen-port=0', `--downstream-http-port=${port}`, ...RAW],
  ]);
  const socket = new WebSocket(`ws://127.0.0.1:${signer.port}/`);
  endings.push(() => socket.terminate());
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  const ended = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  const call = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'net_version' });
  socket.send(call(1));
  await until('the node has it', () => isAsked);
  const closed = signer.close();
  socket.send(call(2));
  await until('the second is refused', () => heard.length === 1);
  expect(heard[0]).toContain('shutting down');
  reply({ jsonrpc: '2.0', id: 1, result: '7' });
  expect(await ended).toBe(1001);
  await closed;
  expect(heard[1]).toBe('{"jsonrpc":"2.0","id":1,"result":"7"}');
});

it('a WebSocket is held to hosts, origins, tokens and the policy too', async () => {
  const { port } = await node();
  const policy = file('ws.yaml', 'rules: [{accounts: "*", transactions: false, messages: true}]');
  const { signer } = await start([
    ...['--chain-id=1337', '--http-listen-port=0', `--downstream-http-port=${port}`],
    ...[`--policy-file=${policy}`, '--http-cors-origins=https://good.example', ...RAW],
  ]);
  const open = (headers: Record<string, string>) =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${signer.port}/`, { headers });
      endings.push(() => socket.terminate());
      socket.on('open', () => resolve(socket));
      socket.on('error', reject);
    });
  await expect(open({ origin: 'https://evil.example' })).rejects.toThrow('403');
  await expect(open({ host: 'evil.example' })).rejects.toThrow('403');
  const socket = await open({ origin: 'https://good.example' });
  const ask = (method: string, ...params: unknown[]) =>
    new Promise<any>((resolve) => {
      socket.once('message', (data) => resolve(JSON.parse(String(data))));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
  expect((await ask('eth_sign', ACCOUNT, '0xab')).result).toMatch(/^0x[0-9a-f]{130}$/);
  const refused = await ask('eth_sendTransaction', { from: ACCOUNT, to: ACCOUNT });
  expect(refused.error.message).toBe('Refused by policy: rule "#1": transactions are not signed');
});
