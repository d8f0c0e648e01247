/**
 * Every way in which a caller may trace somebody else's private data: each tracer on the private
 * transaction, on its block and on calls of its contract, and scripts that read the contract while
 * something public is traced.
 */
import type { Conversation } from './callers.ts';
import { type Canary, canariesIn } from './canaries.ts';
import type { Target } from './target.ts';
import { diggingScript, TRACER_SCRIPT } from './tracer-script.ts';

/** The methods that these probes call. */
export const TRACING_METHODS: readonly string[] = [
  'debug_traceBlock',
  'debug_traceBlockByHash',
  'debug_traceBlockByNumber',
  'debug_traceCall',
  'debug_traceTransaction',
  'trace_block',
  'trace_filter',
  'trace_replayTransaction',
  'trace_transaction',
];

/** A public transaction and contract. */
export interface Open {
  readonly hash: string;
  readonly contract: string;
}

/** The tracers with the most output. */
const WIDEST: readonly object[] = [
  {},
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: TRACER_SCRIPT },
];
const NAMED: readonly object[] = [
  ...WIDEST,
  ...['callTracer', 'prestateTracer', 'flatCallTracer', '4byteTracer', 'vmTracer'].flatMap(
    (tracer) => [{ tracer }, { tracer, tracerConfig: {} }],
  ),
  { tracer: 'muxTracer', tracerConfig: { callTracer: {}, prestateTracer: {} } },
];
const OTHER = `0x${'be'.repeat(20)}`;

/** Code that reads `contract`: by each kind of call, and by reading its code. */
const readersOf = (contract: string): readonly string[] => {
  const address = `73${contract.slice(2)}`;
  const said = '503d600060003e3d6000f3';
  return [
    `0x60006000600060006000${address}5af1${said}`,
    `0x60006000600060006000${address}5af2${said}`,
    `0x6000600060006000${address}5af4${said}`,
    `0x6000600060006000${address}5afa${said}`,
    `0x${address}3b600060006000${address}3c${address}3b6000f3`,
  ];
};

/** Which of `canaries` are visible, and by which method. */
export async function traceEverything(
  talk: Conversation,
  targets: readonly Target[],
  open: Open,
  canaries: readonly Canary[],
): Promise<string[]> {
  const shown = new Set<string>();
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = await talk.ask(method, params);
    for (const each of canariesIn(canaries, answer)) shown.add(`${each} by ${method}`);
  };
  for (const script of diggingScripts(targets)) {
    await ask('debug_traceTransaction', open.hash, script);
    await ask('debug_traceCall', { to: open.contract }, 'latest', script);
  }
  for (const target of targets) await traceTarget(ask, target);
  const last = new Map(targets.map((target) => [target.contract, target]));
  for (const target of last.values()) await traceCalls(ask, target);
  return [...shown].sort();
}

const diggingScripts = (targets: readonly Target[]) =>
  diggingScript([...new Set(targets.map(({ contract }) => contract))]).map((tracer) => ({
    tracer,
  }));

type Ask = (method: string, ...params: unknown[]) => Promise<void>;

async function traceTarget(ask: Ask, target: Target): Promise<void> {
  const { hash, blockNumber, blockHash, blockRlp } = target;
  for (const options of NAMED) await ask('debug_traceTransaction', hash, options);
  for (const options of WIDEST) {
    await ask('debug_traceBlockByNumber', blockNumber, options);
    await ask('debug_traceBlockByHash', blockHash, options);
    await ask('debug_traceBlock', blockRlp, options);
    await ask('debug_traceBadBlock', blockHash, options);
  }
  await traceParity(ask, target);
}

async function traceCalls(ask: Ask, target: Target): Promise<void> {
  const { blockNumber, contract, from } = target;
  const digging = diggingScripts([target]);
  for (const options of [...NAMED, ...digging]) {
    for (const tag of ['latest', 'pending', blockNumber])
      await ask('debug_traceCall', { from, to: contract }, tag, options);
  }
  const blockOverrides = { number: blockNumber };
  for (const options of [{}, ...digging]) {
    await ask('debug_traceCall', { to: contract }, 'latest', { ...options, blockOverrides });
    for (const code of readersOf(contract)) {
      const stateOverrides = { [OTHER]: { code } };
      await ask('debug_traceCall', { to: OTHER }, 'latest', { ...options, stateOverrides });
      await ask('debug_traceCall', { data: code }, 'latest', options);
    }
  }
}

async function traceParity(ask: Ask, target: Target): Promise<void> {
  const { hash, blockNumber, contract, from } = target;
  await ask('trace_transaction', hash);
  await ask('trace_block', blockNumber);
  const blocks = { fromBlock: blockNumber, toBlock: blockNumber };
  await ask('trace_filter', blocks);
  await ask('trace_filter', { ...blocks, toAddress: [contract] });
  await ask('trace_filter', { ...blocks, fromAddress: [from] });
  for (const kind of ['trace', 'stateDiff', 'vmTrace'])
    await ask('trace_replayTransaction', hash, [kind]);
}
