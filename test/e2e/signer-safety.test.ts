/**
 * `quorate signer` as a process with all its protections: TLS on both sides, tokens, policy, audit
 * log, metrics, drain.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, pkcs12, type TestCertificate } from '../support/certificates.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';

const KEY = '0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20';
const ACCOUNT = '0x6370ef2f4db3611d657b90667de398a2cc2a370c';
const GOOD = `0x${'11'.repeat(20)}`;
const BAD = `0x${'22'.repeat(20)}`;
const SECRET = '5e'.repeat(32);
const PASSWORD = 'store-password';

const folder = mkdtempSync(join(tmpdir(), 'signer-safety-'));
const at = (name: string): string => join(folder, name);
const certificates = ['signer', 'node', 'ops', 'stranger'].map((name) => makeCertificate(name));
const [own, nodes, ops, stranger] = certificates as [
  TestCertificate,
  TestCertificate,
  TestCertificate,
  TestCertificate,
];
const print = ({ cert }: TestCertificate): string => new X509Certificate(cert).fingerprint256;

interface Seen {
  readonly method: string;
  readonly certificate: string;
  readonly headers: Record<string, unknown>;
}
let node: https.Server;
let nodePort = 0;
const seen: Seen[] = [];
/** Answers that the node holds back. */
const held: (() => void)[] = [];
let holds = false;

interface Process {
  readonly child: ChildProcess;
  readonly ports: { http: number; metrics: number };
  output(): string;
  readonly ended: Promise<number | null>;
}

beforeAll(async () => {
  writeFileSync(at('own.p12'), pkcs12(own, PASSWORD));
  writeFileSync(at('password'), `${PASSWORD}\n`);
  writeFileSync(at('clients'), `# who may come\nops ${print(ops)}\n`);
  writeFileSync(at('secret'), SECRET);
  writePolicy(GOOD);
  const tls = { key: nodes.key, cert: nodes.cert, requestCert: true, rejectUnauthorized: false };
  node = https.createServer(tls, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, id } = JSON.parse(body);
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    seen.push({ method, certificate: String(subject?.CN), headers: request.headers });
    const result = method === 'eth_getTransactionCount' ? '0x0' : `0x${'00'.repeat(32)}`;
    const reply = () => response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (holds) held.push(reply);
    else reply();
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  nodePort = (node.address() as AddressInfo).port;
  writeFileSync(at('servers'), `127.0.0.1:${nodePort} ${print(nodes)}\n`);
});

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  node?.close();
  node?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

function writePolicy(to: string): void {
  writeFileSync(
    at('policy.yaml'),
    `version: 1
callers:
  - name: payments
    certificate: ops
    token: { sub: pay }
rules:
  - name: suppliers
    callers: [payments]
    accounts: ["${ACCOUNT}"]
    to: ["${to}"]
    maxValue: 1 ether
`,
  );
}

function argumentsOf(): string[] {
  return [
    ...['signer', '--chain-id=1337', '--http-listen-port=0', `--data-path=${at('data')}`],
    ...[`--tls-keystore-file=${at('own.p12')}`, `--tls-keystore-password-file=${at('password')}`],
    ...[`--tls-known-clients-file=${at('clients')}`, `--downstream-http-port=${nodePort}`],
    // Longer than a request is held back on a busy machine.
    '--downstream-http-request-timeout=60000',
    ...['--downstream-http-tls-enabled=true', '--downstream-http-tls-ca-auth-enabled', 'false'],
    `--downstream-http-tls-known-servers-file=${at('servers')}`,
    `--downstream-http-tls-keystore-file=${at('own.p12')}`,
    `--downstream-http-tls-keystore-password-file=${at('password')}`,
    ...[`--policy-file=${at('policy.yaml')}`, `--audit-log=${at('audit')}`],
    ...[`--jwt-secret-file=${at('secret')}`, '--http-max-body-bytes=100000'],
    ...['--metrics-enabled', '--metrics-port=0', '--access-logs-enabled', '--logging=TRACE'],
    ...['raw-signer', `--key=${KEY}`],
  ];
}

async function start(): Promise<Process> {
  const child = spawn(process.execPath, [MAIN, ...argumentsOf()], { cwd: folder });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const file = at('data/ethsigner.ports');
  await until('the proxy is up', () => existsSync(file) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(output);
  const lines = readFileSync(file, 'utf8').split('\n');
  const port = (name: string) =>
    Number(lines.find((line) => line.startsWith(`${name}=`))!.split('=')[1]);
  const ports = { http: port('http-jsonrpc'), metrics: port('metrics-port') };
  return { child, ports, ended, output: () => output };
}

function quorate(...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? -1) : 0, output: stdout + stderr }),
    );
  });
}

