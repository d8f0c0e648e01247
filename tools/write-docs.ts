/** `npm run docs`: writes the generated files. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PAGES } from './pages.ts';

for (const [path, page] of PAGES) {
  writeFileSync(resolve(import.meta.dirname, '..', path), await page());
}
