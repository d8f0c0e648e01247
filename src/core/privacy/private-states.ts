/** The private states that a node keeps, and the manager keys that own them (GoQuorum core/mps). */
import { fail } from '../base/errors.ts';
import { DEFAULT_PSI, EMPTY_PSI, type Psi } from './inputs.ts';

/** A tenant of the node's manager. */
export interface TenantGroup {
  /** Name of the tenant's private state (PSI). */
  readonly name: string;
  /** The tenant's manager keys, base64. */
  readonly members: readonly string[];
}

export interface PrivateStates {
  /** Includes the state for transactions without a party when there are several tenants. */
  readonly psis: readonly Psi[];
  /** undefined: the key belongs to no tenant. */
  psiOf(managedParty: string): Psi | undefined;
  /** Keys that may send in a private state; undefined: all of the manager's. */
  membersOf(psi: Psi): readonly string[] | undefined;
  /** Whether callers may use `psi`. */
  has(psi: Psi): boolean;
  /** Throws PSI_UNKNOWN unless callers may use `psi`. */
  check(psi: Psi): void;
  /**
   * Like `check`, for callers that need only the name. COMPAT: with only one private state, any
   * name is accepted.
   */
  checkName(psi: Psi): void;
}

export const SINGLE_PRIVATE_STATE: PrivateStates = {
  psis: [DEFAULT_PSI],
  psiOf: () => DEFAULT_PSI,
  membersOf: () => undefined,
  has: (psi) => psi === DEFAULT_PSI,
  check(psi) {
    if (psi === DEFAULT_PSI) return;
    throw fail(
      'PSI_UNKNOWN',
      "only the 'private' psi is supported by the default private state manager",
    );
  },
  checkName: () => {},
};

/**
 * The private states of a node whose genesis has `isMPS`. Throws PSI_GROUPS when a name or a key is
 * in two groups.
 */
export function residentPrivateStates(groups: readonly TenantGroup[]): PrivateStates {
  const members = new Map<Psi, readonly string[]>();
  const owners = new Map<string, Psi>();
  for (const { name, members: keys } of groups) {
    if (members.has(name) || name === EMPTY_PSI) {
      throw fail(
        'PSI_GROUPS',
        `privacy groups id clash id=${name} existing.Name=${name} duplicate.Name=${name}`,
      );
    }
    members.set(name, keys);
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner !== undefined) {
        throw fail(
          'PSI_GROUPS',
          `same address is part of two different groups: address=${key} existing.Name=${owner} duplicate.Name=${name}`,
        );
      }
      owners.set(key, name);
    }
  }
  const check = (psi: Psi): void => {
    if (members.has(psi)) return;
    throw fail('PSI_UNKNOWN', `unable to find private state for context psi ${psi}`);
  };
  return {
    psis: [...members.keys(), EMPTY_PSI],
    psiOf: (managedParty) => owners.get(managedParty),
    membersOf: (psi) => members.get(psi) ?? [],
    has: (psi) => members.has(psi),
    check,
    checkName: check,
  };
}
