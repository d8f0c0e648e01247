import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES } from './pages.ts';

it.each(PAGES)('%s matches the code: npm run docs', async (path, page) => {
  const written = readFileSync(resolve(import.meta.dirname, '..', path), 'utf8');
  expect(written).toBe(await page());
});
