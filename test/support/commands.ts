/**
 * The commands of README.md, run as a user runs them: in a folder, with a chosen version of Node.
 */
import { type ExecFileOptions, execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { freePorts } from './free-ports.ts';

const OUTPUT_BYTES_MAX = 100_000_000;

/**
 * Runs a program to its end, and resolves with its output on both streams. Rejects with that output
 * when it fails.
 */
export type Run = (program: string, ...args: string[]) => Promise<string>;

/** Runs commands with this Node first on the PATH. */
export function commandsIn(cwd: string, node = process.execPath): Run {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const options: ExecFileOptions = {
    cwd,
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { ...process.env, PATH: path },
  };
  return async (program, ...args) => {
    const line = [program, ...args].join(' ');
    const { stdout, stderr } = await promisify(execFile)(program, args, options).catch((error) => {
      throw new Error(`${line} failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
    });
    return `${stdout}${stderr}`;
  };
}

/**
 * Starts a network with `start`, with its state in `folder`; deploys and calls contracts; stops it.
 */
export async function tryDevnet(
  run: Run,
  { start, folder }: { start: readonly [string, ...string[]]; folder: string },
): Promise<void> {
  const [program, ...args] = start;
  const ports = ['--ports-from', String(await freePorts())];
  await run(program, ...args, '--wait', '--folder', folder, ...ports);
  try {
    await run('node', 'examples/ethers.mjs', join(folder, 'devnet.json'));
  } finally {
    await run('node', 'dist/bundle/cli/main.js', 'devnet', 'stop', '--folder', folder);
  }
}

const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/;

/** Waits for an installation; skips the test when packages cannot be fetched. */
export async function orNotRun<T>(install: Promise<T>, { skip }: TestContext): Promise<T> {
  return install.catch((error: Error) => {
    if (NO_REGISTRY.test(error.message)) return skip('the registry of npm is not reachable');
    throw error;
  });
}
