/** Part of `npm run check`: every citation in the repository opens. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { citationFaults } from './citations.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'tools', 'docs', 'examples', 'contracts'];
const READ = /(?:\.(?:ts|mjs|md|sol)|known-differences\.json)$/;
/** The word list itself, and data that others wrote. */
const UNREAD = /^(?:tools\/citations\.ts$|test\/vectors\/data\/)|\bnode_modules\b/;

const inFolders = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(folder, file),
  ),
);
const files = [...readdirSync(ROOT), ...inFolders].filter(
  (file) => READ.test(file) && !UNREAD.test(file),
);
const faults = files.flatMap((file) =>
  citationFaults(ROOT, file, readFileSync(join(ROOT, file), 'utf8')),
);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
