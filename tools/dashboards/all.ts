/** Each dashboard of deploy/grafana/dashboards, by the name of its file. */
import { NETWORK } from './network.ts';
import { NODE } from './node.ts';
import type { Dashboard } from './panels.ts';
import { MANAGER, RAMP, SIGNER, STAKING } from './services.ts';

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  network: NETWORK,
  node: NODE,
  manager: MANAGER,
  signer: SIGNER,
  staking: STAKING,
  ramp: RAMP,
};
