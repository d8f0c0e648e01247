/**
 * Part of `npm run check`: every citation can be opened, wording follows tools/words.ts, no file is
 * too long, and no comment too wide.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { citationFaults } from './citations.ts';
import { hasWidth, wideComments } from './comment-width.ts';
import { sizeFault } from './file-sizes.ts';
import { wordFaults } from './words.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'tools', 'docs', 'examples', 'contracts', 'assembly'];
const READ = /(?:\.(?:tsx?|mjs|md|sol|css)|known-differences\.json)$/;
/** Not checked for words and citations: the lists themselves, and data written by others. */
const UNREAD = /^(?:tools\/(?:citations|words)(?:\.test)?\.ts$|test\/vectors\/data\/)/;
const INSTALLED = /\bnode_modules\b/;

const inFolders = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(folder, file),
  ),
);
const files = [...readdirSync(ROOT), ...inFolders].filter(
  (file) => READ.test(file) && !INSTALLED.test(file),
);
const faults = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const size = /\.(?:tsx?|mjs|css)$/.test(file) ? (sizeFault(file, text) ?? []) : [];
  if (UNREAD.test(file)) return size;
  const wide = hasWidth(file) ? wideComments(text) : [];
  const widths = wide.map(
    (line) => `${file}:${line}: a comment beyond 100 columns: npm run format wraps it`,
  );
  return [size, widths, citationFaults(ROOT, file, text), wordFaults(file, text)].flat();
});
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
