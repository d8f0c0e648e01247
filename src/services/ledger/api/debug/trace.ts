/**
 * `debug_trace*`: what the EVM did, opcode by opcode or call by call. Each run is bounded in time
 * and size.
 */
import { EMPTY_BYTES } from '../../../../core/base/bytes.ts';
import { fail, hasCode, QuorateError } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { type Block, decodeBlock } from '../../../../core/chain/block.ts';
import { intrinsicGas } from '../../../../core/chain/intrinsic-gas.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { Tracer } from '../../../../core/evm/tracer.ts';
import { tracedCall } from '../../../../core/execution/call.ts';
import type { StateOverride } from '../../../../core/execution/overrides.ts';
import { opensInner } from '../../../../core/privacy/marker.ts';
import type { World } from '../../../../core/state/world.ts';
import { type Json, type Param, ParamError, RawJson } from '../../../../io/rpc/method.ts';
import type { TransactionArgs } from '../../node/sending/send-args.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { type BlockOverrides, blockOverrides, overriddenSite } from '../eth/block-overrides.ts';
import { overridesParam, requestOf, siteOf } from '../eth/call.ts';
import { arrayOf, OBJECT } from '../results.ts';
import { blockTag, data, hash, optional, requiredBlockNumber } from '../shapes.ts';
import { callArgs } from '../transaction-args.ts';
import { withInputs } from './private-replay.ts';
import { BlockReplay } from './replay.ts';
import type { Traced } from './traced.ts';
import { needsScripts, type RunningTrace, startTrace, type TraceOptions } from './tracers.ts';

const TIMEOUT_MS_DEFAULT = 5_000;
const TIMEOUT_MS_MAX = 60_000;
/**
 * Memory limit for all scripts of one request: their data, their code, and a library for large
 * numbers.
 */
const SCRIPT_BYTES_MAX = 64 * 1024 * 1024;

const DEFAULTS: TraceOptions = {
  tracer: undefined,
  tracerConfig: undefined,
  timeoutMs: undefined,
};

const traceOptions: Param<TraceOptions> = optional(
  {
    name: 'options',
    schema: { type: 'object', properties: { tracer: {}, tracerConfig: {}, timeout: {} } },
    isOptional: true,
    parse: parseOptions,
  },
  DEFAULTS,
);

/** The state and block overrides of a call. */
interface Assumed {
  readonly overrides?: readonly StateOverride[] | undefined;
  readonly block?: BlockOverrides | undefined;
}

const traceCallOptions: Param<TraceOptions & Assumed> = optional(
  {
    name: 'options',
    schema: {
      type: 'object',
      properties: { tracer: {}, timeout: {}, stateOverrides: {}, blockOverrides: {} },
    },
    isOptional: true,
    parse: (value) => ({
      ...parseOptions(value),
      overrides: overridesParam.parse(
        (value as { stateOverrides?: unknown }).stateOverrides ?? undefined,
      ),
      block: blockOverrides.parse(
        (value as { blockOverrides?: unknown }).blockOverrides ?? undefined,
      ),
    }),
  },
  DEFAULTS,
);

function parseOptions(value: unknown): TraceOptions {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ParamError('json: cannot unmarshal value into Go value of type tracers.TraceConfig');
  const given = value as Record<string, unknown>;
  const field = <T>(name: string, kind: string): T | undefined => {
    const found = given[name] ?? undefined;
    if (found === undefined || typeof found === kind) return found as T | undefined;
    throw new ParamError(
      `json: cannot unmarshal ${typeof found} into Go struct field TraceConfig.${name} of type ${kind === 'boolean' ? 'bool' : kind === 'number' ? 'int' : kind}`,
    );
  };
  const timeout = field<string>('timeout', 'string');
  return {
    tracer: field('tracer', 'string'),
    tracerConfig: field('tracerConfig', 'object'),
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout),
    disableStack: field('disableStack', 'boolean'),
    disableMemory: field('disableMemory', 'boolean'),
    disableStorage: field('disableStorage', 'boolean'),
    limit: field('limit', 'number'),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Go's durations, such as `1m30s`. */
function durationMs(text: string): number {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text))
    throw new ParamError(`time: invalid duration "${text}"`);
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(h|ms|m|s|us|µs|ns)/g))
    total += Number(amount) * UNIT_MS[unit!]!;
  return total;
}

/** Stops a run that takes too long. */
export function deadlineOf(
  { isGivenUp }: Pick<ReadContext, 'isGivenUp'>,
  { timeoutMs = TIMEOUT_MS_DEFAULT }: Pick<Partial<TraceOptions>, 'timeoutMs'>,
): { shouldStop: () => boolean } {
  const end = performance.now() + Math.min(timeoutMs, TIMEOUT_MS_MAX);
  return { shouldStop: () => performance.now() > end || isGivenUp() };
}

