/** The commands of README.md, run as a person runs them: in a folder, with a Node of their choice. */
import { type ExecFileOptions, execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.ts';
import { scratchFolder } from './scratch.ts';

const OUTPUT_BYTES_MAX = 100_000_000;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** What a project in `cwd` prints to whom has this Node first on the PATH. Rejects with what was printed. */
export function commandsIn(cwd: string, node = process.execPath) {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const options: ExecFileOptions = {
    cwd,
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { ...process.env, PATH: path },
  };
  return async (program: string, ...args: string[]): Promise<Ended> => {
    try {
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return { stdout: String(stdout), stderr: String(stderr) };
    } catch (error) {
      const { stdout, stderr } = error as Ended;
      const line = [program, ...args].join(' ');
      throw new Error(`${line} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  };
}

/** Starts a network by `start`, uses it, and stops it. The log of node 1 is returned. */
export async function useDevnet(
  run: ReturnType<typeof commandsIn>,
  start: readonly [string, ...string[]],
): Promise<void> {
  const folder = scratchFolder('quorate-devnet-');
  const [program, ...args] = start;
  const place = ['--folder', folder];
  await run(program, ...args, '--wait', ...place, '--ports-from', String(await freePorts()));
  try {
    await run('node', 'examples/ethers.mjs', join(folder, 'devnet.json'));
  } finally {
    await run('node', 'dist/cli/main.js', 'devnet', 'stop', ...place);
  }
  rmSync(folder, { recursive: true, force: true });
}
