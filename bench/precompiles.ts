/**
 * Precompiles on each input of the public vectors, in turn with GoQuorum's or geth's if
 * REFERENCE_VM_TEST names the test program of their package core/vm. Build it in their checkout
 * with `cd core/vm && go test -c`, and leave it there: it reads its own copy of the same vectors.
 * Figures are the best of all rounds, because other load on the machine only adds time.
 */
import { execFile } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { equalBytes } from '../src/core/base/bytes.ts';
import { fromHex } from '../src/core/base/hex.ts';
import type { Fork } from '../src/core/chain/rules.ts';
import { type Precompile, precompileAt } from '../src/core/evm/precompiles/index.ts';
import { rulesOfFork } from '../test/support/rules-of-fork.ts';
import { filesBelow, publicVectors, readJson } from '../test/vectors/folders.ts';
import type { Figure } from './report.ts';

const ROUNDS = 3;
/** Many short runs: on a busy machine, some of them are not interrupted. */
const RUNS = 12;
const RUN_MS = 4;
/** Larger inputs take longer to read than to compute. */
const BATCH_MAX = 256;

/** By vector file: the benchmark's name in core/vm/contracts_test.go, and the precompile. */
const KINDS: Record<string, { benchmark: string; address: number; fork: Fork }> = {
  ecRecover: { benchmark: 'Ecrecover', address: 1, fork: 'istanbul' },
  modexp: { benchmark: 'ModExp', address: 5, fork: 'byzantium' },
  modexp_eip2565: { benchmark: 'ModExpEip2565', address: 5, fork: 'berlin' },
  bn256Add: { benchmark: 'Bn256Add', address: 6, fork: 'istanbul' },
  bn256ScalarMul: { benchmark: 'Bn256ScalarMul', address: 7, fork: 'istanbul' },
  bn256Pairing: { benchmark: 'Bn256Pairing', address: 8, fork: 'istanbul' },
  blake2F: { benchmark: 'Blake2F', address: 9, fork: 'istanbul' },
  pointEvaluation: { benchmark: 'PointEvaluation', address: 10, fork: 'cancun' },
};
/** The 128-byte input of core/vm/contracts_test.go for all of these. */
const HASHED =
  '38d18acb67d25c8bb9942764b62f18e17054f66a817bd4295423adf9ed98873e' +
  '000000000000000000000000000000000000000000000000000000000000001b' +
  '38d18acb67d25c8bb9942764b62f18e17054f66a817bd4295423adf9ed98873e' +
  '789d1dd423d25f0772d2748d60f7e4b81bb14d086eba8e8e8efb6dcff8a4ae02';
const HASHES = { Sha256: 2, RipeMD: 3, Identity: 4 };

interface Case {
  /** The name in their benchmark. */
  readonly name: string;
  readonly precompile: Precompile;
  readonly input: Uint8Array;
}

type Best = Map<string, number>;

export async function precompiles(): Promise<readonly Figure[]> {
  const folder = publicVectors();
  if (!folder) throw new Error('public vectors are absent: QUORATE_VECTORS names their folder');
  const program = process.env.REFERENCE_VM_TEST;
  const cases = [
    ...hashCases(),
    ...filesBelow(join(folder, 'public/evm-unit'), isKnown).flatMap(casesOf),
  ];
  const [ours, theirs]: [Best, Best] = [new Map(), new Map()];
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of cases) {
      for (let run = 0; run < RUNS; run++) note(ours, each.name, nanoseconds(each));
    }
    if (program) await runReference(resolve(program), theirs);
  }
  return cases.map(({ name }) => {
    const reference = theirs.get(name);
    return {
      name,
      unit: 'ns',
      runs: [ours.get(name)!],
      ...(reference && { reference: { name: 'core/vm', runs: [reference] } }),
    };
  });
}

function kindOf(file: string): string {
  return basename(file).replace(/\.json(\.gz)?$/, '');
}

function isKnown(file: string): boolean {
  return dirname(file).endsWith('precompiles') && kindOf(file) in KINDS;
}

function at(address: number, fork: Fork): Precompile {
  const bytes = new Uint8Array(20);
  bytes[19] = address;
  return precompileAt(rulesOfFork(fork), bytes)!;
}

function casesOf(file: string): Case[] {
  const { benchmark, address, fork } = KINDS[kindOf(file)]!;
  const precompile = at(address, fork);
  type Vector = { Name: string; Input: string; Expected: string };
  return (readJson(file) as Vector[]).map(({ Name, Input, Expected }) => {
    const name = `${benchmark}/${Name}`.replaceAll(' ', '_');
    const input = fromHex(`0x${Input}`);
    const output = precompile.run(input);
    if (!output || !equalBytes(output, fromHex(`0x${Expected}`))) throw new Error(`${name}: wrong`);
    return { name, precompile, input };
  });
}

function hashCases(): Case[] {
  const input = fromHex(`0x${HASHED}`);
  return Object.entries(HASHES).map(([benchmark, address]) => {
    return { name: `${benchmark}/128`, precompile: at(address, 'istanbul'), input };
  });
}

/** Computes the gas and runs the precompile, as their benchmark does. */
function nanoseconds({ precompile, input }: Case): number {
  const start = performance.now();
  let now = start;
  let calls = 0;
  for (let batch = 1; now - start < RUN_MS; batch = Math.min(2 * batch, BATCH_MAX)) {
    for (let i = 0; i < batch; i++) {
      precompile.gas(input);
      precompile.run(input);
    }
    calls += batch;
    now = performance.now();
  }
  return ((now - start) * 1e6) / calls;
}

function note(best: Best, name: string, ns: number): void {
  best.set(name, Math.min(ns, best.get(name) ?? Number.POSITIVE_INFINITY));
}

async function runReference(program: string, best: Best): Promise<void> {
  const wanted = [
    ...Object.values(KINDS).map(({ benchmark }) => benchmark),
    ...Object.keys(HASHES),
  ];
  const args = [
    ...['-test.run', '^$', '-test.bench', `^BenchmarkPrecompiled(${wanted.join('|')})$`],
    ...['-test.benchtime', `${RUN_MS}ms`, '-test.count', `${RUNS}`, '-test.cpu', '1'],
  ];
  const { stdout } = await promisify(execFile)(program, args, { cwd: dirname(program) });
  for (const [, name, ns] of stdout.matchAll(
    /^BenchmarkPrecompiled(\S+)-Gas=\d+\s+\d+\s+([\d.]+) ns\/op/gm,
  )) {
    note(best, name!, Number(ns));
  }
}
