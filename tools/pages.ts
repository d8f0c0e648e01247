/** Pages of docs/ that are made from the code. */
import { commandsPage } from './commands-page.ts';
import { gethConfigPage } from './geth-config-page.ts';

export const PAGES: readonly (readonly [name: string, page: () => string])[] = [
  ['commands.md', commandsPage],
  ['geth-config.md', gethConfigPage],
];
