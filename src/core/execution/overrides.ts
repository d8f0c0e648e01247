/**
 * State that a call assumes instead of the real one (third parameter of eth_call), with the
 * precompiles that go with it (go-ethereum internal/ethapi/override/override.go).
 */
import { type Address, compareBytes, keyOf } from '../base/bytes.ts';
import { checksumAddress } from '../base/checksum-address.ts';
import { fail } from '../base/errors.ts';
import type { Rules } from '../chain/rules.ts';
import { type Precompile, precompileAt } from '../evm/precompiles/index.ts';
import type { PublicWorld } from '../state/public-world.ts';

export interface StateOverride {
  readonly address: Address;
  readonly balance?: bigint | undefined;
  readonly nonce?: bigint | undefined;
  readonly code?: Uint8Array | undefined;
  /** Replaces the whole storage. */
  readonly state?: ReadonlyMap<bigint, bigint> | undefined;
  /** Replaces these slots only. */
  readonly stateDiff?: ReadonlyMap<bigint, bigint> | undefined;
  /** Address to which the precompile of this address is moved. */
  readonly movePrecompileTo?: Address | undefined;
}

export type PrecompileAt = (address: Address) => Precompile | undefined;

/**
 * Applies `overrides` to the worlds that hold their accounts, each in a separate transaction, so
 * that the call sees the values as committed. An overridden address is no longer a precompile.
 * Returns the remaining precompiles; undefined: those of the fork. Throws OVERRIDE_REFUSED.
 */
export function applyOverrides(
  overrides: readonly StateOverride[],
  rules: Rules,
  worldOf: (address: Address) => PublicWorld,
): PrecompileAt | undefined {
  const named = new Set(overrides.map(({ address }) => keyOf(address)));
  const changed = new Map<string, Precompile | undefined>();
  for (const override of [...overrides].sort((a, b) => compareBytes(a.address, b.address))) {
    const { address, movePrecompileTo } = override;
    const precompile = precompileAt(rules, address);
    if (movePrecompileTo !== undefined) {
      if (!precompile) throw refused(address, 'is not a precompile');
      if (named.has(keyOf(movePrecompileTo)))
        throw refused(movePrecompileTo, 'is already overridden');
      changed.set(keyOf(movePrecompileTo), precompile);
    }
    if (precompile) changed.set(keyOf(address), undefined);
    applyOverride(worldOf(address), override);
  }
  if (changed.size === 0) return undefined;
  return (address) => {
    const key = keyOf(address);
    return changed.has(key) ? changed.get(key) : precompileAt(rules, address);
  };
}

function refused(address: Address, why: string) {
  return fail('OVERRIDE_REFUSED', `account ${checksumAddress(address)} ${why}`);
}

function applyOverride(world: PublicWorld, override: StateOverride): void {
  const { address, balance, nonce, code, state, stateDiff } = override;
  world.beginTransaction();
  if (state !== undefined) {
    const kept = { nonce: world.nonce(address), code: world.code(address) };
    world.createContract(address);
    world.setNonce(address, kept.nonce);
    world.setCode(address, kept.code);
  }
  if (balance !== undefined) {
    world.subBalance(address, world.balance(address));
    world.addBalance(address, balance);
  }
  if (nonce !== undefined) world.setNonce(address, nonce);
  if (code !== undefined) world.setCode(address, code);
  for (const [slot, value] of [...(state ?? []), ...(stateDiff ?? [])]) {
    world.setStorage(address, slot, value);
  }
}
