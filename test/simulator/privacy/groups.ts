/** Who shares what in the simulated network. */
import type { PrivacyFlag } from '../../../src/core/privacy/inputs.ts';

export const SPACE = { kind: 'private', psi: 'private' } as const;

/**
 * Private contracts: their members and their privacy flag. Nodes 0 and 1 see the same contracts,
 * and so do nodes 2 and 3.
 */
export const GROUPS: readonly {
  readonly members: readonly number[];
  readonly flag: PrivacyFlag;
}[] = [
  { members: [0, 1], flag: 0 },
  { members: [2, 3], flag: 0 },
  { members: [0, 1, 2, 3], flag: 0 },
  { members: [0, 1], flag: 1 },
];

export const PEERS: readonly (readonly [number, number])[] = [
  [0, 1],
  [2, 3],
];
