/**
 * The private states of a node: one, or with `isMPS` one for each resident group of its manager.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Genesis } from '../../../core/chain/genesis.ts';
import { EMPTY_PSI } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import {
  type PrivateStates,
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
  type TenantGroup,
} from '../../../core/privacy/private-states.ts';

export const OPEN_STATES_WARNING =
  'Several tenants, but no tokens are required: anyone who reaches JSON-RPC may use any of their private states. See --multitenancy';

export function hasSeveralTenants({ psis }: PrivateStates): boolean {
  return psis.filter((psi) => psi !== EMPTY_PSI).length > 1;
}

/**
 * A manager without privacy flags would distribute payloads without them, so it is refused. A node
 * without a manager is not a party to any transaction and may follow such a chain, which GoQuorum
 * refuses. Throws PTM_UNSUPPORTED.
 */
function checkManager({ config }: Genesis, manager: Manager): void {
  const isNeeded =
    config.privacyEnhancementsBlock !== undefined ||
    config.transitions.some((each) => each.isPrivacyEnhancements === true);
  if (!isNeeded || !manager.isInUse || manager.features.privacyEnhancements) return;
  throw fail(
    'PTM_UNSUPPORTED',
    'Cannot start quorum with privacy enhancements enabled while the transaction manager does not support it',
  );
}

/** Like `privateStatesOf`; without a manager the node is not a party to any transaction. */
export async function importedPrivateStates(
  genesis: Genesis,
  manager: Manager,
): Promise<PrivateStates> {
  if (genesis.config.isMps && !manager.isInUse) return residentPrivateStates([]);
  return privateStatesOf(genesis, manager);
}

/**
 * Groups are read only once: new tenants need a restart. Rejects with PTM_UNSUPPORTED or
 * PSI_GROUPS.
 */
export async function privateStatesOf(genesis: Genesis, manager: Manager): Promise<PrivateStates> {
  checkManager(genesis, manager);
  if (!genesis.config.isMps) return SINGLE_PRIVATE_STATE;
  if (!manager.features.multiplePrivateStates) {
    throw fail(
      'PTM_UNSUPPORTED',
      'cannot instantiate MultiplePrivateStateManager while the transaction manager does not support multiple private states',
    );
  }
  return residentPrivateStates(await manager.groups());
}

/** Input for `residentPrivateStates` in another thread; undefined: there is one private state. */
export function tenantsOf(states: PrivateStates): readonly TenantGroup[] | undefined {
  if (states === SINGLE_PRIVATE_STATE) return undefined;
  return states.psis
    .filter((psi) => psi !== EMPTY_PSI)
    .map((name) => ({ name, members: states.membersOf(name) ?? [] }));
}
