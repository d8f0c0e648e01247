import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_VECTORS, publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { OWED_LATER, VECTOR_KINDS } from './kinds.ts';

it('every kind has a unique name', () => {
  const names = [...VECTOR_KINDS, ...OWED_LATER].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('every kind finds files, in the project or outside it', READS_PUBLIC_VECTORS, (context) => {
  const roots = [OWN_VECTORS, publicVectorsFor(context)];
  const empty = VECTOR_KINDS.filter(({ find }) => roots.every((root) => find(root).length === 0));
  expect(empty.map(({ name }) => name)).toEqual([]);
});

/**
 * A kind must not be written and then forgotten: every module that exports a VectorKind is in the
 * registry.
 */
it('every module of a kind is in the registry', () => {
  const registry = readFileSync(join(import.meta.dirname, 'kinds.ts'), 'utf8');
  const forgotten = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) =>
      /: VectorKind = \{/.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
    )
    .filter((name) => !registry.includes(`./${name}`));
  expect(forgotten).toEqual([]);
});
