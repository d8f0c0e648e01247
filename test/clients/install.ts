/**
 * Installs a client with all its dependencies into `.cache/clients`, from its own lock file; done
 * once per lock file.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { nodeFor } from '../support/node-versions.ts';
import type { Client } from './clients.ts';

const HERE = import.meta.dirname;
const CACHE = resolve(HERE, '../../.cache/clients');
const run = promisify(execFile);

export interface Installed {
  /** The folder to run its program in. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export async function install(client: Client): Promise<Installed> {
  const { folder, installation } = client;
  const env = await environmentOf(client);
  if (!installation) return { home: join(HERE, folder), env };
  const home = join(CACHE, folder);
  mkdirSync(home, { recursive: true });
  cpSync(join(HERE, folder), home, { recursive: true });
  cpSync(join(HERE, 'contracts'), join(home, 'contracts'), { recursive: true });
  // OpenZeppelin's plugin remembers contracts of an earlier devnet that this one does not have.
  rmSync(join(home, '.openzeppelin'), { recursive: true, force: true });
  const { lockFile, fetch, build } = installation;
  const stamp = join(home, '.installed');
  const wanted = readFileSync(join(home, lockFile), 'utf8');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    await execute(fetch, home, env);
    writeFileSync(stamp, wanted);
  }
  if (build) await execute(build, home, env);
  return { home, env };
}

async function execute([command, ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  await run(command!, args, { cwd, env });
}

/** Tools ask no questions, send no telemetry, and run with a Node version that they support. */
async function environmentOf({ nodeMajor }: Client): Promise<NodeJS.ProcessEnv> {
  const node = await nodeFor(nodeMajor ?? 0);
  const path = [dirname(node), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, CI: 'true', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' };
}
