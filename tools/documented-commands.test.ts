import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import {
  ALONE_PAGES,
  OWN_TESTS,
  PERMISSIONED,
  PERMISSIONED_REFERENCES,
  PREPARED,
  RECIPES,
  REFERENCES,
  SESSIONS,
  STARTS_DEVNET,
  STOOD_IN,
  shellBlocks,
} from '../test/support/documented-commands.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TYPED = [...ALONE_PAGES, ...RECIPES, ...REFERENCES, PERMISSIONED, ...PERMISSIONED_REFERENCES];
const NEEDS: readonly string[] = [...PREPARED, STARTS_DEVNET, ...STOOD_IN];
const blocks = shellBlocks(ROOT);

it('every shell block of the documentation is typed in by a test', () => {
  expect(blocks.length).toBeGreaterThan(100);
  const nobodys = blocks.filter(({ page, info, text }) => {
    if (text.startsWith('$ ')) return !(page in SESSIONS);
    if (page in OWN_TESTS && info === 'sh') return false;
    if (info === 'sh tried') return !TYPED.some((name) => page === `docs/${name}.md`);
    return !NEEDS.includes(/^sh needs=(\w+)$/.exec(info)?.[1] ?? '');
  });
  expect(nobodys.map(({ page, line, info }) => `${page}:${line} ${info}`)).toEqual([]);
});

it('names no page, need or test that is not there', () => {
  const tried = blocks.filter(({ info }) => info === 'sh tried').map(({ page }) => page);
  for (const name of TYPED) expect(tried).toContain(`docs/${name}.md`);
  const needed = new Set(blocks.map(({ info }) => /^sh needs=(\w+)$/.exec(info)?.[1]));
  for (const need of NEEDS) expect(needed).toContain(need);
  for (const [page, test] of Object.entries(OWN_TESTS)) {
    expect(readFileSync(join(ROOT, test), 'utf8')).toContain(page.split('/').at(-1));
  }
});

it('shows as many sessions as are known', () => {
  for (const [page, [count, test]] of Object.entries(SESSIONS)) {
    const shown = blocks.filter((each) => each.page === page && each.text.startsWith('$ '));
    expect([page, shown.length]).toEqual([page, count]);
    expect(existsSync(join(ROOT, test)), test).toBe(true);
  }
});

it('the test of README.md takes its only block without a mark', () => {
  const unmarked = blocks.filter(({ page, info }) => page === 'README.md' && info === 'sh');
  expect(unmarked).toHaveLength(1);
});
