/** State changes of the block itself, before its transactions (EIP-4788). */
import type { Address } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import type { Header } from '../chain/header.ts';
import { execute } from '../evm/interpreter.ts';
import type { PublicWorld } from '../state/public-world.ts';
import { type BlockEnvironment, evmEnvironment } from './environment.ts';

const BEACON_ROOTS: Address = fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02');
const SYSTEM: Address = fromHex('0xfffffffffffffffffffffffffffffffffffffffe');
const SYSTEM_CALL_GAS = 30_000_000n;

/** Calls the beacon roots contract as the system account; no effect if it is not deployed. */
export function applyBeaconRoot(
  world: PublicWorld,
  header: Header,
  shared: BlockEnvironment,
): void {
  const root = header.parentBeaconBlockRoot;
  if (!shared.rules.isCancun || root === undefined) return;
  world.beginTransaction();
  execute(
    { caller: SYSTEM, to: BEACON_ROOTS, value: 0n, data: root, gas: SYSTEM_CALL_GAS },
    evmEnvironment(shared, world, { sender: SYSTEM, blobVersionedHashes: [] }, 0n),
  );
  world.finishTransaction(shared.rules);
}
