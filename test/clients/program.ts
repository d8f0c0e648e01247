/**
 * A client's program: run in the folder that it is installed in, with its task in a file; the last
 * line that it prints is its result.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './clients.ts';
import type { Installed } from './install.ts';

const run = promisify(execFile);
const PATIENCE_MS = 170_000;

export async function runProgram<T>(
  { command }: Pick<Client, 'command'>,
  { home, env }: Installed,
  task: object,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-client-'));
  const file = join(folder, 'task.json');
  writeFileSync(file, JSON.stringify(task));
  const [program, ...args] = command(file);
  try {
    const { stdout } = await run(program!, args, {
      cwd: home,
      timeout: PATIENCE_MS,
      env: { ...env, TASK: file },
    });
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
