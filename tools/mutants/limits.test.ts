import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { mutated } from './limit.ts';
import { LIMITS } from './limits.ts';
import { PROTECTIONS } from './protections.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const ALL = [...LIMITS, ...PROTECTIONS];

it.each(ALL.map((limit) => [limit.name, limit] as const))(
  '%s: its line is in the source, and its test exists',
  (_, limit) => {
    expect(mutated(read(limit.file), limit)).not.toBe(read(limit.file));
    expect(existsSync(join(ROOT, limit.test)), limit.test).toBe(true);
    if (limit.only === undefined) return;
    // vitest joins the title of a test and those of its describe blocks.
    const words = limit.only.replace(/^(WebSocket|IPC) /, '');
    expect(read(limit.test)).toContain(words);
  },
);

it('every limit has a unique name', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});

it('docs/limits.md names the test of each, and no test that does not exist', () => {
  const page = read('docs/limits.md');
  const named = new Set(
    [...page.matchAll(/\]\(\.\.\/(src\/[^)]+\.test\.ts)\)/g)].map(([, at]) => at!),
  );
  for (const { test } of LIMITS) expect([...named], test).toContain(test);
  for (const test of named) expect(existsSync(join(ROOT, test)), test).toBe(true);
});

it('a line that is missing, or occurs twice, is an error', () => {
  const limit = { ...LIMITS[0]!, on: 'if (full) return;', off: '' };
  expect(mutated('a; if (full) return; b;', limit)).toBe('a;  b;');
  expect(() => mutated('a; b;', limit)).toThrow('no longer has the line');
  expect(() => mutated('if (full) return; if (full) return;', limit)).toThrow('more than once');
});
