/** Part of `npm run check`: unit tests use only memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wayOutside } from './memory-only.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** It compares with isIP of node:net, which opens nothing. */
const EXCEPTIONS = ['src/core/base/ip-address.test.ts'];

const sources = new Map<string, string>();
function read(path: string): string {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, path), 'utf8');
  sources.set(path, text);
  return text;
}

const unitTests = ['src', 'test/support']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path),
    ),
  )
  .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.service.test.ts'))
  .filter((path) => !EXCEPTIONS.includes(path));
for (const test of unitTests) {
  const way = wayOutside(test, read);
  if (!way) continue;
  process.stderr.write(
    `${test}: a unit test stays in memory, and this one can leave it: ${way.join(' -> ')}.\n` +
      '  Name it *.service.test.ts, or keep apart what computes from what opens.\n',
  );
  process.exitCode = 1;
}
