import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { citationFaults } from './citations.ts';

const ROOT = resolve(import.meta.dirname, '..');
// Put together here, so that this file is not a fault itself.
const CLOSED = ['dos', 'sier'].join('');

it('a document that nobody can open is named with its line', () => {
  expect(citationFaults(ROOT, 'a.ts', `first\n// as the ${CLOSED} has it`)).toEqual([
    `a.ts:2: "${CLOSED}": name the public source or a page under docs/`,
  ]);
});

it('a product is called by its name', () => {
  const unnamed = ['the', 'reference', 'does'].join(' ');
  expect(citationFaults(ROOT, 'a.ts', `// as ${unnamed}`)).toHaveLength(1);
  expect(citationFaults(ROOT, 'a.ts', '// as GoQuorum does')).toEqual([]);
});

it('a page of ours must exist', () => {
  const lost = ['docs', 'no-such-page.md'].join('/');
  expect(citationFaults(ROOT, 'a.ts', `// see docs/storage.md and ${lost}`)).toEqual([
    `a.ts:1: "${lost}": there is no such page`,
  ]);
});
