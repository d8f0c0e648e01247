/**
 * Many successive contract calls on one public state, without fees and without effects. Later calls
 * reuse what earlier ones have read: in a series of thousands each takes about half as long as a
 * single `call`.
 */
import { type Address, ZERO_ADDRESS } from '../base/bytes.ts';
import { type CallResult, execute } from '../evm/interpreter.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { CallSite } from './call.ts';
import { type BlockEnvironment, blockEnvironment, evmEnvironment } from './environment.ts';

export class CallSeries {
  private readonly world: PublicWorld;
  private readonly shared: BlockEnvironment;
  private readonly gas: bigint;

  /** `gas`: the gas of each call. */
  constructor(
    { header, rules, hashes, publicState }: Omit<CallSite, 'privateState' | 'overrides'>,
    gas: bigint,
  ) {
    this.world = new PublicWorld(publicState, header.number + 1);
    this.shared = blockEnvironment(header, header.coinbase, rules, hashes);
    this.gas = gas;
  }

  run(to: Address, data: Uint8Array, caller: Address = ZERO_ADDRESS): CallResult {
    const { world, shared, gas } = this;
    world.beginTransaction();
    const mark = world.snapshot();
    const message = { sender: caller, blobVersionedHashes: [] };
    const environment = evmEnvironment(shared, world, message, 0n);
    const result = execute({ caller, to, value: 0n, data, gas }, environment);
    world.revert(mark);
    return result;
  }
}
