/**
 * Loops over one kind of work until 100M or 2,000M gas are spent, like a client's endless
 * `eth_call`, and GoQuorum's EVM beside it if REFERENCE_EVM names its `evm` command (in a checkout:
 * `go build -ldflags=-checklinkname=0 ./cmd/evm`). Figures are CPU time, the best of all rounds,
 * because other load on the machine only adds time; of GoQuorum's process its start is subtracted.
 * EVM_ROWS selects rows by a regular expression, EVM_ROUNDS the number of rounds.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toHex } from '../src/core/base/hex.ts';
import { execute } from '../src/core/evm/interpreter.ts';
import { CONTRACT, ETHER, environmentOf, SENDER, worldOf } from '../test/support/evm.ts';
import { rulesOfFork } from '../test/support/rules-of-fork.ts';
import { CALLED, codeOf, gasOf, LOOPS, NEWER } from './evm-loops.ts';
import { temporaryFolder } from './folders.ts';
import type { Figure } from './report.ts';

const ROUNDS = Number(process.env.EVM_ROUNDS ?? 3);
const RUNS = 2;
const STARTS = 5;
const FORKS = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople'].concat([
  ...['petersburg', 'istanbul', 'berlin'],
]);
const BERLIN = rulesOfFork('berlin');
const CANCUN = rulesOfFork('cancun');
const run = promisify(execFile);

type Best = Map<string, number>;

export async function evm(): Promise<readonly Figure[]> {
  const chosen = new RegExp(process.env.EVM_ROWS ?? '');
  const rows = Object.entries({ ...LOOPS, ...NEWER }).filter(([name]) => chosen.test(name));
  const program = process.env.REFERENCE_EVM;
  const theirs = program === undefined ? undefined : await reference(program);
  const [ours, plain, others]: [Best, Best, Best] = [new Map(), new Map(), new Map()];
  const best = (of: Best, name: string, ms: number) =>
    of.set(name, Math.min(ms, of.get(name) ?? Number.POSITIVE_INFINITY));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, source] of rows) {
      const [code, gas] = [codeOf(source), gasOf(source)];
      for (let i = 0; i < RUNS; i++) best(ours, name, milliseconds(code, gas, { name }));
      best(plain, name, milliseconds(code, gas, { name, isPlain: true }));
      if (theirs && name in LOOPS) best(others, name, await theirs(code, gas));
    }
  }
  return rows.flatMap(([name]) => {
    const their = others.get(name);
    const beside = their && { reference: { name: 'GoQuorum', runs: [their] } };
    return [
      { name, unit: 'ms', runs: [ours.get(name)!], ...beside },
      { name: `${name}, in TypeScript`, unit: 'ms', runs: [plain.get(name)!], ...beside },
    ];
  });
}

/** CPU time in ms. */
function milliseconds(
  code: Uint8Array,
  gas: bigint,
  { name, isPlain }: { readonly name: string; readonly isPlain?: true },
): number {
  const world = worldOf([
    { address: SENDER, balance: ETHER },
    { address: CONTRACT, balance: ETHER, nonce: 1n, code },
    ...CALLED.map((each) => ({ ...each, balance: 0n, nonce: 1n })),
  ]);
  const rules = name in NEWER ? CANCUN : BERLIN;
  const environment = environmentOf(world, rules, { isPlain });
  const before = process.cpuUsage();
  const { error } = execute(
    { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0), gas },
    environment,
  );
  const { user, system } = process.cpuUsage(before);
  if (error !== 'out of gas') throw new Error(`${name}: ${error}`);
  return (user + system) / 1000;
}

/** Measures a code with their command, whose start takes the time of a code that only stops. */
async function reference(
  program: string,
): Promise<(code: Uint8Array, gas: bigint) => Promise<number>> {
  const file = join(temporaryFolder(), 'prestate.json');
  const config = Object.fromEntries(FORKS.map((fork) => [`${fork}Block`, 0]));
  const alloc = Object.fromEntries([
    [toHex(CONTRACT), { balance: toQuantity(ETHER), nonce: '0x1' }],
    [toHex(SENDER), { balance: toQuantity(ETHER) }],
    ...CALLED.map(({ address, code }) => [
      toHex(address),
      { balance: '0x0', nonce: '0x1', code: toHex(code) },
    ]),
  ]);
  const genesis = { config: { chainId: 1, ...config }, difficulty: '0x1', alloc };
  const measure = async (code: Uint8Array, gas: bigint) => {
    // The gas of the run; their option for it would be overridden.
    writeFileSync(file, JSON.stringify({ ...genesis, gasLimit: toQuantity(gas) }));
    const codes = `${file}.code`;
    writeFileSync(codes, toHex(code).slice(2));
    const where = ['--prestate', file, '--sender', toHex(SENDER), '--receiver', toHex(CONTRACT)];
    const args = [...where, '--codefile', codes, 'run'];
    const { stdout, stderr } = await run('bash', ['-c', '"$@"; times', 'bash', program, ...args]);
    const isRun = code.length === 1 || `${stdout}${stderr}`.includes('out of gas');
    if (!isRun) throw new Error(`${program} does not run out of gas: ${stdout}${stderr}`);
    const seconds = stdout
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g);
    return [...seconds].reduce((sum, [, minute, rest]) => sum + +minute! * 60 + +rest!, 0) * 1_000;
  };
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await measure(Uint8Array.of(0), 100_000n));
  return async (code, gas) => (await measure(code, gas)) - Math.min(...starts);
}

function toQuantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
