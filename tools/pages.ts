/** Files that are generated from the code: pages of docs/, types of the clients, dashboards. */
import { stakingClientTypes } from './client-types.ts';
import { commandsPage } from './commands-page.ts';
import { configurationPage } from './configuration-page.ts';
import { DASHBOARDS } from './dashboards/all.ts';
import { dashboardJson } from './dashboards/panels.ts';
import { gethConfigPage } from './geth-config-page.ts';

export const PAGES: readonly (readonly [path: string, page: () => string | Promise<string>])[] = [
  ['docs/commands.md', commandsPage],
  ['docs/configuration.md', configurationPage],
  ['docs/geth-config.md', gethConfigPage],
  ['src/clients/staking-types.ts', stakingClientTypes],
  ...Object.entries(DASHBOARDS).map(
    ([name, dashboard]) =>
      [`deploy/grafana/dashboards/${name}.json`, () => dashboardJson(dashboard)] as const,
  ),
];
