/** `npm run docs`: writes the pages that are made from the code. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { commandsPage } from './commands-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/commands.md'), commandsPage());
