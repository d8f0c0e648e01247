/** What a chain requires of its node's private transaction manager before the node starts. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryManagers } from '../../../../test/support/memory-managers.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import {
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../../core/privacy/private-states.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';
import { featuresOf } from '../../../io/ptm-client/versions.ts';
import { hasSeveralTenants, privateStatesOf } from './private-states.ts';

const FILE = readJson(join(OWN_VECTORS, 'goquorum/private-chain/genesis.json'));
const chain = (changes: object) =>
  genesisFromJson({ ...FILE, config: { ...FILE.config, ...changes } });
const without = chain({ privacyEnhancementsBlock: undefined });
const later = chain({
  privacyEnhancementsBlock: undefined,
  transitions: [{ block: 100, privacyEnhancementsEnabled: true }],
});
const manager = (version: readonly [number, number, number]) => ({
  ...new MemoryManagers().manager('key'),
  features: featuresOf(version),
});

it('a manager without privacy flags is refused where the chain has them, now or later', async () => {
  const text =
    'Cannot start quorum with privacy enhancements enabled while the transaction manager does not support it';
  for (const genesis of [chain({}), later]) {
    await expect(privateStatesOf(genesis, manager([1, 0, 0]))).rejects.toThrow(text);
    for (const good of [manager([2, 0, 0]), managerNotInUse()])
      expect(await privateStatesOf(genesis, good)).toBe(SINGLE_PRIVATE_STATE);
  }
});

it('a manager without resident groups is refused where the chain has several private states', async () => {
  const several = chain({ isMPS: true });
  await expect(privateStatesOf(several, manager([2, 1, 0]))).rejects.toThrow(
    'cannot instantiate MultiplePrivateStateManager while the transaction manager does not support multiple private states',
  );
  expect((await privateStatesOf(several, manager([3, 0, 0]))).psis).toEqual(['empty']);
  expect(await privateStatesOf(without, manager([1, 0, 0]))).toBe(SINGLE_PRIVATE_STATE);
});

it('tenants are several from two groups on', () => {
  const groups = ['A', 'B'].map((name) => ({ name, members: [name] }));
  expect(hasSeveralTenants(residentPrivateStates(groups))).toBe(true);
  expect(hasSeveralTenants(residentPrivateStates(groups.slice(0, 1)))).toBe(false);
  expect(hasSeveralTenants(SINGLE_PRIVATE_STATE)).toBe(false);
});
