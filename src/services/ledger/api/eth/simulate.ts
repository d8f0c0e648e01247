/** eth_simulateV1: blocks of calls that are simulated only, as execution-apis describe them. */
import { hasCode } from '../../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { panicReason } from '../../../../core/evm/tracers/revert-reason.ts';
import { errorOf } from '../../../../core/execution/call.ts';
import type { SimulatedOutcome } from '../../../../core/execution/simulated-calls.ts';
import { type SimulatedBlock, Simulation } from '../../../../core/execution/simulation.ts';
import { type Json, type Param, ParamError, RPC, RpcError } from '../../../../io/rpc/method.ts';
import { type BlockTag, LATEST } from '../../view/block-tag.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { type Place, renderBlock, renderLog } from '../render.ts';
import { arrayOf, OBJECT } from '../results.ts';
import { blockTag } from '../shapes.ts';
import { callArgs } from '../transaction-args.ts';
import { simulatedOverrides } from './block-overrides.ts';
import { overridesParam, requestOf, siteOf } from './call.ts';
import {
  type AskedBlock,
  headerAfter,
  placeBlocks,
  SIMULATED_BLOCKS_MAX,
  tooMuch,
} from './simulated-chain.ts';

const CALLS_PER_BLOCK_MAX = 5_000;
const CALLS_MAX = 10_000;
const BLOCK_TEXT_BYTES = 2_000;
const CALL_TEXT_BYTES = 500;
const NANOSECONDS = 1_000_000_000n;
/** Error number of a call that failed in the EVM. */
const VM_ERROR_NUMBER = -32015;

interface AskedSimulation {
  readonly blocks: readonly AskedBlock[];
  readonly traceTransfers: boolean;
  readonly validation: boolean;
  readonly returnFullTransactions: boolean;
}

const simulation: Param<AskedSimulation> = {
  name: 'simulation',
  schema: {
    type: 'object',
    properties: {
      blockStateCalls: {},
      traceTransfers: {},
      validation: {},
      returnFullTransactions: {},
    },
  },
  isOptional: false,
  parse(value) {
    const { blockStateCalls = [], ...given } = objectOf(value);
    if (!Array.isArray(blockStateCalls)) throw new ParamError('blockStateCalls must be a list');
    if (blockStateCalls.length === 0) throw new RpcError(RPC.invalidParams, 'empty input');
    if (blockStateCalls.length > SIMULATED_BLOCKS_MAX) throw tooMuch('too many blocks');
    refuseManyCalls(blockStateCalls);
    return {
      blocks: blockStateCalls.map(askedBlock),
      traceTransfers: flag(given, 'traceTransfers'),
      validation: flag(given, 'validation'),
      returnFullTransactions: flag(given, 'returnFullTransactions'),
    };
  },
};

function objectOf(value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ParamError('json: cannot unmarshal value into Go value of type ethapi.simOpts');
  return value as Record<string, unknown>;
}

function flag(given: Record<string, unknown>, name: string): boolean {
  const value = given[name] ?? false;
  if (typeof value !== 'boolean') throw new ParamError(`${name} must be true or false`);
  return value;
}

function refuseManyCalls(blocks: readonly unknown[]): void {
  const counts = blocks.map((each) => callsOf(objectOf(each)).length);
  const most = Math.max(...counts);
  if (most > CALLS_PER_BLOCK_MAX)
    throw tooMuch(`too many calls in block: ${most} > ${CALLS_PER_BLOCK_MAX}`);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > CALLS_MAX) throw tooMuch(`too many calls: ${total} > ${CALLS_MAX}`);
}

function callsOf({ calls }: Record<string, unknown>): readonly unknown[] {
  if (!Array.isArray(calls ?? [])) throw new ParamError('calls must be a list');
  return (calls ?? []) as unknown[];
}

function askedBlock(value: unknown): AskedBlock {
  const given = objectOf(value);
  return {
    block: simulatedOverrides(given.blockOverrides),
    overrides: overridesParam.parse(given.stateOverrides ?? undefined) ?? [],
    calls: callsOf(given).map((each) => {
      const args = callArgs.parse(each);
      const fees = args.maxFeePerGas ?? args.maxPriorityFeePerGas;
      if (args.gasPrice !== undefined && fees !== undefined)
        throw new ParamError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
      return { ...requestOf(args), nonce: args.nonce };
    }),
  };
}

