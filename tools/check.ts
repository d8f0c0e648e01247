/**
 * `npm run check`: runs each script `check:...` of package.json, as many at a time as there are
 * cores.
 */
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const PREFIX = 'check:';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * npm puts the programs of node_modules on the PATH. Resolves with the exit code and the output.
 */
function run(command: string): Promise<{ readonly code: number; readonly printed: string }> {
  return new Promise((done) => {
    const child = exec(command, { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX }, (error, out, err) =>
      done({ code: error ? (child.exitCode ?? 1) : 0, printed: out + err }),
    );
  });
}

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const waiting = Object.entries(scripts).filter(([name]) => name.startsWith(PREFIX));

async function worker(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, command] = next;
    const { code, printed } = await run(command);
    process.stdout.write(printed);
    if (code === 0) continue;
    process.stderr.write(`npm run ${name} failed: see above\n`);
    process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, worker));
