import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES } from './pages.ts';

it.each(PAGES)('docs/%s is what the code says: npm run docs', (name, page) => {
  const written = readFileSync(resolve(import.meta.dirname, '../docs', name), 'utf8');
  expect(written).toBe(page());
});
