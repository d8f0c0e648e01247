/** Runs one public transaction on a world (Yellow Paper §6). */
import { bytesToBigInt } from '../base/quantity.ts';
import { type CallResult, VirtualMachine } from '../evm/interpreter.ts';
import { precompileAddresses } from '../evm/precompiles/index.ts';
import type { World } from '../state/world.ts';
import { type BlockEnvironment, evmEnvironment } from './environment.ts';
import { unlessStopped } from './execute-transaction.ts';
import { buyGas, cappedRefund, type GasPool, type Purchase, settleGas } from './gas-purchase.ts';
import type { Message } from './message.ts';

export interface AppliedMessage {
  readonly gasUsed: bigint;
  readonly result: CallResult;
}

/**
 * Runs `message` and leaves its effects, logs included, in `world`; the caller ends the transaction
 * there. Throws TX_* if the message may not be in this block at all, and EXECUTION_STOPPED if the
 * pace says `stop`; the world must then be discarded.
 */
export function applyMessage(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
): AppliedMessage {
  const running = new RunningMessage(world, message, shared, pool);
  while (!running.advance());
  return running.end();
}

/** Like `applyMessage`, but interrupted when the pace says `pause`. */
export class RunningMessage {
  private readonly world: World;
  private readonly message: Message;
  private readonly shared: BlockEnvironment;
  private readonly pool: GasPool;
  private readonly purchase: Purchase;
  private readonly vm: VirtualMachine;

  constructor(world: World, message: Message, shared: BlockEnvironment, pool: GasPool) {
    this.world = world;
    this.message = message;
    this.shared = shared;
    this.pool = pool;
    const purchase = buyGas(world, message, shared, pool);
    this.purchase = purchase;
    warmUp(world, message, shared);
    if (message.to !== undefined) world.setNonce(message.sender, message.nonce + 1n);
    this.vm = new VirtualMachine(evmEnvironment(shared, world, message, purchase.gasPrice));
    this.vm.begin({
      caller: message.sender,
      to: message.to,
      value: message.value,
      data: message.data,
      gas: message.gasLimit - BigInt(purchase.intrinsicGas),
    });
  }

  /** True: done; false: call again to continue. */
  advance(): boolean {
    return this.vm.advance();
  }

  /** Call it once `advance` has returned true. */
  end(): AppliedMessage {
    const { world, message, shared, pool, purchase } = this;
    const result = unlessStopped(this.vm.result());
    const spent = message.gasLimit - result.gasLeft;
    const gasUsed = spent - cappedRefund(world, spent, shared.rules);
    settleGas(world, message, shared, pool, purchase, gasUsed);
    return { gasUsed, result };
  }
}

/** EIP-2929, 2930, 3651: warm entries before the first opcode. */
export function warmUp(
  world: World,
  message: Pick<Message, 'sender' | 'to' | 'accessList'>,
  shared: BlockEnvironment,
): void {
  const { rules } = shared;
  if (!rules.isBerlin) return;
  world.warmAddress(message.sender);
  if (message.to !== undefined) world.warmAddress(message.to);
  for (const address of precompileAddresses(rules)) world.warmAddress(address);
  for (const { address, slots } of message.accessList) {
    world.warmAddress(address);
    for (const slot of slots) world.warmSlot(address, bytesToBigInt(slot));
  }
  if (rules.isShanghai) world.warmAddress(shared.block.coinbase);
}
