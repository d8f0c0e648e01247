/**
 * The package as a user gets it: packed, installed in an empty folder, imported, type-checked, and
 * used against a server that is not ours.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../support/devnet.ts';
import { packed } from '../support/packed.ts';

const run = promisify(execFile);
const SECRET = 'the-secret-of-the-client-which-nobody-sees';
const UNPACKED_BYTES_MAX = 12_000_000;
const OPAQUE = 'q9X-opaque_token.that~is/no+web=token';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-package-'));
  const archive = await packed(folder);
  const home = join(folder, 'node_modules', 'quorate');
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', home, '--strip-components=1']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has code and documents, and no development files', () => {
  const home = join(folder, 'node_modules', 'quorate');
  for (const path of [
    'dist/bundle/cli/main.js',
    'dist/bundle/io/crypto/deposit-worker.js',
    'dist/clients/staking-client.d.ts',
    ...['client', 'ethers', 'viem'].map((name) => `dist/clients/${name}.d.ts`),
    'dist/web/widget.js',
    'dist/web/operator.js',
    'LICENSE',
    'README.md',
  ]) {
    expect([path, existsSync(join(home, path))]).toEqual([path, true]);
  }
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const wrong = names.filter((name) =>
    /\.test\.|(^|[\\/])test[\\/]|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(name),
  );
  expect(wrong).toEqual([]);
  const files = names.map((name) => statSync(join(home, name))).filter((each) => each.isFile());
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(UNPACKED_BYTES_MAX);
});

it('type-checks in a project of its own', async () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `import { type Stake, StakingClient, StakingError } from 'quorate/staking-client';
export async function use(): Promise<string | null> {
  const client = new StakingClient({
    authUrl: 'https://a.example', apiUrl: 'https://b.example', audience: 'x', clientId: 'y', clientSecret: 'z',
  });
  const answer = await client.stake({ withdrawal_pubkey: '0x', amount: '1' }, 'key');
  const stake: Stake = await client.findStake(answer.stakes[0]!.id);
  // @ts-expect-error: amounts are strings
  await client.stake({ withdrawal_pubkey: '0x', amount: 1 }, 'key');
  // @ts-expect-error: the idempotency key is required
  await client.stake({ withdrawal_pubkey: '0x', amount: '1' });
  // @ts-expect-error: the secret is not public
  client.clientSecret;
  try {
    await client.rewards({ limit: 1 });
  } catch (error) {
    if (error instanceof StakingError) return \`\${error.status} \${error.code} \${error.retryAfterSeconds}\`;
  }
  return stake.transaction_hash;
}
`,
  );
  writeFileSync(
    join(folder, 'private.ts'),
    `import { PrivacyFlag, quorumRpc } from 'quorate/client';
import { PrivateSigner } from 'quorate/client/ethers';
import { quorateActions } from 'quorate/client/viem';
import { Wallet } from 'ethers';
import { createWalletClient, custom, type EIP1193Provider, parseAbi } from 'viem';
export async function use(provider: EIP1193Provider): Promise<boolean> {
  const terms = { privateFor: ['key'], privacyFlag: PrivacyFlag.partyProtection };
  const client = createWalletClient({ transport: custom(provider) }).extend(quorateActions());
  const call = { abi: parseAbi(['function set(uint256)']), address: '0x', ...terms } as const;
  await client.writePrivateContract({ ...call, functionName: 'set', args: [1n] });
  // @ts-expect-error: the function takes a bigint
  await client.writePrivateContract({ ...call, functionName: 'set', args: ['1'] });
  // @ts-expect-error: the recipients are required
  await client.sendPrivateTransaction({ data: '0x' });
  // @ts-expect-error: an unknown flag
  new PrivateSigner(Wallet.createRandom(), { privateFor: [], privacyFlag: 4 });
  const { receipt } = await client.waitForPrivateReceipts({ hash: '0x' });
  return receipt?.status === 'success' && (await quorumRpc(provider as never).istanbul.isValidator());
}
`,
  );
  for (const library of ['ethers', 'viem']) {
    symlinkSync(join(PROJECT, 'node_modules', library), join(folder, 'node_modules', library));
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022'];
  const args = [
    ...flags,
    '--lib',
    'es2022,dom',
    '--types',
    '',
    '--skipLibCheck',
    'use.ts',
    'private.ts',
  ];
  const compiler = join(PROJECT, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const done = await run(process.execPath, [compiler, ...args], { cwd: folder }).catch(
    (error) => error,
  );
  expect([done.code, done.stdout]).toEqual([undefined, '']);
});

/**
 * A server that behaves like the host in the documentation. `next` holds its next responses, by
 * path.
 */
