/** Runs the calls of one simulated block as unsigned transactions of the block. */
import { fail } from '../base/errors.ts';
import { paceUntil } from '../base/pace.ts';
import type { Spend } from '../base/spend.ts';
import { bloomOfLogs } from '../chain/bloom.ts';
import type { Log, Receipt } from '../chain/receipt.ts';
import { type Transaction, transactionFrom } from '../chain/transaction.ts';
import type { CallResult } from '../evm/interpreter.ts';
import { TransferLogs } from '../evm/tracers/transfer-logs.ts';
import { DualWorld } from '../state/dual-world.ts';
import type { PublicWorld } from '../state/public-world.ts';
import type { World } from '../state/world.ts';
import {
  type CallLimits,
  type CallRequest,
  messageOf,
  refusable,
  runCall,
  timedOut,
} from './call.ts';
import type { BlockEnvironment } from './environment.ts';
import {
  buyGasForCall,
  buyGasOfAnySender,
  cappedRefund,
  type GasPool,
  isFree,
  settleGas,
} from './gas-purchase.ts';
import type { Message } from './message.ts';

export interface SimulationOptions {
  /** Whether nonces, fees and balances are checked, as for transactions of a block. */
  readonly isValidated: boolean;
  /** Whether the logs include transfers of the native coin. */
  readonly hasTransferLogs: boolean;
  readonly limits: CallLimits;
  /** Called with the size of logs and outputs. */
  readonly spend: Spend;
}

export interface CallInBlock extends CallRequest {
  /** undefined: the sender's next nonce. */
  readonly nonce?: bigint | undefined;
}

export interface SimulatedOutcome extends Pick<CallResult, 'kind' | 'error' | 'output'> {
  readonly gasUsed: bigint;
  /** Gas used before refunds. */
  readonly gasUsedMost: bigint;
  readonly logs: readonly Log[];
  /** The limit of the whole simulation left less gas than the call asked for. */
  readonly isCapped: boolean;
}

const NONCE_MAX = (1n << 64n) - 1n;

export class SimulatedCalls {
  readonly transactions: Transaction[] = [];
  readonly receipts: Receipt[] = [];
  /** The gas left for the whole simulation. */
  gasLeft: bigint;
  private readonly parts: {
    readonly publicWorld: PublicWorld;
    readonly privateWorld: PublicWorld | undefined;
    readonly environment: BlockEnvironment;
    readonly options: SimulationOptions;
    /** Root of the public state; to be called between two calls. */
    rootNow(): Uint8Array;
  };
  private readonly pool: GasPool;
  private gasUsed = 0n;

  constructor(parts: SimulatedCalls['parts'] & { readonly gasLeft: bigint }) {
    this.parts = parts;
    this.gasLeft = parts.gasLeft;
    this.pool = { left: parts.environment.block.gasLimit };
  }

  run(call: CallInBlock): SimulatedOutcome {
    const { publicWorld, privateWorld, environment, options } = this.parts;
    if (options.limits.shouldStop?.()) throw timedOut(options.limits);
    const { message, isCapped } = this.messageFor(call);
    const transfers = options.hasTransferLogs ? new TransferLogs(options.spend) : undefined;
    const shared = {
      ...environment,
      pace: paceUntil(options.limits.shouldStop),
      tracer: transfers,
    };
    publicWorld.beginTransaction();
    privateWorld?.beginTransaction();
    const isPrivate = message.to !== undefined && privateWorld?.exists(message.to) === true;
    const world = isPrivate ? new DualWorld(publicWorld, privateWorld) : publicWorld;
    const { result, gasUsed, gasUsedMost } = this.execute(message, world, shared);
    const owner = isPrivate ? privateWorld : publicWorld;
    publicWorld.finishTransaction(shared.rules);
    privateWorld?.finishTransaction(shared.rules);
    this.gasLeft -= gasUsed;
    const isDone = result.kind === 'success';
    const logs = isDone ? [...owner.logs.all()] : [];
    for (const { data } of logs) options.spend(data.length);
    options.spend(result.output.length);
    this.record(call, message, { isDone, gasUsed, logs });
    const { kind, error, output } = result;
    const shown = transfers?.logs() ?? logs;
    return { kind, error, output, gasUsed, gasUsedMost, logs: shown, isCapped };
  }

  private messageFor(call: CallInBlock): { message: Message; isCapped: boolean } {
    const { publicWorld } = this.parts;
    const { left } = this.pool;
    const asked = call.gas ?? left;
    if (asked > left)
      throw fail(
        'SIMULATED_BLOCK_GAS',
        `block gas limit reached: remaining: ${left}, required: ${asked}`,
      );
    const gas = asked < this.gasLeft ? asked : this.gasLeft;
    const message = messageOf({ ...call, gas }, { gasCap: 0n });
    const nonce = call.nonce ?? publicWorld.nonce(message.sender);
    return { message: { ...message, nonce }, isCapped: gas < asked };
  }

  private execute(message: Message, world: World, shared: BlockEnvironment) {
    const { options, publicWorld } = this.parts;
    const { pool } = this;
    const purchase = refusable(message, () => {
      const buy = options.isValidated ? buyGasOfAnySender : buyGasForCall;
      const bought = buy(publicWorld, message, shared, pool);
      if (publicWorld.nonce(message.sender) === NONCE_MAX)
        throw fail('TX_NONCE_MAX', 'nonce has max value');
      return bought;
    });
    const place = { publicWorld, world, shared, limits: options.limits };
    const result = runCall(message, purchase, place);
    const gasUsedMost = message.gasLimit - result.gasLeft;
    const gasUsed = gasUsedMost - cappedRefund(world, gasUsedMost, shared.rules);
    if (!options.isValidated && isFree(message)) pool.left += message.gasLimit - gasUsed;
    else settleGas(publicWorld, message, shared, pool, purchase, gasUsed);
    return { result, gasUsed, gasUsedMost };
  }

  private record(
    call: CallInBlock,
    message: Message,
    { isDone, gasUsed, logs }: { isDone: boolean; gasUsed: bigint; logs: readonly Log[] },
  ): void {
    const { environment, rootNow } = this.parts;
    const transaction = unsigned(call, message, environment.rules);
    this.transactions.push(transaction);
    this.gasUsed += gasUsed;
    this.receipts.push({
      type: transaction.type,
      ...(environment.rules.isByzantium
        ? { status: isDone ? 1 : 0 }
        : { status: undefined, postState: rootNow() }),
      cumulativeGasUsed: this.gasUsed,
      gasUsed,
      bloom: bloomOfLogs(logs),
      logs,
    });
  }
}

/** A dynamic fee transaction, unless a gas price is given or the fork does not have them yet. */
function unsigned(
  call: CallInBlock,
  message: Message,
  { isLondon, chainId }: BlockEnvironment['rules'],
): Transaction {
  const isLegacy = call.gasPrice !== undefined || !isLondon;
  const type = isLegacy ? (call.accessList === undefined ? 0 : 1) : 2;
  const transaction = transactionFrom({
    ...{ ...message, type, gasPrice: message.maxFeePerGas },
    chainId: type === 0 ? undefined : chainId,
    ...{ v: 0n, r: 0n, s: 0n },
  });
  transaction.keepSender(message.sender);
  return transaction;
}