/** Traces transaction `index`. Throws InputsMissing. */
export function traceNext(
  replay: BlockReplay,
  { transactions }: Block,
  index: number,
  options: TraceOptions,
  shouldStop: () => boolean,
): Json | RawJson {
  const transaction = transactions[index]!;
  const { rules } = replay;
  const place = placeOf(replay, shouldStop);
  inTime(() => replay.runUpTo(index, { shouldStop }));
  let running: RunningTrace | undefined;
  const begin = performance.now();
  const watch = (world: World, message: Traced['message']): Tracer => {
    running = startTrace(options, { ...place, world, message });
    return running.tracer;
  };
  const ran = inTime(() => replay.run({ watch, shouldStop }));
  const isMarker = opensInner(transaction, rules);
  if (isMarker) running = aroundMarker(running, replay, transaction, { options, place });
  running ??= nothingRan(replay, transaction, { options, place });
  return running.result(ran, performance.now() - begin);
}

type Place = Omit<Traced, 'world' | 'message'>;

interface Placed {
  readonly options: TraceOptions;
  readonly place: Place;
}

function placeOf({ rules, shared }: BlockReplay, shouldStop: () => boolean): Place {
  const { coinbase, number } = shared.block;
  return { rules, coinbase, number, shouldStop };
}

function inTime<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error, 'EXECUTION_STOPPED')) throw error;
    throw fail('TRACE_TIMEOUT', 'execution timeout');
  }
}

/**
 * COMPAT: the call of the precompile is also reported: first if the caller is not a party, last if
 * it is.
 */
function aroundMarker(
  inner: RunningTrace | undefined,
  { world, rules }: BlockReplay,
  marker: Transaction,
  { options, place }: Placed,
): RunningTrace {
  const isLegacy = options.tracer === 'callTracer' && !options.tracerConfig;
  if (inner && !isLegacy) return inner;
  const running = inner ?? startTrace(options, { ...place, world, message: marker });
  if (!inner) {
    running.tracer.onEnter?.({
      type: 'CALL',
      depth: 0,
      from: marker.sender,
      to: marker.to!,
      input: marker.data,
      gas: Number(marker.gasLimit) - Number(intrinsicGas(marker, rules)),
      value: marker.value,
      isPrecompile: true,
      codeBytes: 0,
    });
  }
  const output = EMPTY_BYTES;
  running.tracer.onExit?.({ depth: 0, output, gasUsed: 0, error: undefined, isReverted: false });
  return running;
}

/**
 * Trace of a private call by a caller that is not a party. COMPAT: GoQuorum's call tracer fails on
 * it.
 */
function nothingRan(
  { world }: BlockReplay,
  transaction: Transaction,
  { options, place }: Placed,
): RunningTrace {
  if (options.tracer === 'callTracer' && !options.tracerConfig) {
    throw fail(
      'TRACE_NOTHING',
      "TypeError: cannot read property 'toString' of undefined    in server-side tracer function 'result'",
    );
  }
  return startTrace(options, { ...place, world, message: transaction });
}

/** A call as by eth_call, traced. */
export function traceCall(
  context: ReadContext,
  args: TransactionArgs,
  tag: BlockTag,
  options: TraceOptions & Assumed,
): Json | RawJson {
  const site = overriddenSite(siteOf(context, tag, options.overrides), options.block);
  let running: RunningTrace | undefined;
  const begin = performance.now();
  const limits = { ...context.callLimits(), ...deadlineOf(context, options) };
  const outcome = tracedCall(requestOf(args), site, limits, (world, message) => {
    const coinbase = site.author ?? site.header.coinbase;
    const gasPrice = message.maxFeePerGas;
    const traced = { ...message, gasPrice };
    const { number } = site.header;
    const { shouldStop } = limits;
    const place = { rules: site.rules, coinbase, number, shouldStop };
    running = startTrace(options, { ...place, world, message: traced });
    return running.tracer;
  });
  const isFailed = outcome.kind !== 'success';
  const { output } = outcome;
  return running!.result(
    { gasUsed: Number(outcome.gasUsed), isFailed, output },
    performance.now() - begin,
  );
}

function traceBlock(context: ReadContext, block: Block, options: TraceOptions): Promise<RawJson> {
  const { view, inputs } = context;
  return withInputs(inputs, block.transactions, view.rulesAt(block.header), () => {
    const { shouldStop } = deadlineOf(context, options);
    const replay = new BlockReplay(view, block, inputs);
    const shared = { ...options, room: { words: 0, bytes: 0 } };
    const traces = block.transactions.map((_, index) => {
      try {
        const result = traceNext(replay, block, index, shared, shouldStop);
        if (result instanceof RawJson) return ['{"result":', ...result.pieces, '}'];
        return [JSON.stringify({ result })];
      } catch (error) {
        if (!(error instanceof QuorateError) || error.code === 'TRACE_TIMEOUT') throw error;
        return [JSON.stringify({ error: error.message })];
      }
    });
    const listed = traces.flatMap((pieces, at) => (at === 0 ? pieces : [',', ...pieces]));
    return new RawJson(['[', ...listed, ']']);
  });
}

