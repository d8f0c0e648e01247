/**
 * The administration commands of the staking service, while the service runs, is killed and starts
 * again; with both stores.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it, type TestContext } from 'vitest';
import { openStakingStore } from '../../src/services/staking/store/open.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { postgresFor, startTestPostgres } from '../support/postgres.ts';
import { ask, postForm, postJson } from '../support/staking.ts';

const AUDIENCE = 'https://staking.example/';
const MINUTE_MS = 60_000;
/** A pause between requests that may be refused: too many refusals lock the client out. */
const REFUSAL_PAUSE_MS = 300;

interface Done {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a process whose clock is ahead. */
function environment(aheadMs: number): NodeJS.ProcessEnv {
  const code = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  return aheadMs === 0 ? process.env : { ...process.env, NODE_OPTIONS: preload };
}

function quorate(args: readonly string[], aheadMs = 0): Promise<Done> {
  return new Promise((resolve) => {
    const options = { timeout: 300_000, env: environment(aheadMs) };
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code ?? -1) : 0, stdout, stderr });
    });
  });
}

type Store = 'embedded' | 'PostgreSQL';

/** A service with its own store, and functions to call it. */
async function newScene(store: Store, context: TestContext) {
  const postgres =
    store === 'PostgreSQL' ? postgresFor(await startTestPostgres(), context) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'quorate-staking-commands-'));
  const storeUrl = await postgres?.newDatabase();
  const port = await freePorts();
  const printed: string[] = [];
  const secrets: string[] = [];
  let running: ChildProcess | undefined;
  let aheadMs = 0;
  let logged = '';

  const source = { dataFolder: join(folder, 'data'), storeUrl, secretFile: undefined };
  const storeArgs = ['--datadir', source.dataFolder, ...(storeUrl ? ['--store', storeUrl] : [])];
  const url = (path: string) => `http://127.0.0.1:${port}${path}`;

  async function start(): Promise<void> {
    const args = [
      ...['staking', ...storeArgs, '--http.port', String(port), '--api.audience', AUDIENCE],
      ...['--auth.algorithm', 'ES256', '--verbosity', '5'],
    ];
    const child = spawn(process.execPath, [MAIN, ...args], { env: environment(aheadMs) });
    running = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        logged += data;
      });
    }
    await until('it is ready', async () => (await fetch(url('/ready'))).status === 200);
  }

  /** Its clock advances by so much in the meantime. */
  async function killAndStart(laterMs = 0): Promise<void> {
    const ended = new Promise((resolve) => running!.once('exit', resolve));
    running!.kill('SIGKILL');
    await ended;
    aheadMs += laterMs;
    await start();
  }

  /** Runs a command on the service's store, at the service's time. */
  async function command(...args: string[]): Promise<Done> {
    const done = await quorate(['staking', ...args, ...storeArgs], aheadMs);
    printed.push(done.stdout, done.stderr);
    return done;
  }

  /** Runs a command that shows a secret. */
  async function shown(...args: string[]): Promise<{ id: string; secret: string }> {
    const done = await quorate(['staking', ...args, '--json', ...storeArgs], aheadMs);
    expect([done.status, done.stderr]).toEqual([0, '']);
    const { client_id: id, client_secret: secret } = JSON.parse(done.stdout);
    secrets.push(secret);
    return { id, secret };
  }

  const asks = (id: string, secret: string) =>
    postJson(url('/oauth/token'), {
      client_id: id,
      client_secret: secret,
      audience: AUDIENCE,
      grant_type: 'client_credentials',
    });
  await start();
  return {
    ...{ source, url, killAndStart, command, shown, printed, secrets },
    logged: () => logged,
    statusOf: async (id: string, secret: string) => (await asks(id, secret)).status,
    tokenOf: async (id: string, secret: string): Promise<string> =>
      (await asks(id, secret)).body.access_token,
    calls: async (token: string) =>
      (await ask(url('/stakes'), { headers: { authorization: `Bearer ${token}` } })).status,
    keySet: async (): Promise<string[]> =>
      (await ask(url('/.well-known/jwks.json'))).body.keys.map(({ kid }: { kid: string }) => kid),
    async close() {
      running?.kill('SIGKILL');
      await postgres?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Scene = Awaited<ReturnType<typeof newScene>>;

const untilStatus = (what: string, wanted: number, check: () => Promise<number>) =>
  until(what, async () => {
    if ((await check()) === wanted) return true;
    await pause(REFUSAL_PAUSE_MS);
    return false;
  });
const kidOf = (token: string) => decodeProtectedHeader(token).kid;

/** `client add`, `rotate`, `disable`, `list`: the service notices; secrets are shown once. */
async function clients(scene: Scene): Promise<void> {
  const { shown, command, killAndStart, statusOf, tokenOf, calls, secrets } = scene;
  const args = ['client', 'add', '--name', 'treasury', '--audience', AUDIENCE];
  const { id, secret: first } = await shown(...args);
  await untilStatus('the new client is known', 200, () => statusOf(id, first));
  const plain = await command(...args, '--id', 'plain');
  secrets.push(/^client_secret +(\S+)$/m.exec(plain.stdout)![1]!);
  expect(plain.stdout).toContain('it is not shown again');
  // The output that shows a secret is not searched for it.
  scene.printed.splice(scene.printed.indexOf(plain.stdout), 1);

  const { secret: third } = await shown('client', 'rotate', id, '--overlap', '1h');
  await untilStatus('the new secret is valid', 200, () => statusOf(id, third));
  expect(await statusOf(id, first)).toBe(200);
  const token = await tokenOf(id, first);
  await killAndStart(59 * MINUTE_MS);
  expect([await statusOf(id, first), await statusOf(id, third)]).toEqual([200, 200]);
  await killAndStart(2 * MINUTE_MS);
  expect([await statusOf(id, first), await statusOf(id, third)]).toEqual([401, 200]);

  // The oldest of the secrets becomes invalid immediately; the next one when its time is over, in a
  // running service.
  const { secret: fourth } = await shown('client', 'rotate', id, '--overlap', '1s');
  await untilStatus('the older secret is invalid', 401, () => statusOf(id, third));
  expect(await statusOf(id, fourth)).toBe(200);

  const lines = (await command('client', 'list', '--json')).stdout.trim().split('\n');
  const known = lines.map((line) => JSON.parse(line)).find((each) => each.client_id === id);
  expect(known).toMatchObject({ name: 'treasury', disabled: false, audiences: [AUDIENCE] });

  expect(await calls(token)).toBe(200);
  expect((await command('client', 'disable', id)).stdout).toContain('is disabled');
  await untilStatus('its token is refused', 401, () => calls(token));
  expect(await statusOf(id, fourth)).toBe(401);
  const list = (await command('client', 'list')).stdout;
  expect(list).toContain(`${id}  treasury  ${AUDIENCE}  stake:read stake:write`);
  expect(list).toMatch(/treasury.*disabled/);
  const nameless = await command('client', 'rotate');
  expect([nameless.status, nameless.stderr]).toEqual([
    2,
    'Fatal: name the client: its client_id\n',
  ]);
  const stranger = await command('client', 'disable', 'nobody');
  expect([stranger.status, stranger.stderr]).toEqual([1, 'Fatal: there is no client nobody\n']);
}

/**
 * `key rotate`, and `--now`: both survive kill -9, and old tokens stay valid; `--revoke-old` ends
 * them.
 */
async function keys(scene: Scene): Promise<void> {
  const { url, shown, command, killAndStart, statusOf, tokenOf, calls, keySet } = scene;
  const { id, secret } = await shown('client', 'add', '--name', 'k', '--audience', AUDIENCE);
  await untilStatus('the new client is known', 200, () => statusOf(id, secret));
  const rotate = async (...flags: string[]) => {
    const { stdout, stderr } = await command(
      'key',
      'rotate',
      '--auth.algorithm',
      'ES256',
      ...flags,
    );
    expect(stderr).toBe('');
    return /^signing key (\S+):/.exec(stdout)![1]!;
  };
  const tokens = [await tokenOf(id, secret)];
  const first = kidOf(tokens[0]!)!;
  const second = await rotate();
  await until('the new key is published', async () => (await keySet()).includes(second));
  tokens.push(await tokenOf(id, secret));
  expect(kidOf(tokens[1]!)).toBe(first);

  await killAndStart();
  expect(await keySet()).toEqual([first, second]);
  expect(kidOf(await tokenOf(id, secret))).toBe(first);
  await killAndStart(11 * MINUTE_MS);
  tokens.push(await tokenOf(id, secret));
  expect(kidOf(tokens[2]!)).toBe(second);

  // A key that is not in use yet is ignored when another signs immediately.
  const waiting = await rotate();
  const third = await rotate('--now');
  await until('the new key signs', async () => kidOf(await tokenOf(id, secret)) === third);
  tokens.push(await tokenOf(id, secret));
  await killAndStart(11 * MINUTE_MS);
  expect(await keySet()).toEqual([first, second, waiting, third]);
  expect(kidOf(await tokenOf(id, secret))).toBe(third);
  for (const token of tokens) {
    expect(await calls(token)).toBe(200);
    const looked = await postForm(url('/oauth/introspect'), {
      client_id: id,
      client_secret: secret,
      token,
    });
    expect(looked.body.active).toBe(true);
  }

  const last = await rotate('--revoke-old');
  await untilStatus('old tokens are refused', 401, () => calls(tokens[0]!));
  for (const token of tokens) expect(await calls(token)).toBe(401);
  expect(await keySet()).toEqual([last]);
  await killAndStart();
  expect(await keySet()).toEqual([last]);
  for (const token of tokens) expect(await calls(token)).toBe(401);
  expect(await calls(await tokenOf(id, secret))).toBe(200);
}

/** `audit`: who did what; its exit status shows that an entry was tampered with. */
async function audit({ source, command }: Scene): Promise<void> {
  const whole = await command('audit');
  expect([whole.status, whole.stderr]).toEqual([0, '']);
  const actions = whole.stdout
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[3]);
  expect(actions).toEqual(
    expect.arrayContaining(['client add', 'client rotate', 'client disable', 'key rotate']),
  );
  const database = await openStakingStore(source, {});
  await database.query("UPDATE audit SET actor = actor || '!' WHERE number = 2");
  const broken = await command('audit');
  expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining('is broken')]);
  await database.query("UPDATE audit SET actor = replace(actor, '!', '') WHERE number = 2");
  expect((await command('audit')).status).toBe(0);
  await database.close();
}

