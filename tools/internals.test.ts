/**
 * Files, names in backticks and names in drawings that docs/internals mentions must exist in the
 * code.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/internals');
const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');

const sources = ['src', 'assembly', 'test', 'bench', 'contracts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|sol|txt)$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file)),
);
const text = sources
  .filter((file) => !file.includes('vectors/data'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const words = new Set(text.match(/[A-Za-z_]\w*/g));

/** Classes with state that must survive a crash, besides those that implement Machine. */
const CONTRACTS = [
  ...['BftEngine', 'BlockLog', 'CheckpointWriter', 'DepositWatcher', 'Outbox', 'PayoutStore'],
  ...['PrivateFollower', 'PrivateTransactionManager', 'Raft', 'Recovery', 'Stakes', 'Submitter'],
  ...['Settlement', 'TransactionPool', 'VirtualMachine', 'VoteFile'],
];

/** Finds `file.ts` and `folder/file.ts` by the end of a path; `{a,b}` and `*` as in a shell. */
function isThere(path: string): boolean {
  const pattern = path
    .replace(/\/$/, '')
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replaceAll('*', '[^/]*');
  const wanted = new RegExp(`(?:^|/)${pattern}(?:/|$)`);
  return sources.some((file) => wanted.test(file));
}

/** Names of code: camel case, or constants. */
const NAME = /^(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)$/;

function faults(page: string): string[] {
  const drawings = [...page.matchAll(/```\n([\s\S]*?)```/g)].map(([, drawing]) => drawing!);
  const prose = page.replace(/```[\s\S]*?```/g, '');
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, each]) => each!);
  const paths = quoted.filter((each) => /^[\w{}*,./-]+\/[\w{}*,./-]*$|^[\w-]+\.ts$/.test(each));
  const drawn = drawings.flatMap((drawing) => drawing.match(/[A-Za-z_]\w*/g) ?? []);
  const names = [...quoted.map((each) => each.replace(/\(.*\)$/, '')), ...drawn];
  return [
    ...paths.filter(
      (path) => /^(?:src|core|io|services|test|assembly|\w+\.)/.test(path) && !isThere(path),
    ),
    ...names.filter((name) => NAME.test(name) && !words.has(name)),
  ];
}

it.each(pages)('%s names existing files and code', (page) => {
  expect(faults(readFileSync(join(FOLDER, page), 'utf8'))).toEqual([]);
});

it('README.md lists every page', () => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});

it('every machine, and every file with a contract of its own, is on a page', () => {
  const all = pages.map((page) => readFileSync(join(FOLDER, page), 'utf8')).join('\n');
  const machines = [...text.matchAll(/class (\w+)(?:<\w+>)? implements Machine</g)].map(
    ([, name]) => name!,
  );
  expect(machines.length).toBeGreaterThan(5);
  expect([...machines, ...CONTRACTS].filter((name) => !all.includes(name))).toEqual([]);
});

it('reports a name that no longer exists', () => {
  expect(faults('`BftEngin` and `core/consensus/gone.ts`')).toEqual([
    'core/consensus/gone.ts',
    'BftEngin',
  ]);
});
