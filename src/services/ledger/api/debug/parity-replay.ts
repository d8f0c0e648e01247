/**
 * `trace_*` methods that execute transactions or calls and show their calls and changes, in
 * OpenEthereum's form.
 */
import { toHex } from '../../../../core/base/hex.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import type { FlatCall } from '../../../../core/evm/tracers/flat-call.ts';
import type { PrestateResult } from '../../../../core/evm/tracers/prestate.ts';
import { type Json, type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { TransactionArgs } from '../../node/sending/send-args.ts';
import { LATEST } from '../../view/block-tag.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { arrayOf, OBJECT } from '../results.ts';
import { blockTag, data, hash, requiredBlockNumber } from '../shapes.ts';
import { callArgs } from '../transaction-args.ts';
import { withInputs } from './private-replay.ts';
import { BlockReplay } from './replay.ts';
import { stateDiff } from './state-diff.ts';
import { blockOrFail, deadlineOf, traceCall, traceNext } from './trace.ts';
import type { TraceRoom } from './tracers.ts';

const KINDS = ['trace', 'stateDiff', 'vmTrace'] as const;
type Kind = (typeof KINDS)[number];
export const PARITY = { convertParityErrors: true, ownGas: true };
const TRACERS = { flatCallTracer: PARITY, prestateTracer: { diffMode: true } };
/** `vmTrace` is dear, and so it runs only where it is asked for. */
const ALL_TRACERS = { ...TRACERS, vmTracer: {} };

const kinds: Param<ReadonlySet<Kind>> = {
  name: 'kinds',
  schema: { type: 'array', items: { type: 'string', enum: KINDS } },
  isOptional: false,
  parse(value) {
    const wrong = Array.isArray(value) ? value.find((each) => !KINDS.includes(each)) : value;
    if (!Array.isArray(value) || wrong !== undefined)
      throw new ParamError(
        `expected a list of ${KINDS.join(', ')}, found ${JSON.stringify(wrong)}`,
      );
    return new Set(value);
  },
};

/** Limits that all traces of one request share: size and time. */
export function sharedOf(context: ReadContext): {
  room: TraceRoom;
  shouldStop: () => boolean;
} {
  return { room: { words: 0, bytes: 0 }, ...deadlineOf(context, {}) };
}

/** OpenEthereum always includes `result` in a call without an error: null for a SELFDESTRUCT. */
export function resultOrNull(call: FlatCall) {
  return call.error === undefined ? { ...call, result: call.result ?? null } : call;
}

function tracersFor(asked: ReadonlySet<Kind>, room: TraceRoom) {
  const tracerConfig = asked.has('vmTrace') ? ALL_TRACERS : TRACERS;
  return { tracer: 'muxTracer', tracerConfig, timeoutMs: undefined, room };
}

function shown(traced: unknown, asked: ReadonlySet<Kind>) {
  const {
    flatCallTracer: calls,
    prestateTracer,
    vmTracer = null,
  } = traced as {
    flatCallTracer: FlatCall[];
    vmTracer?: Json;
    prestateTracer: { pre: PrestateResult; post: PrestateResult };
  };
  return {
    output: calls[0]?.result?.output ?? calls[0]?.result?.code ?? '0x',
    stateDiff: asked.has('stateDiff') ? stateDiff(prestateTracer) : null,
    trace: asked.has('trace') ? calls.map((call) => resultOrNull(call) as unknown as Json) : [],
    vmTrace: vmTracer,
  };
}

/** Executes transactions `first` to `last` of a block again. */
function replay(
  context: ReadContext,
  block: Block,
  { first, last }: { first: number; last: number },
  asked: ReadonlySet<Kind>,
): Promise<Json[]> {
  const { view, inputs } = context;
  const { room, shouldStop } = sharedOf(context);
  const needed = block.transactions.slice(0, last + 1);
  if (needed.length === 0) return Promise.resolve([]);
  return withInputs(inputs, needed, view.rulesAt(block.header), () => {
    const ran = new BlockReplay(view, block, inputs);
    return needed.slice(first).map(({ hash: transactionHash }, at) => ({
      ...shown(traceNext(ran, block, first + at, tracersFor(asked, room), shouldStop), asked),
      transactionHash: toHex(transactionHash),
    }));
  });
}

async function replayOne(context: ReadContext, wanted: Uint8Array, asked: ReadonlySet<Kind>) {
  const found = context.view.transaction(wanted);
  if (!found) return null;
  const { block, index } = found;
  const [only] = await replay(context, block, { first: index, last: index }, asked);
  return only!;
}

/** The transaction as arguments of a call. */
function argsOf(transaction: Transaction): TransactionArgs {
  const { sender, to, gasLimit, value, nonce, accessList, type, chainId } = transaction;
  const isDynamic = type >= 2;
  return {
    ...{ from: sender, to, gas: gasLimit, value, nonce, chainId, type: undefined },
    gasPrice: isDynamic ? undefined : transaction.gasPrice,
    maxFeePerGas: isDynamic ? transaction.maxFeePerGas : undefined,
    maxPriorityFeePerGas: isDynamic ? transaction.maxPriorityFeePerGas : undefined,
    ...{ data: transaction.data, input: undefined, private: undefined },
    accessList: type === 0 ? undefined : accessList,
  };
}

export const parityReplayMethods = [
  readMethod('trace_replayTransaction', {
    params: [hash, kinds],
    result: OBJECT,
    about:
      'Runs a mined transaction again: its calls (`trace`), what it changed (`stateDiff`), its opcodes (`vmTrace`).',
    isHeavy: true,
    call: (context, [wanted, asked]) => replayOne(context, wanted, asked),
  }),
  readMethod('trace_replayBlockTransactions', {
    params: [requiredBlockNumber, kinds],
    result: arrayOf(OBJECT),
    about: 'Runs the transactions of a block again, as trace_replayTransaction each.',
    isHeavy: true,
    call: (context, [tag, asked]) => {
      const block = blockOrFail(context, tag);
      const last = block.header.number === 0 ? -1 : block.transactions.length - 1;
      return replay(context, block, { first: 0, last }, asked);
    },
  }),
  readMethod('trace_call', {
    params: [callArgs, kinds, blockTag],
    result: OBJECT,
    about: 'Runs a message as eth_call does: its calls, and what it would change.',
    isHeavy: true,
    call: (context, [args, asked, tag]) =>
      shown(traceCall(context, args, tag, tracersFor(asked, sharedOf(context).room)), asked),
  }),
  readMethod('trace_rawTransaction', {
    params: [data, kinds],
    result: OBJECT,
    about: 'Runs a signed transaction on the latest state, without sending it.',
    isHeavy: true,
    call: (context, [raw, asked]) => {
      const args = argsOf(decodeTransaction(raw));
      return shown(
        traceCall(context, args, LATEST, tracersFor(asked, sharedOf(context).room)),
        asked,
      );
    },
  }),
];
