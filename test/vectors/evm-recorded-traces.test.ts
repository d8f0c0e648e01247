/**
 * debug_traceTransaction on the recorded public chain: every built-in tracer of geth 1.10.3 that
 * our EVM has, including the order of keys.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { bytesToBigInt } from '../../src/core/base/quantity.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { intrinsicGas } from '../../src/core/chain/intrinsic-gas.ts';
import { rulesAt } from '../../src/core/chain/rules.ts';
import { precompileAt } from '../../src/core/evm/precompiles/index.ts';
import { LegacyCallTracer } from '../../src/core/evm/tracers/call-legacy.ts';
import * as counters from '../../src/core/evm/tracers/counters.ts';
import { FourByteTracer } from '../../src/core/evm/tracers/four-byte.ts';
import { LegacyPrestateTracer } from '../../src/core/evm/tracers/prestate-legacy.ts';
import { StructLogTracer } from '../../src/core/evm/tracers/struct-log.ts';
import { blockEnvironment } from '../../src/core/execution/environment.ts';
import { type AppliedMessage, applyMessage } from '../../src/core/execution/public-transaction.ts';
import { MemoryReader, writesOfAlloc } from '../../src/core/state/memory-reader.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { genesisOf, readBlocks } from './goquorum-blocks.ts';

/** Tracers written in JavaScript by the caller, and one with an irrelevant output. */
const NOT_BUILT_IN = new Set(['js.io', 'unknown-tracer.io', 'evmdisTracer.io']);

const COUNTERS: Readonly<Record<string, () => any>> = {
  '4byteTracer': () => new FourByteTracer(),
  opcountTracer: () => new counters.OpcountTracer(),
  unigramTracer: () => new counters.UnigramTracer(),
  bigramTracer: () => new counters.BigramTracer(),
  trigramTracer: () => new counters.TrigramTracer(),
  noopTracer: () => new counters.NoopTracer(),
};

it('traces are printed as recorded', READS_PUBLIC_VECTORS, (context) => {
  const chain = join(publicVectorsFor(context), 'goquorum/public-chain');
  const { failures, passed } = replay(chain, recordings(chain));
  expect(failures).toEqual([]);
  expect(passed).toBe(63);
});

interface Recording {
  readonly name: string;
  readonly options: any;
  readonly result: any;
}

/** By transaction hash. */
function recordings(chain: string): Map<string, Recording[]> {
  const folder = join(chain, 'rpc/debug_traceTransaction');
  const found = new Map<string, Recording[]>();
  for (const name of readdirSync(folder)) {
    if (NOT_BUILT_IN.has(name)) continue;
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    const [hash, options = {}] = JSON.parse(
      lines.find((line) => line.startsWith('>> '))!.slice(3),
    ).params;
    const { result } = JSON.parse(lines.find((line) => line.startsWith('<< '))!.slice(3));
    found.set(hash, [...(found.get(hash) ?? []), { name, options, result }]);
  }
  return found;
}

function replay(chain: string, wanted: Map<string, Recording[]>) {
  const genesis = genesisOf(chain);
  const reader = new MemoryReader();
  const alloc = genesis.alloc.map((account) => ({
    ...account,
    storage: new Map(
      account.storage.map(([slot, value]) => [bytesToBigInt(slot), bytesToBigInt(value)] as const),
    ),
  }));
  reader.apply(writesOfAlloc(alloc));
  const hashes: Uint8Array[] = [];
  const failures: string[] = [];
  let passed = 0;
  for (const recorded of readBlocks(join(chain, 'chain/blocks.jsonl'))) {
    const block = decodeBlock(fromHex(recorded.rlp));
    hashes[recorded.number] = block.hash;
    if (recorded.number === 0) continue;
    const { header, transactions } = block;
    const rules = rulesAt(genesis.config, recorded.number, header.timestamp);
    const shared = blockEnvironment(header, header.coinbase, rules, (n) => hashes[n]);
    const apply = (world: PublicWorld, index: number, tracer?: any) => {
      world.beginTransaction();
      const message = transactions[index]!;
      const pool = { left: header.gasLimit };
      const applied = applyMessage(world, message, { ...shared, tracer }, pool);
      world.finishTransaction(rules);
      return applied;
    };
    for (const [index, transaction] of transactions.entries()) {
      for (const { name, options, result } of wanted.get(toHex(transaction.hash)) ?? []) {
        const world = new PublicWorld(reader, recorded.number);
        for (let before = 0; before < index; before++) apply(world, before);
        const traced = trace(options, world, (tracer) => apply(world, index, tracer), {
          isPrecompile: (address) => precompileAt(rules, address) !== undefined,
          intrinsic: Number(intrinsicGas(transaction, rules)),
        });
        const [got, expected] = [traced ?? null, withoutTime(result)].map((v) => JSON.stringify(v));
        if (got === expected) passed++;
        else failures.push(`${name}: expected ${expected}, got ${got}`);
      }
    }
    const world = new PublicWorld(reader, recorded.number);
    for (const index of transactions.keys()) apply(world, index);
    reader.apply(world.writeSet());
  }
  return { failures, passed };
}

function trace(
  options: any,
  world: PublicWorld,
  run: (tracer: any) => AppliedMessage,
  chain: { isPrecompile: (address: Uint8Array) => boolean; intrinsic: number },
): unknown {
  const name = options.tracer;
  if (name === undefined) {
    const tracer = new StructLogTracer(world, options);
    const { gasUsed, result } = run(tracer);
    const json = tracer.result(Number(gasUsed), result.kind !== 'success', result.output);
    return JSON.parse(new TextDecoder().decode(json));
  }
  if (name === 'callTracer') {
    const tracer = new LegacyCallTracer(world, chain.isPrecompile);
    run(tracer);
    return tracer.result();
  }
  if (name === 'prestateTracer') {
    const tracer = new LegacyPrestateTracer(world);
    run(tracer);
    return tracer.result(0n, chain.intrinsic);
  }
  const tracer = COUNTERS[name]!();
  run(tracer);
  return tracer.result();
}

/** `time` differs in every run. */
function withoutTime(value: any): any {
  return JSON.parse(JSON.stringify(value ?? null), (key, field) =>
    key === 'time' ? undefined : field,
  );
}
