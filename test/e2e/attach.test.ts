/**
 * The console as users start it, against a server with recorded replies: every kind of connection,
 * with the input of a terminal piped.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { makeCertificate } from '../support/certificates.ts';
import { MAIN } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { genesisFile } from '../support/genesis-file.ts';
import { scratchFolder } from '../support/scratch.ts';

const DATA = new URL('../vectors/data/goquorum/console.json', import.meta.url);
const { replies } = JSON.parse(readFileSync(DATA, 'utf8')) as { replies: Record<string, unknown> };
const folder = scratchFolder('quorate-attach-');
const socketFile = join(folder, 'geth.ipc');

/** What the server received with each request besides the call. */
const seen: { psi?: unknown; authorization?: unknown; id?: unknown }[] = [];
const servers: Server[] = [];
let httpUrl = '';
let httpsUrl = '';

function answer(body: string): string {
  const { id, method } = JSON.parse(body) as { id: unknown; method: string };
  const result = method === 'eth_getPSI' ? (seen.at(-1)?.psi ?? 'private') : replies[method];
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    ...(result === undefined ? refused(method) : { result }),
  });
}
const refused = (method: string) => ({
  error: { code: -32_601, message: `the method ${method} does not exist/is not available` },
});

function onRequest(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', (piece: Buffer) => {
    body += piece;
  });
  request.on('end', () => {
    const { authorization, 'quorum-psi': psi } = request.headers;
    seen.push({ authorization, psi });
    response.setHeader('content-type', 'application/json');
    response.end(answer(body));
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = (server: Server, place: number | string): Promise<void> =>
  new Promise((resolve) => {
    servers.push(server);
    if (typeof place === 'string') server.listen(place, () => resolve());
    else server.listen(place, '127.0.0.1', () => resolve());
  });

beforeAll(async () => {
  const plain = createServer(onRequest);
  const { key, cert } = makeCertificate('node');
  writeFileSync(join(folder, 'node.pem'), cert);
  const secure = createSecureServer({ key, cert }, onRequest);
  const sockets = new WebSocketServer({ server: plain });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => socket.send(answer(data.toString())));
  });
  const ipc = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const body = data.toString();
      seen.push({ id: (JSON.parse(body) as { id: unknown }).id });
      socket.write(`${answer(body)}\n`);
    });
  });
  await Promise.all([listening(plain, 0), listening(secure, 0), listening(ipc, socketFile)]);
  httpUrl = `http://127.0.0.1:${portOf(plain)}`;
  httpsUrl = `https://127.0.0.1:${portOf(secure)}`;
});
afterAll(() => {
  for (const server of servers) server.close();
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `onText` is called with everything printed so far. */
function quorate(
  args: readonly string[],
  parts: {
    input?: string;
    env?: object;
    onText?: (text: string, child: ReturnType<typeof spawn>) => void;
  } = {},
): Promise<Ended> {
  const env = { ...process.env, HOME: folder, ...parts.env };
  const child = endsWithTest(spawn(process.execPath, [MAIN, ...args], { env }));
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (piece: Buffer) => {
      said[name] += piece;
      parts.onText?.(said.stdout, child);
    });
  }
  if (!parts.onText) child.stdin.end(parts.input ?? '');
  else if (parts.input !== undefined) child.stdin.write(parts.input);
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, ...said }));
  });
}

