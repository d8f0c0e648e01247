/** Files that are generated from the code: pages of docs/, and types of the clients. */
import { stakingClientTypes } from './client-types.ts';
import { commandsPage } from './commands-page.ts';
import { gethConfigPage } from './geth-config-page.ts';

export const PAGES: readonly (readonly [path: string, page: () => string | Promise<string>])[] = [
  ['docs/commands.md', commandsPage],
  ['docs/geth-config.md', gethConfigPage],
  ['src/clients/staking-types.ts', stakingClientTypes],
];