interface StandIn {
  readonly url: string;
  readonly seen: { path: string; authorization: string | undefined; body: string }[];
  readonly next: Map<string, ((response: ServerResponse, request: IncomingMessage) => void)[]>;
  close(): Promise<void>;
}

async function startStandIn(): Promise<StandIn> {
  const seen: StandIn['seen'] = [];
  const next: StandIn['next'] = new Map();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const path = request.url!.split('?')[0]!;
      seen.push({ path, authorization: request.headers.authorization, body });
      const special = next.get(path)?.shift();
      if (special) return special(response, request);
      if (path === '/oauth/token') return reply(response, 200, token());
      return reply(response, 200, { data: [], next: null });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const token = (more: object = {}) => ({
  access_token: OPAQUE,
  scope: 'read:all',
  expires_in: '86400',
  token_type: 'bearer',
  ...more,
});

function reply(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers = {},
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/html' : 'application/json',
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}

describe('against a server that is not ours', () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn();
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { StakingClient, StakingError } from 'quorate/staking-client';
import { inspect } from 'node:util';
const [, , url, calls] = process.argv;
const client = new StakingClient({
  authUrl: url + '/', apiUrl: url, audience: 'https://api.example/', clientId: 'me', clientSecret: ${JSON.stringify(SECRET)},
});
const said = [];
for (const call of JSON.parse(calls)) {
  const asked = call === 'batch' ? Promise.all([client.stakes(), client.rewards(), client.stakes()])
    : call === 'stake' ? client.stake({ withdrawal_pubkey: '0x' + 'ab'.repeat(20), amount: '32000000000' }, 'key')
    : client.stakes();
  said.push(await asked.then(
    (value) => ({ value }),
    (error) => ({
      own: error instanceof StakingError, status: error.status, code: error.code, message: error.message,
      retry: error.retryAfterSeconds, shown: inspect(error, { depth: 9 }) + inspect(client, { depth: 9, showHidden: true }),
    }),
  ));
}
console.log(JSON.stringify(said));
`,
    );
  });
  afterAll(() => server.close());

  async function use(...calls: string[]): Promise<any[]> {
    server.seen.splice(0);
    const args = [join(folder, 'use.mjs'), server.url, JSON.stringify(calls)];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder });
    expect(stderr).toBe('');
    for (const secret of [SECRET, OPAQUE]) expect(stdout).not.toContain(secret);
    return JSON.parse(stdout);
  }
  const refuses = (path: string, ...answers: Parameters<typeof reply>[]) =>
    server.next.set(
      path,
      answers.map(
        ([, ...rest]) =>
          (response) =>
            reply(response, ...rest),
      ),
    );
  const none = undefined as unknown as ServerResponse;

  it('accepts an opaque token, a lifetime as a string, and a lower-case bearer; requests it once', async () => {
    const [first, second] = await use('batch', 'stakes');
    expect([first.value.length, second.value]).toEqual([3, { data: [], next: null }]);
    const asked = server.seen.filter(({ path }) => path === '/oauth/token');
    expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
      {
        client_id: 'me',
        client_secret: SECRET,
        audience: 'https://api.example/',
        grant_type: 'client_credentials',
      },
    ]);
    const others = server.seen.filter(({ path }) => path !== '/oauth/token');
    expect(new Set(others.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${OPAQUE}`]),
    );
  });

  it("reports that host's errors about an audience, a secret, and too many requests", async () => {
    const description = 'Service not enabled within domain: https://api.example/';
    refuses(
      '/oauth/token',
      [none, 403, { error: 'access_denied', error_description: description }],
      [none, 401, { error: 'access_denied', error_description: 'Unauthorized' }],
      [
        none,
        429,
        { error: 'too_many_requests', error_description: 'Global limit has been reached' },
        { 'retry-after': '17' },
      ],
    );
    const [audience, secret, limit, good] = await use('stakes', 'stakes', 'stakes', 'stakes');
    expect(audience).toMatchObject({
      own: true,
      status: 403,
      code: 'access_denied',
      message: `status 403: ${description}`,
    });
    expect(secret).toMatchObject({
      own: true,
      status: 401,
      code: 'access_denied',
      message: 'status 401: Unauthorized',
    });
    expect(limit).toMatchObject({ own: true, status: 429, code: 'too_many_requests', retry: 17 });
    expect(good.value).toEqual({ data: [], next: null });
  });

  it('reports an HTML page in place of a JSON response, an empty response, and a truncated one', async () => {
    const page = '<html><body>502 Bad Gateway</body></html>';
    refuses(
      '/oauth/token',
      [none, 502, page],
      [none, 200, page],
      [none, 200, {}],
      [none, 200, { access_token: 7 }],
    );
    refuses(
      '/stakes',
      [none, 502, page],
      [none, 503, '', { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }],
      [none, 200, '{"data":['],
    );
    const said = await use('stakes', 'stakes', 'stakes', 'stakes', 'stakes', 'stakes', 'stakes');
    expect(said.map(({ own, status, message }) => [own, status, message])).toEqual([
      [true, 502, 'status 502: no JSON'],
      [true, 200, 'status 200: no JSON'],
      [true, 200, "the server's answer holds no bearer token"],
      [true, 200, "the server's answer holds no bearer token"],
      [true, 502, 'status 502: no JSON'],
      [true, 503, 'status 503: no JSON'],
      [true, 200, 'status 200: no JSON'],
    ]);
    expect(said[5].retry).toBeGreaterThan(60);
    expect(said[5].retry).toBeLessThanOrEqual(90);
  });

  it('retries once after 401, with a new token and the same body and key', async () => {
    refuses('/stake', [none, 401, 'Unauthorized']);
    const [said] = await use('stake');
    expect(said.value).toEqual({ data: [], next: null });
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/oauth/token',
      '/stake',
      '/oauth/token',
      '/stake',
    ]);
    expect(server.seen[3]!.body).toBe(server.seen[1]!.body);
  });

  it('sends its secret nowhere else, and never shows it, even if the server does', async () => {
    const other = await startStandIn();
    for (const status of [301, 302, 307, 308]) {
      refuses('/oauth/token', [none, status, '', { location: `${other.url}/oauth/token` }]);
      const [said] = await use('stakes');
      expect(said.value).toBeUndefined();
    }
    expect(other.seen).toEqual([]);
    await other.close();
    const echo = {
      error: `bad ${SECRET}`,
      error_description: `you sent {"client_secret":"${SECRET}"}`,
    };
    refuses('/oauth/token', [none, 400, echo]);
    refuses('/stakes', [none, 400, { error: 'bad', error_description: `Bearer ${OPAQUE}` }]);
    const [first, second] = await use('stakes', 'stakes');
    const denied = { error: 'invalid_token', error_description: `no: ${OPAQUE}` };
    refuses('/stakes', [none, 401, denied], [none, 401, denied]);
    expect((await use('stakes'))[0].message).toBe('status 401: no: ***');
    expect(first.message).toBe('status 400: you sent {"client_secret":"***"}');
    expect(second.message).toBe('status 400: Bearer ***');
  });
});
