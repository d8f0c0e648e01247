/**
 * A real HashiCorp Vault or OpenBao, if available: a binary named `vault` or `bao` on the PATH, or
 * in QUORATE_TEST_VAULT.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

const READY_MS = 60_000;
const ROOT_TOKEN = 'root-of-tests';

export interface RealVault {
  readonly url: string;
  readonly token: string;
  close(): void;
}

/** undefined: there is none. It runs in memory, unsealed, with a version 2 engine at /secret. */
export async function startRealVault(): Promise<RealVault | undefined> {
  const binary = process.env.QUORATE_TEST_VAULT ?? onPath('vault') ?? onPath('bao');
  if (binary === undefined) return undefined;
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    binary,
    [
      'server',
      '-dev',
      `-dev-root-token-id=${ROOT_TOKEN}`,
      `-dev-listen-address=${address}`,
      '-dev-no-store-token',
    ],
    { stdio: 'ignore' },
  );
  const vault = { url: `http://${address}`, token: ROOT_TOKEN, close: () => void child.kill() };
  try {
    await isReady(vault.url, child);
  } catch (error) {
    vault.close();
    throw error;
  }
  return vault;
}

async function isReady(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + READY_MS;
  while (Date.now() < end && child.exitCode === null) {
    const answer = await fetch(`${url}/v1/sys/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the vault does not start');
}

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
