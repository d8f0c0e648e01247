/** State that a call assumes instead of the real one (third parameter of eth_call). */
import type { Address } from '../base/bytes.ts';
import type { PublicWorld } from '../state/public-world.ts';

export interface StateOverride {
  readonly address: Address;
  readonly balance?: bigint | undefined;
  readonly nonce?: bigint | undefined;
  readonly code?: Uint8Array | undefined;
  /** All of the storage. */
  readonly state?: ReadonlyMap<bigint, bigint> | undefined;
  /** Slots that differ. */
  readonly stateDiff?: ReadonlyMap<bigint, bigint> | undefined;
}

/** In a separate transaction: for the call the values are already committed. */
export function applyOverrides(world: PublicWorld, override: StateOverride): void {
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
