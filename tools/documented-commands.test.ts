import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import {
  ALONE_PAGES,
  NEEDS,
  OWN_TESTS,
  PERMISSIONED,
  PERMISSIONED_REFERENCES,
  RECIPES,
  REFERENCES,
  shellBlocks,
} from '../test/support/documented-commands.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TYPED = [...ALONE_PAGES, ...RECIPES, ...REFERENCES, PERMISSIONED, ...PERMISSIONED_REFERENCES];
const blocks = shellBlocks(ROOT);

it('every shell block of the documentation is run by a test, or says what it needs', () => {
  expect(blocks.length).toBeGreaterThan(100);
  const nobodys = blocks.filter(({ page, info }) => {
    if (page in OWN_TESTS) return false;
    if (info === 'sh tried') return !TYPED.some((name) => page === `docs/${name}.md`);
    return NEEDS[/^sh needs=(\w+)$/.exec(info)?.[1] ?? ''] === undefined;
  });
  expect(nobodys.map(({ page, line, info }) => `${page}:${line} ${info}`)).toEqual([]);
});

it('names no page, need or test that is not there', () => {
  const tried = blocks.filter(({ info }) => info === 'sh tried').map(({ page }) => page);
  for (const name of TYPED) expect(tried).toContain(`docs/${name}.md`);
  const needed = new Set(blocks.map(({ info }) => /^sh needs=(\w+)$/.exec(info)?.[1]));
  for (const need of Object.keys(NEEDS)) expect(needed).toContain(need);
  for (const [page, test] of Object.entries(OWN_TESTS)) {
    expect(readFileSync(join(ROOT, test), 'utf8')).toContain(page.split('/').at(-1));
  }
  const tests = Object.values(NEEDS).flatMap((reason) => reason.match(/[\w-]+\.test\.ts/g) ?? []);
  for (const test of tests) expect(existsSync(join(ROOT, 'test/e2e', test)), test).toBe(true);
});