export function traceTransaction(
  context: ReadContext,
  wanted: Uint8Array,
  options: TraceOptions,
): Promise<Json | RawJson> {
  const { view, inputs } = context;
  const found = view.transaction(wanted);
  if (!found) throw fail('TRANSACTION_UNKNOWN', `transaction ${toHex(wanted)} not found`);
  const { block, index } = found;
  const needed = block.transactions.slice(0, index + 1);
  return withInputs(inputs, needed, view.rulesAt(block.header), () => {
    const { shouldStop } = deadlineOf(context, options);
    return traceNext(new BlockReplay(view, block, inputs), block, index, options, shouldStop);
  });
}

/** Throws `block #N not found` or `block 0x… not found`. */
export function blockOrFail({ view, pending }: ReadContext, tag: BlockTag): Block {
  if (tag.kind === 'pending') return pending.block().block;
  const number = view.numberOf(tag);
  const block = number === undefined ? undefined : view.block(number);
  if (block) return block;
  throw fail('BLOCK_UNKNOWN', `block ${nameOf(tag)} not found`);
}

function nameOf(tag: BlockTag): string {
  if (tag.kind === 'number') return `#${tag.number}`;
  return tag.kind === 'hash' ? toHex(tag.hash) : tag.kind;
}

function decoded(bytes: Uint8Array): Block {
  try {
    return decodeBlock(bytes);
  } catch (error) {
    if (!(error instanceof QuorateError)) throw error;
    throw fail('BLOCK_UNDECODABLE', `could not decode block: ${error.message}`);
  }
}

const byHash = (wanted: Uint8Array): BlockTag => ({
  kind: 'hash',
  hash: wanted,
  requireCanonical: false,
});

/** Callers' scripts run only in readers. Throws TRACER_SCRIPT on the main thread. */
async function ready<T extends TraceOptions>(context: ReadContext, options: T): Promise<T> {
  if (!needsScripts(options)) return options;
  const { loadScripts } = context;
  if (!loadScripts)
    throw fail(
      'TRACER_SCRIPT',
      'tracers written in JavaScript run in reader threads: start the node with --rpc.readers 1 or more',
    );
  return { ...options, scripts: await loadScripts(SCRIPT_BYTES_MAX) };
}

export const traceMethods = [
  readMethod('debug_traceTransaction', {
    params: [hash, traceOptions],
    result: OBJECT,
    about: 'Runs a mined transaction again and shows what it did.',
    isHeavy: true,
    call: async (context, [wanted, options]) =>
      traceTransaction(context, wanted, await ready(context, options)),
  }),
  readMethod('debug_traceBlockByNumber', {
    params: [requiredBlockNumber, traceOptions],
    result: arrayOf(OBJECT),
    about: 'Traces of all transactions of a block.',
    isHeavy: true,
    call: async (context, [tag, options]) =>
      traceBlock(context, blockOrFail(context, tag), await ready(context, options)),
  }),
  readMethod('debug_traceBlockByHash', {
    params: [hash, traceOptions],
    result: arrayOf(OBJECT),
    about: 'Traces of all transactions of a block, by hash.',
    isHeavy: true,
    call: async (context, [wanted, options]) =>
      traceBlock(context, blockOrFail(context, byHash(wanted)), await ready(context, options)),
  }),
  readMethod('debug_traceCall', {
    params: [callArgs, blockTag, traceCallOptions],
    result: OBJECT,
    about:
      'Runs a message as eth_call does and shows what it did; takes `stateOverrides` and `blockOverrides`.',
    isHeavy: true,
    call: async (context, [args, tag, options]) =>
      traceCall(context, args, tag, await ready(context, options)),
  }),
  readMethod('debug_traceBadBlock', {
    params: [hash, traceOptions],
    result: arrayOf(OBJECT),
    about: 'Always fails: refused blocks are not kept.',
    isHeavy: true,
    call: (_, [wanted]) => {
      throw fail('BLOCK_UNKNOWN', `bad block ${toHex(wanted)} not found`);
    },
  }),
  readMethod('debug_traceBlock', {
    params: [data, traceOptions],
    result: arrayOf(OBJECT),
    about: 'Traces of all transactions of a block given as RLP.',
    isHeavy: true,
    call: async (context, [bytes, options]) =>
      traceBlock(context, decoded(bytes), await ready(context, options)),
  }),
];