/** Valid for longer than these tests take on the slowest machine. */
const token = (sub: string): Promise<string> =>
  new SignJWT({ sub })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('6h')
    .sign(Buffer.from(SECRET, 'hex'));

interface Told {
  readonly status: number;
  readonly body: any;
}

function post(
  port: number,
  body: unknown,
  options: https.RequestOptions & { readonly bearer?: string } = {},
): Promise<Told> {
  const { bearer, headers, ...rest } = options;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = https.request({
      ...{ host: '127.0.0.1', port, method: 'POST', agent: false, rejectUnauthorized: false },
      ...{ key: ops.key, cert: ops.cert, ...rest },
      headers: {
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(headers as object),
      },
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      let told = '';
      for await (const chunk of response) told += chunk;
      const isJson = told.startsWith('{');
      resolve({ status: response.statusCode!, body: isJson ? JSON.parse(told) : told });
    });
    request.end(text);
  });
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
const send = (to: string, more: object = {}) =>
  call('eth_sendTransaction', { from: ACCOUNT, to, value: '0x1', ...more });

describe('a proxy with all protections', () => {
  let proxy: Process;
  let bearer: string;
  beforeAll(async () => {
    proxy = await start();
    bearer = await token('pay');
  });
  const ask = (body: unknown, more: Parameters<typeof post>[2] = {}) =>
    post(proxy.ports.http, body, { bearer, ...more });

  it('signs what the policy allows, and sends the node its certificate but not the token', async () => {
    seen.length = 0;
    const told = await ask(send(GOOD));
    expect(told).toMatchObject({ status: 200, body: { id: 1 } });
    expect(told.body.result).toMatch(/^0x[0-9a-f]{64}$/);
    const sent = seen.find(({ method }) => method === 'eth_sendRawTransaction');
    expect(sent?.certificate).toBe('signer');
    expect(sent?.headers.authorization).toBeUndefined();
    expect((await ask(call('eth_accounts'))).body.result).toEqual([ACCOUNT]);
  });

  it('refuses everything else with the name of the rule, and none of it reaches the node', async () => {
    seen.length = 0;
    const refused = async (body: unknown) => (await ask(body)).body.error.message;
    expect(await refused(send(BAD))).toBe(
      `Refused by policy: rule "suppliers": to ${BAD} is not among its recipients`,
    );
    expect(await refused(send(GOOD, { value: `0x${(10n ** 18n + 1n).toString(16)}` }))).toContain(
      'maxValue',
    );
    expect(await refused(call('eth_sign', ACCOUNT, '0xab'))).toContain('messages are not signed');
    const batch = await ask(JSON.stringify([send(BAD), call('eth_sign', ACCOUNT, '0xab')]));
    expect(batch.body).toContain('Refused by policy');
    const rest = await ask({ data: '0xab' }, { path: `/api/v1/eth1/sign/0x${'ab'.repeat(64)}` });
    expect(rest.status).toBe(404);
    expect(seen).toEqual([]);
  });

  it('requires a known certificate and a valid token', async () => {
    const { http } = proxy.ports;
    const showing = ({ key, cert }: Partial<TestCertificate>) => ({ bearer, key, cert });
    await expect(post(http, send(GOOD), showing(stranger))).rejects.toThrow();
    await expect(post(http, send(GOOD), showing({}))).rejects.toThrow();
    const none = await post(http, send(GOOD));
    expect(none).toMatchObject({ status: 401, body: { error: { code: -40100 } } });
    expect(none.body.error.message).toBe('Unauthorized: missing access token');
    const other = await post(http, send(GOOD), { bearer: await token('other') });
    expect(other).toMatchObject({ status: 403 });
    const plain = await fetch(`http://127.0.0.1:${http}/`).catch(() => undefined);
    expect(plain).toBeUndefined();
  });

  it('checks hosts, origins and limits on every path', async () => {
    for (const path of ['/', '/upcheck', '/api/v1/eth1/publicKeys', '/reload']) {
      const foreign = await ask('{}', { path, headers: { host: 'evil.example' } });
      expect(foreign).toEqual({ status: 403, body: { message: 'Host not authorized.' } });
      const page = await ask('{}', { path, headers: { origin: 'https://evil.example' } });
      expect(page).toEqual({ status: 403, body: '' });
    }
    const large = 'x'.repeat(100_001);
    expect((await ask(large)).status).toBe(413);
    const chunked = { headers: { 'transfer-encoding': 'chunked' } };
    const cut = await ask(large, chunked).catch(() => ({ status: 413 }));
    expect(cut.status).toBe(413);
  });

  it('shows its metrics to allowed hosts', async () => {
    const url = `http://127.0.0.1:${proxy.ports.metrics}/metrics`;
    const text = await (await fetch(url)).text();
    expect(text).toContain('signing_signers_loaded_count 1');
    expect(text).toMatch(/signer_refusals_total\{reason="policy"\} [1-9]/);
    expect(text).toMatch(/http_vertx_worker_pool_completed_total\{.*\} [1-9]/);
  });

  it('a reload by signal: the new policy applies immediately', async () => {
    writePolicy(BAD);
    proxy.child.kill('SIGHUP');
    await until('the new policy', async () => !(await ask(send(BAD))).body.error);
    expect((await ask(send(GOOD))).body.error.message).toContain('not among its recipients');
    writeFileSync(at('policy.yaml'), 'version: 1\nrules:\n  - acounts: x\n');
    proxy.child.kill('SIGHUP');
    await until('the complaint', () => proxy.output().includes('line 3: a rule has no member'));
    expect((await ask(send(BAD))).body.error).toBeUndefined();
  });

  it('SIGTERM: pending requests are answered, new ones refused, and the audit log is complete', async () => {
    holds = true;
    const pending = ask(call('net_version'));
    await until('the node has it', () => held.length === 1);
    proxy.child.kill('SIGTERM');
    await until('it takes no more', async () =>
      ask(call('eth_accounts')).then(
        (told) => told.status === 503,
        () => true,
      ),
    );
    expect(proxy.child.exitCode).toBeNull();
    holds = false;
    held.splice(0)[0]!();
    const told = await pending;
    expect(told.status, JSON.stringify(told.body)).toBe(200);
    expect(await proxy.ended).toBe(0);
    expect(existsSync(at('data/ethsigner.ports'))).toBe(false);
    const checked = await quorate('signer', 'audit-verify', at('audit'));
    expect(checked).toMatchObject({ status: 0, output: expect.stringContaining('are valid') });
    const lines = readFileSync(at('audit'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const sent = lines.filter(({ outcome }) => /^0x[0-9a-f]{64}$/.test(outcome));
    expect(sent[0]).toMatchObject({ caller: 'payments', account: ACCOUNT, to: GOOD, value: '1' });
    expect(lines.some(({ outcome }) => outcome?.startsWith('Refused by policy'))).toBe(true);
    expect(proxy.output()).toMatch(/^\S+ - - \[.* GMT\] "POST \/ HTTP\/1.1" 200 \d+ /m);
  });

  it('no secret in any log', () => {
    const all = proxy.output() + readFileSync(at('audit'), 'utf8');
    for (const secret of [KEY, SECRET, PASSWORD, bearer, bearer.split('.')[2]!])
      expect(all).not.toContain(secret);
  });

  it('kill -9 under load: every answered request is in the audit log, and the next start continues', async () => {
    writePolicy(GOOD);
    const doomed = await start();
    const hashes: string[] = [];
    const more = async (): Promise<void> => {
      while (doomed.child.exitCode === null && doomed.child.signalCode === null) {
        // On a busy machine a connection may fail earlier.
        const told = await post(doomed.ports.http, send(GOOD), { bearer }).catch(() => undefined);
        if (told?.body.result) hashes.push(told.body.result);
      }
    };
    const loads = [more(), more(), more(), more()];
    await until('some are signed', () => hashes.length > 20);
    doomed.child.kill('SIGKILL');
    await doomed.ended;
    await Promise.all(loads);
    rmSync(at('data/ethsigner.ports'), { force: true });
    const next = await start();
    next.child.kill('SIGTERM');
    expect(await next.ended).toBe(0);
    expect((await quorate('signer', 'audit-verify', at('audit'))).status).toBe(0);
    const text = readFileSync(at('audit'), 'utf8');
    expect(text.match(/"outcome":"0x/g)!.length).toBeGreaterThanOrEqual(hashes.length);
    const changed = text.replace('"value":"1"', '"value":"2"');
    writeFileSync(at('changed'), changed);
    const caught = await quorate('signer', 'audit-verify', at('changed'));
    expect(caught.status).toBe(1);
    expect(caught.output).toMatch(/changed: line \d+: its hash does not match its text/);
  });
});

describe('refused starts', () => {
  it('bad arguments with status 2, bad files with status 1', async () => {
    const base = argumentsOf();
    const without = (flag: string) => base.filter((one) => !one.startsWith(flag));
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [without('--chain-id'), 2, 'Missing required option(s): --chain-id'],
      [[...base, '--config-file=none.yaml'], 2, 'File not found: none.yaml'],
      [[...base, `--policy-file=${at('clients')}`], 1, 'line '],
      [[...base, `--tls-keystore-password-file=${at('secret')}`], 1, 'Failed to load TLS files'],
    ];
    const told = await Promise.all(cases.map(([args]) => quorate(...args)));
    for (const [index, { status, output }] of told.entries()) {
      expect(output).toContain(cases[index]![2]);
      expect(status, output).toBe(cases[index]![1]);
    }
  });
});
