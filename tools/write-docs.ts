/** `npm run docs`: writes the pages that are made from the code. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PAGES } from './pages.ts';

for (const [name, page] of PAGES) {
  writeFileSync(resolve(import.meta.dirname, '../docs', name), page());
}