function simulate(context: ReadContext, asked: AskedSimulation, tag: BlockTag): Json {
  const { view } = context;
  // A simulation never builds on pending transactions.
  const site = siteOf(context, tag.kind === 'pending' ? LATEST : tag);
  const base = view.header(site.header.number)!;
  const isRaft = view.engineAt(base.number) === 'raft';
  const blocks = placeBlocks(asked.blocks, base, isRaft ? NANOSECONDS : 1n);
  const room = new AnswerRoom(context, 'simulate fewer calls at a time');
  const simulation = new Simulation(
    {
      hashes: site.hashes,
      publicState: view.publicBase(base.number),
      privateState: site.privateState,
    },
    {
      isValidated: asked.validation,
      hasTransferLogs: asked.traceTransfers,
      limits: context.callLimits(),
      spend: (bytes) => room.take(2 * bytes),
    },
  );
  let parent = { header: base, hash: view.hashOf(base.number)!, rules: view.rulesAt(base) };
  return blocks.map((each) => {
    room.take(BLOCK_TEXT_BYTES + CALL_TEXT_BYTES * each.calls.length);
    const rules = view.rulesAt(each);
    const isFeeless = rules.isQuorum || rules.isZeroBaseFee;
    const settings = { isValidated: asked.validation, isFeeless };
    const header = headerAfter(parent, each, rules, settings);
    const { overrides, calls, block } = each;
    const { blobBaseFee, withdrawals = [] } = block;
    const wanted = { header, rules, overrides, calls, withdrawals, blobBaseFee };
    const ran = refusing(() => simulation.run(wanted));
    parent = { header: ran.block.header, hash: ran.block.hash, rules };
    return renderSimulated(ran, view.timestampOf(header), asked.returnFullTransactions);
  });
}

const REFUSALS: Readonly<Record<string, number>> = {
  TX_NONCE_TOO_LOW: -38010,
  TX_NONCE_TOO_HIGH: -38011,
  TX_FEE_CAP_TOO_LOW: -38012,
  TX_INTRINSIC_GAS: -38013,
  TX_FUNDS: -38014,
  TX_INITCODE_TOO_LARGE: -38025,
  TX_NONCE_MAX: RPC.internal,
};
const BLOCK_GAS = -38015;

/** Runs `work`; each reason why a call cannot be in a block has its own error number. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, 'SIMULATED_BLOCK_GAS'))
      throw new RpcError(BLOCK_GAS, (error as Error).message);
    if (!hasCode(error, 'CALL_REFUSED')) throw error;
    const { message, data } = error as Error & { data: { reason: string } };
    throw new RpcError(REFUSALS[data.reason] ?? RPC.invalidParams, message);
  }
}

function renderSimulated(
  { block, calls }: SimulatedBlock,
  timestamp: bigint,
  isFull: boolean,
): Json {
  const { totalDifficulty: _, transactions, ...shown } = renderBlock(block, 0n, isFull);
  const blockTimestamp = toQuantity(timestamp);
  let logs = 0;
  return {
    ...shown,
    timestamp: blockTimestamp,
    transactions: (transactions as Json[]).map((each) =>
      isFull ? { ...(each as object), blockTimestamp } : each,
    ),
    calls: calls.map((call, index) => {
      const first = logs;
      logs += call.logs.length;
      const hash = block.transactions[index]!.hash;
      const place = { hash: block.hash, number: block.header.number, index };
      return renderCall(call, { hash, place, first, blockTimestamp });
    }),
  };
}

function renderCall(
  call: SimulatedOutcome,
  at: { hash: Uint8Array; place: Place; first: number; blockTimestamp: string },
): Json {
  const failure = failureOf(call);
  return {
    returnData: failure ? '0x' : toHex(call.output),
    logs: call.logs.map((log, i) => ({
      ...renderLog(log, at.hash, at.place, at.first + i),
      blockTimestamp: at.blockTimestamp,
    })),
    gasUsed: toQuantity(call.gasUsed),
    maxUsedGas: toQuantity(call.gasUsedMost),
    status: failure ? '0x0' : '0x1',
    ...(failure ? { error: failure } : {}),
  };
}

function failureOf(call: SimulatedOutcome): { [key: string]: Json } | undefined {
  if (call.kind === 'success') return undefined;
  if (call.kind === 'revert') {
    const panic = panicReason(call.output);
    const { message } = errorOf(call)!;
    return {
      code: RPC.reverted,
      message: panic === undefined ? message : `${message}: ${panic}`,
      data: toHex(call.output),
    };
  }
  const capped = call.isCapped ? " (gas limit was capped by the RPC server's global gas cap)" : '';
  return { code: VM_ERROR_NUMBER, message: `${call.error}${capped}` };
}

export const simulateMethods = [
  readMethod('eth_simulateV1', {
    params: [simulation, blockTag],
    result: arrayOf(OBJECT),
    about:
      'Runs calls in blocks that never happen, after a block of the chain; state and blocks may be overridden.',
    isHeavy: true,
    call: (context, [asked, tag]) => simulate(context, asked, tag),
  }),
];