describe('quorate attach', () => {
  it('answers one statement over HTTP, WebSocket, TLS and the socket in the data folder', async () => {
    const ways = [
      [httpUrl],
      [httpUrl.replace('http:', 'ws:')],
      [httpsUrl, '--rpcclitls.cert', join(folder, 'node.pem')],
      [httpsUrl, '--rpcclitls.insecureskipverify'],
      [socketFile],
      ['--datadir', folder],
    ];
    for (const way of ways) {
      const { status, stdout, stderr } = await quorate([
        'attach',
        '--exec',
        'eth.blockNumber',
        ...way,
      ]);
      expect({ status, stdout, stderr }, way.join(' ')).toEqual({
        status: 0,
        stdout: '5\n',
        stderr: '',
      });
    }
  });

  it('carries the access token and the private state, in headers over HTTP, and in the id over IPC', async () => {
    const env = { QUORUM_PSI: 'PS1' };
    const token = ['--rpcclitoken', 'Bearer abc'];
    await quorate(['attach', ...token, '--exec', 'eth.getPSI()', httpUrl], { env });
    expect(seen.at(-1)).toEqual({ authorization: 'Bearer abc', psi: 'PS1' });
    await quorate(['attach', '--exec', 'eth.getPSI()', socketFile], { env });
    expect(seen.at(-1)!.id).toMatch(/^PS1\/\d+$/);
  });

  it('refuses targets that it cannot attach to, with the reason', async () => {
    const refusals: [string[], RegExp][] = [
      [
        [join(folder, 'none.ipc')],
        /^Fatal: Unable to attach to remote geth: dial unix .*none\.ipc: /,
      ],
      [
        ['http://127.0.0.1:1'],
        /^Fatal: Unable to attach to remote geth: Post "http:\/\/127\.0\.0\.1:1\/": /,
      ],
      [['ftp://x'], /no known transport for URL scheme "ftp"/],
      [[httpsUrl], /certificate/],
      [
        [httpsUrl, '--rpcclitls.cacert', MAIN],
        /--rpcclitls\.cacert: .* holds no certificate in PEM/,
      ],
      [['--preload', 'nothing.js', httpUrl], /--preload: .*nothing\.js/],
    ];
    for (const [args, text] of refusals) {
      const { status, stderr } = await quorate(['attach', '--exec', '1', ...args]);
      expect(stderr).toMatch(text);
      expect(status, stderr).toBeGreaterThan(0);
    }
  });

  it('is interactive: welcome, scripts from files, statements over several lines, and a history without secrets', async () => {
    writeFileSync(join(folder, 'first.js'), 'var loaded = "first"');
    writeFileSync(join(folder, 'second.js'), 'loaded + " second"');
    const input = [
      'loadScript("second.js")',
      'var a = {',
      '  b: "}"',
      '}',
      'a',
      'personal.unlockAccount(eth.accounts[0])',
      'a password',
      'Promise.reject(new Error("left alone"))',
      'exit',
      'never',
    ].join('\n');
    const scripts = ['--jspath', folder, '--preload', 'first.js'];
    const data = ['--datadir', folder];
    const { status, stdout } = await quorate(['attach', ...scripts, ...data, httpUrl], { input });
    expect(status).toBe(0);
    expect(stdout).toContain(`Welcome to the Geth JavaScript console!

instance: Geth/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.26.8
coinbase: 0x8d1ac8415b13894b08a51858043c1419b87fb46e
at block: 5 (`);
    expect(stdout).toContain(' datadir: /data\n modules: admin:1.0 debug:1.0 eth:1.0');
    expect(stdout).toContain('"first second"\n');
    expect(stdout).toContain('> \n... \n... \nundefined\n> \n{\n  b: "}"\n}\n');
    expect(stdout).toContain('Unlock account 0xed9d02e382b34818e88b88a309c7fe71e65f419d\n');
    expect(stdout).toContain('Error: left alone');
    expect(stdout).not.toContain('never');
    const history = readFileSync(join(folder, 'history'), 'utf8');
    expect(history).toContain('loadScript("second.js")');
    expect(history).not.toContain('unlockAccount');
    expect(history).not.toContain('a password');
  });

  it('ends a script that does not end, and continues', async () => {
    const endless = [
      'for (;;);',
      'admin.sleep(1e6);',
      '(async function () { for (;;) await null })();',
    ];
    let next = 0;
    const { status, stdout } = await quorate(['attach', httpUrl], {
      input: `console.log("begun 0"); ${endless[0]}\n`,
      onText(text, child) {
        if (text.includes(`begun ${next}\n`)) {
          next++;
          child.kill('SIGINT');
          const more = endless[next];
          const line =
            more === undefined
              ? '"still " + "here"\nexit'
              : `console.log("begun ${next}"); ${more}`;
          child.stdin!.write(`${line}\n`);
        }
      },
    });
    expect(stdout.match(/interrupted/g)).toHaveLength(3);
    expect(stdout).toContain('"still here"');
    expect(status).toBe(0);
  });
});

describe('quorate console', () => {
  const genesis = join(folder, 'genesis.json');
  const node = ['--datadir', join(folder, 'data'), '--genesis', genesis, '--port', '0'];
  beforeAll(async () => {
    await installCrypto();
    const content = genesisFile({ engine: 'qbft', validators: [`0x${'11'.repeat(20)}`] });
    writeFileSync(genesis, JSON.stringify(content));
  });

  it('runs a node while the statement runs, and logs to standard error', async () => {
    const ran = await quorate(['console', ...node, '--exec', 'admin.nodeInfo.name']);
    expect(ran.stdout).toMatch(/^"Quorate\/.*"\n$/);
    expect(ran.stderr).toMatch(/shutting down/);
    expect(ran.status).toBe(0);
  });

  it("reaches its node without a socket, and accepts geth's order of arguments", async () => {
    const args = ['geth', '--exec', 'eth.blockNumber', ...node, '--ipcdisable', 'console'];
    expect(await quorate(args)).toMatchObject({ status: 0, stdout: '0\n' });
  });

  it('runs files until none of their timers is pending, like geth js; options from the environment', async () => {
    writeFileSync(
      join(folder, 'first.js'),
      'var begun = eth.blockNumber; setTimeout(function () { console.log("late", begun) }, 20);',
    );
    writeFileSync(join(folder, 'second.js'), 'console.log("second", admin.nodeInfo.name)');
    const files = ['first.js', 'second.js'].map((name) => join(folder, name));
    const variables = { GETH_DATADIR: join(folder, 'data'), QUORATE_NODE_IDENTITY: 'ours' };
    const env = { ...variables, GETH_PORT: '0', QUORATE_NODE_IPCDISABLE: 'true' };
    const ran = await quorate(['geth', '--genesis', genesis, 'js', ...files], { env });
    expect(ran).toMatchObject({ status: 0 });
    expect(ran.stdout).toMatch(/^second Quorate\/ours\/.*\nlate 0\n$/);
    writeFileSync(join(folder, 'bad.js'), 'null.member');
    const failed = await quorate(['js', ...node, join(folder, 'bad.js'), files[1]!]);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^Fatal: Failed to execute: .*bad\.js: TypeError: /m);
    expect(failed.stdout).not.toContain('second');
    const none = await quorate(['js', ...node]);
    expect(none.stderr).toContain('Usage: quorate js <file>...');
    expect(none.status).toBe(2);
  });

  it('ends with a node that cannot start', async () => {
    const { status, stderr } = await quorate([
      'console',
      ...node,
      '--permissioned',
      '--ptm.timeout=x',
    ]);
    expect(status).toBe(2);
    expect(stderr).toContain('--ptm.timeout');
    const blocked = await quorate(['console', '--exec', '1', '--datadir', genesis, '--port', '0']);
    expect(blocked.status).toBe(1);
    expect(blocked.stderr).toMatch(/^Fatal: /m);
  });
});