/** Secrets are not in the data folder, the database, a log, or the output of other commands. */
async function keepsNoSecret({ source, secrets, printed, logged }: Scene): Promise<void> {
  expect(secrets.length).toBeGreaterThan(4);
  const files = readdirSync(source.dataFolder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(source.dataFolder, name))
    .filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) expect(statSync(path).mode & 0o077).toBe(0);
  const database = await openStakingStore(source, {});
  const tables = ['client', 'client_secret', 'signing_key', 'audit', 'setting', 'revoked_token'];
  const rows = [];
  for (const table of tables) rows.push(await database.query(`SELECT * FROM ${table}`));
  await database.close();
  expect(JSON.stringify(rows)).toContain('scrypt$');
  const places = [
    ...files.map((path) => readFileSync(path)),
    JSON.stringify(rows),
    logged(),
    ...printed,
  ];
  for (const secret of secrets) {
    const forms = [
      secret,
      Buffer.from(secret).toString('base64').slice(0, 40),
      encodeURIComponent(secret),
    ];
    for (const place of places) for (const form of forms) expect(place.includes(form)).toBe(false);
  }
  expect(logged()).toContain('Staking service is up');
}

describe('beside a running service', () => {
  it.concurrent.for(['embedded', 'PostgreSQL'] as const)('%s', async (store, context) => {
    const scene = await newScene(store, context);
    try {
      await clients(scene);
      await keys(scene);
      await audit(scene);
      await keepsNoSecret(scene);
    } finally {
      await scene.close();
    }
  });
});
