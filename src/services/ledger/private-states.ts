/** Which private states a node keeps: one, or with `isMPS` one for each resident group of its manager. */
import { fail } from '../../core/base/errors.ts';
import type { Genesis } from '../../core/chain/genesis.ts';
import type { Manager } from '../../core/ports.ts';
import {
  type PrivateStates,
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../core/privacy/private-states.ts';

/** As `privateStatesOf`; without a manager all transactions are a stranger's. */
export async function importedPrivateStates(
  genesis: Genesis,
  manager: Manager,
): Promise<PrivateStates> {
  if (genesis.config.isMps && !manager.isInUse) return residentPrivateStates([]);
  return privateStatesOf(genesis, manager);
}

/** Groups are read once, so that new tenants need a restart. Rejects with PTM_UNSUPPORTED or PSI_GROUPS. */
export async function privateStatesOf(
  { config }: Genesis,
  manager: Manager,
): Promise<PrivateStates> {
  if (!config.isMps) return SINGLE_PRIVATE_STATE;
  if (!manager.features.multiplePrivateStates) {
    throw fail(
      'PTM_UNSUPPORTED',
      'cannot instantiate MultiplePrivateStateManager while the transaction manager does not support multiple private states',
    );
  }
  return residentPrivateStates(await manager.groups());
}
