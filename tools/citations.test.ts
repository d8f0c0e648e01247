import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { citationFaults } from './citations.ts';

const ROOT = resolve(import.meta.dirname, '..');
// Assembled here, so that this file does not violate the rule itself.
const CLOSED = ['dos', 'sier'].join('');

it('reports a document that nobody can open, with its line', () => {
  expect(citationFaults(ROOT, 'a.ts', `first\n// as the ${CLOSED} has it`)).toEqual([
    `a.ts:2: "${CLOSED}": name the public source or a page under docs/`,
  ]);
});

it('requires the name of a product', () => {
  const unnamed = ['the', 'reference', 'does'].join(' ');
  expect(citationFaults(ROOT, 'a.ts', `// as ${unnamed}`)).toHaveLength(1);
  expect(citationFaults(ROOT, 'a.ts', '// as GoQuorum does')).toEqual([]);
});

it('requires that cited pages exist', () => {
  const lost = ['docs', 'no-such-page.md'].join('/');
  expect(citationFaults(ROOT, 'a.ts', `// see docs/storage.md and ${lost}`)).toEqual([
    `a.ts:1: "${lost}": there is no such page`,
  ]);
});
