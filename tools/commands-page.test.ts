import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { commandsPage } from './commands-page.ts';

const PAGE = resolve(import.meta.dirname, '../docs/commands.md');

it('docs/commands.md is what the option rows say: npm run docs', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(commandsPage());
});
