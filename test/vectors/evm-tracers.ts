/**
 * One tracer case of `public/evm-unit/tracers`: a transaction on a given state, and the tracer's
 * output.
 */
import { isDeepStrictEqual } from 'node:util';
import { fromHex } from '../../src/core/base/hex.ts';
import { bytesToBigInt } from '../../src/core/base/quantity.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { rulesAt } from '../../src/core/chain/rules.ts';
import { decodeTransaction } from '../../src/core/chain/transaction.ts';
import type { Environment } from '../../src/core/evm/interpreter.ts';
import type { Tracer } from '../../src/core/evm/tracer.ts';
import { CallTracer } from '../../src/core/evm/tracers/call.ts';
import { FlatCallTracer } from '../../src/core/evm/tracers/flat-call.ts';
import { PrestateTracer } from '../../src/core/evm/tracers/prestate.ts';
import { type AppliedMessage, applyMessage } from '../../src/core/execution/public-transaction.ts';
import { MemoryReader } from '../../src/core/state/memory-reader.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';

/** Set code transactions (EIP-7702) came with Prague, which this ledger does not have. */
export function isBeyondCancun(one: any): boolean {
  return one.input.replace(/^0x/, '').startsWith('04');
}

interface Harness {
  readonly world: PublicWorld;
  readonly apply: (tracer: Tracer) => AppliedMessage;
  readonly transaction: ReturnType<typeof decodeTransaction>;
  readonly block: Environment['block'];
}

/** undefined when the case passes. */
export function runTracerCase(name: string, one: any): string | undefined {
  const harness = prepare(one);
  let got = normalized(JSON.parse(JSON.stringify(trace(name, one, harness) ?? null)));
  let expected = normalized(one.result);
  if (name === 'call_tracer_flat') {
    got = withoutUnset(got);
    expected = withoutUnset(expected);
  }
  if (isDeepStrictEqual(got, expected)) return undefined;
  return firstDifference(expected, got, '') ?? 'differs';
}

function prepare(one: any): Harness {
  const { clique: _engine, ...config } = one.genesis.config;
  const genesis = genesisFromJson(
    // Block 0 takes the fields of the recorded block: only its rules and accounts matter.
    { config, alloc: one.genesis.alloc, difficulty: '0x1', gasLimit: '0x1' },
    'ethereum',
  );
  const { context } = one;
  const number = Number(context.number);
  const timestamp = BigInt(context.timestamp);
  const rules = rulesAt(genesis.config, number, timestamp);
  const alloc = genesis.alloc.map((account) => ({
    ...account,
    storage: new Map(
      account.storage.map(([slot, value]) => [bytesToBigInt(slot), bytesToBigInt(value)] as const),
    ),
  }));
  const world = new PublicWorld(MemoryReader.fromAlloc(alloc).reader, number);
  const transaction = decodeTransaction(fromHex(prefixed(one.input)), 'ethereum');
  const coinbase = fromHex(context.miner);
  const block = {
    number,
    timestamp,
    coinbase,
    gasLimit: BigInt(context.gasLimit),
    difficulty: BigInt(context.difficulty ?? 0),
    prevRandao: new Uint8Array(32),
    baseFee: BigInt(context.baseFeePerGas ?? one.genesis.baseFeePerGas ?? 0),
    blobBaseFee: 1n,
  };
  const apply = (tracer: Tracer) => {
    const shared = { rules, block, blockHash: () => undefined, feesTo: coinbase, tracer };
    const applied = applyMessage(world, transaction, shared, { left: block.gasLimit });
    world.finishTransaction(rules);
    return applied;
  };
  return { world, apply, transaction, block };
}

function trace(name: string, one: any, harness: Harness): unknown {
  const { world, apply, transaction, block } = harness;
  const options = one.tracerConfig ?? {};
  world.beginTransaction();
  if (name.startsWith('prestate')) {
    const tracer = new PrestateTracer(world, options);
    tracer.begin(transaction.sender, transaction.to, block.coinbase);
    apply(tracer);
    return tracer.result();
  }
  const gasLimit = Number(transaction.gasLimit);
  if (name === 'call_tracer_flat') {
    const tracer = new FlatCallTracer(options);
    const { gasUsed } = apply(tracer);
    return tracer.result(gasLimit, Number(gasUsed));
  }
  const tracer = new CallTracer(options);
  const { gasUsed } = apply(tracer);
  return tracer.result(gasLimit, Number(gasUsed));
}

function prefixed(hex: string): string {
  return hex.startsWith('0x') ? hex : `0x${hex}`;
}

const ZERO_ADDRESS_TEXT = `0x${'0'.repeat(40)}`;

/** Some recordings of flat calls print unset fields as zero, others omit them. */
function withoutUnset(calls: any[]): any[] {
  for (const call of calls) {
    delete call.action.author;
    const names = call.type === 'suicide' ? ['callType', 'gas', 'init', 'input', 'value'] : [];
    if (call.type !== 'suicide') names.push('address', 'refundAddress', 'balance');
    for (const name of names) delete call.action[name];
    for (const name of ['value', 'input', 'init', 'balance', 'refundAddress']) {
      if (['0x0', '0x', ZERO_ADDRESS_TEXT].includes(call.action[name])) delete call.action[name];
    }
    if (call.error !== undefined && call.error !== 'execution reverted') delete call.result;
    if (call.result === null) delete call.result;
    if (call.result?.address === ZERO_ADDRESS_TEXT) delete call.result.address;
    if (call.result?.output === '0x') delete call.result.output;
    if (call.result?.code === '0x') delete call.result.code;
  }
  return calls;
}

/**
 * Removes differences that do not matter: error texts that newer geth words differently, fields of
 * one recorded block, and empty values that only some recordings have.
 */
function normalized(value: any): any {
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (BLOCK_FIELDS.has(key) || (key === 'index' && field === '0x0')) continue;
    out[key] = key === 'error' ? errorText(String(field)) : normalized(field);
  }
  return out;
}

const BLOCK_FIELDS = new Set([
  'blockHash',
  'blockNumber',
  'transactionHash',
  'transactionPosition',
]);

function errorText(text: string): string {
  return text
    .replace(/: not enough gas for reentrancy sentry$/, '')
    .replace('opcode 0xfe not defined', 'INVALID');
}

function firstDifference(expected: any, got: any, path: string): string | undefined {
  const isTree = (value: any) => typeof value === 'object' && value !== null;
  if (!isTree(expected) || !isTree(got)) {
    if (isDeepStrictEqual(expected, got)) return undefined;
    return `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const found = firstDifference(expected[key], got[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
