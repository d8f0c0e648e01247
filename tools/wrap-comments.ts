/** Part of `npm run format`: wraps comments that are too wide, in the files of the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasWidth, wrapComments } from './comment-width.ts';

const ROOT = resolve(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => hasWidth(file) && existsSync(join(ROOT, file)));
for (const file of files) {
  const path = join(ROOT, file);
  const text = readFileSync(path, 'utf8');
  const wrapped = wrapComments(text);
  if (wrapped !== text) writeFileSync(path, wrapped);
}
