/**
 * `trace_*`: methods that block explorers of OpenEthereum, Nethermind and Besu use, with the same
 * answers.
 */
import { equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { FlatCall } from '../../../../core/evm/tracers/flat-call.ts';
import { type Json, type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { arrayOf, OBJECT } from '../results.ts';
import { fixedBytes, hash, index, requiredBlockNumber } from '../shapes.ts';
import { PARITY, resultOrNull, sharedOf } from './parity-replay.ts';
import { withInputs } from './private-replay.ts';
import { BlockReplay } from './replay.ts';
import { blockOrFail, traceNext } from './trace.ts';
import type { TraceRoom } from './tracers.ts';

/** Maximum number of blocks of one trace_filter. */
const FILTERED_BLOCKS_MAX = 1_000;
/** Maximum number of traces in one answer of trace_filter. */
const FILTERED_TRACES_MAX = 10_000;

/** Maximum depth of a trace: that of the EVM. */
const POSITION_MAX = 1_024;

const position: Param<readonly number[]> = {
  name: 'position',
  schema: { type: 'array', items: { type: 'string' } },
  isOptional: false,
  parse(value) {
    if (!Array.isArray(value) || value.length > POSITION_MAX)
      throw new ParamError('the position must be a list of quantities');
    return value.map((each) => index.parse(each));
  },
};

interface TraceFilter {
  readonly from: BlockTag;
  readonly to: BlockTag;
  /** Empty: any sender. */
  readonly senders: readonly Uint8Array[];
  readonly receivers: readonly Uint8Array[];
  readonly after: number;
  readonly count: number;
}

const filter: Param<TraceFilter> = {
  name: 'filter',
  schema: {
    type: 'object',
    properties: {
      fromBlock: {},
      toBlock: {},
      fromAddress: {},
      toAddress: {},
      after: {},
      count: {},
    },
  },
  isOptional: false,
  parse(value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw new ParamError('the filter must be an object');
    const given = value as Record<string, unknown>;
    return {
      from: requiredBlockNumber.parse(given.fromBlock ?? 'latest'),
      to: requiredBlockNumber.parse(given.toBlock ?? 'latest'),
      senders: addresses(given.fromAddress),
      receivers: addresses(given.toAddress),
      after: countOf(given.after, 0),
      count: Math.min(countOf(given.count, FILTERED_TRACES_MAX), FILTERED_TRACES_MAX),
    };
  },
};

function addresses(value: unknown): Uint8Array[] {
  return [value ?? []].flat().map((each) => fixedBytes(each, 20, 'common.Address'));
}

function countOf(value: unknown, fallback: number): number {
  const count = value ?? fallback;
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw new ParamError('after and count must be whole numbers');
}

type Trace = Readonly<Record<string, Json | undefined>>;

/** Traces of transactions `first` to `last` of a block, with their positions. */
function tracesOf(
  context: ReadContext,
  block: Block,
  { first, last }: { first: number; last: number },
  shared: { readonly room: TraceRoom; readonly shouldStop: () => boolean },
): Promise<Trace[]> {
  const { view, inputs } = context;
  const { room, shouldStop } = shared;
  const needed = block.transactions.slice(0, last + 1);
  if (needed.length === 0) return Promise.resolve([]);
  return withInputs(inputs, needed, view.rulesAt(block.header), () => {
    const replay = new BlockReplay(view, block, inputs);
    return needed.slice(first).flatMap(({ hash: transactionHash }, at) => {
      const options = flatCalls(room);
      const calls = traceNext(replay, block, first + at, options, shouldStop) as unknown;
      const place = {
        blockHash: toHex(block.hash),
        blockNumber: block.header.number,
        transactionHash: toHex(transactionHash),
        transactionPosition: first + at,
      };
      return (calls as FlatCall[]).map((call) => ({ ...resultOrNull(call), ...place }) as Trace);
    });
  });
}

function flatCalls(room: TraceRoom) {
  return { tracer: 'flatCallTracer', tracerConfig: PARITY, timeoutMs: undefined, room };
}

function traceTransaction(context: ReadContext, wanted: Uint8Array): Promise<Json> | null {
  const found = context.view.transaction(wanted);
  if (!found) return null;
  const { block, index } = found;
  return tracesOf(context, block, { first: index, last: index }, sharedOf(context));
}

function traceBlock(context: ReadContext, block: Block): Promise<Json> {
  // The genesis block executes nothing.
  const last = block.header.number === 0 ? -1 : block.transactions.length - 1;
  return tracesOf(context, block, { first: 0, last }, sharedOf(context));
}

async function traceFilter(context: ReadContext, wanted: TraceFilter): Promise<Json> {
  const [from, to] = [wanted.from, wanted.to].map((tag) => blockOrFail(context, tag).header.number);
  if (to! - from! >= FILTERED_BLOCKS_MAX)
    throw fail('BLOCK_RANGE', `at most ${FILTERED_BLOCKS_MAX} blocks at a time`);
  const shared = sharedOf(context);
  const found: Trace[] = [];
  let skipped = 0;
  for (let number = Math.max(1, from!); number <= to!; number++) {
    const block = context.view.block(number)!;
    const last = block.transactions.length - 1;
    for (const trace of await tracesOf(context, block, { first: 0, last }, shared)) {
      if (!matches(trace, wanted)) continue;
      if (skipped++ < wanted.after) continue;
      if (found.length >= wanted.count) return found;
      found.push(trace);
    }
  }
  return found;
}

function matches({ action, result }: Trace, { senders, receivers }: TraceFilter): boolean {
  const fields = action as Readonly<Record<string, string>>;
  const from = fields.from ?? fields.address;
  const created = (result as { address?: string } | null | undefined)?.address;
  const to = fields.to ?? fields.refundAddress ?? created;
  return isAmong(from, senders) && isAmong(to, receivers);
}

function isAmong(text: string | undefined, wanted: readonly Uint8Array[]): boolean {
  if (wanted.length === 0) return true;
  return text !== undefined && wanted.some((each) => equalBytes(each, hexBytes(text)));
}

function hexBytes(text: string): Uint8Array {
  return fixedBytes(text, 20, 'common.Address');
}

/** The trace at a position within a transaction; null if there is none. */
async function traceAt(
  context: ReadContext,
  wanted: Uint8Array,
  position: readonly number[],
): Promise<Json> {
  const traces = await traceTransaction(context, wanted);
  const found = (traces as Trace[] | null)?.find(
    ({ traceAddress }) => JSON.stringify(traceAddress) === JSON.stringify(position),
  );
  return (found as Json | undefined) ?? null;
}

export const parityMethods = [
  readMethod('trace_transaction', {
    params: [hash],
    result: arrayOf(OBJECT),
    about: 'Calls of a mined transaction as a flat list; null for an unknown one.',
    isHeavy: true,
    call: (context, [wanted]) => traceTransaction(context, wanted),
  }),
  readMethod('trace_block', {
    params: [requiredBlockNumber],
    result: arrayOf(OBJECT),
    about: 'Calls of all transactions of a block as a flat list.',
    isHeavy: true,
    call: (context, [tag]) => traceBlock(context, blockOrFail(context, tag)),
  }),
  readMethod('trace_filter', {
    params: [filter],
    result: arrayOf(OBJECT),
    about: 'Calls in a range of blocks, from and to given accounts.',
    isHeavy: true,
    call: (context, [wanted]) => traceFilter(context, wanted),
  }),
  readMethod('trace_get', {
    params: [hash, position],
    result: OBJECT,
    about: 'One call of a mined transaction, by its position; null for an unknown one.',
    isHeavy: true,
    call: (context, [wanted, at]) => traceAt(context, wanted, at),
  }),
];
