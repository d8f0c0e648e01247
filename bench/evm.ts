/**
 * Loops over one kind of work until 25M gas are spent, like a client's endless `eth_call`, and
 * GoQuorum's EVM beside it if REFERENCE_EVM names its `evm` command (in a checkout: `go build
 * -ldflags=-checklinkname=0 ./cmd/evm`). Figures are the best of all rounds, because other load on
 * the machine only adds time.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fromHex } from '../src/core/base/hex.ts';
import { runCode } from '../test/support/evm.ts';
import { rulesOfFork } from '../test/support/rules-of-fork.ts';
import type { Figure } from './report.ts';

const GAS = 25_000_000n;
const ROUNDS = 3;
const RUNS = 5;
const RULES = rulesOfFork('berlin');
const run = promisify(execFile);

const word = (byte: string) => `7f${byte.repeat(32)}`;
/** Names and code: code before 5b runs only once. */
const LOOPS: Readonly<Record<string, string>> = {
  'empty loop': '5b600056',
  'MSTORE, MLOAD': '5b600051600101600052600056',
  KECCAK256: '5b602060002050600056',
  'ADD, small words': '60015b600101600256',
  'ADD, long words': `${word('a7')}5b${word('13')}01602156`,
  'MUL, long words': `${word('a7')}5b${word('13')}02602156`,
  'DIV, long words': `${word('ff')}5b7b${'77'.repeat(28)}810450602156`,
  'MULMOD, long words': `${word('ff')}5b${word('a7')}81800950602156`,
  'EXP, 32 bytes': `5b${word('a7')}${word('13')}0a50600056`,
  SLOAD: '5b60015450600056',
  SSTORE: '60015b60010180600155600256',
  'CALLER, ADDRESS': '5b33503050600056',
  'CALLDATALOAD, SHR': '5b60003560e01c50600056',
  'CALLDATACOPY of 256 bytes': '5b6101006000600037600056',
  'LOG1 of a word': '5b600160206000a1600056',
  'STATICCALL of the identity': '5b60206000602060006004617530fa50600056',
};

export async function evm(): Promise<readonly Figure[]> {
  const program = process.env.REFERENCE_EVM;
  const best = (of: Map<string, number>, name: string, ms: number) =>
    of.set(name, Math.min(ms, of.get(name) ?? Number.POSITIVE_INFINITY));
  const [ours, plain, theirs] = [new Map(), new Map(), new Map()] as Map<string, number>[];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, code] of Object.entries(LOOPS)) {
      for (let i = 0; i < RUNS; i++) {
        best(ours!, name, milliseconds(code, false));
        best(plain!, name, milliseconds(code, true));
      }
      if (program) best(theirs!, name, await reference(program, code));
    }
  }
  return Object.keys(LOOPS).flatMap((name) => {
    const their = theirs!.get(name);
    return [
      {
        name,
        unit: 'ms',
        runs: [ours!.get(name)!],
        ...(their && { reference: { name: 'GoQuorum', runs: [their] } }),
      },
      {
        name: `${name}, in TypeScript`,
        unit: 'ms',
        runs: [plain!.get(name)!],
        ...(their && { reference: { name: 'GoQuorum', runs: [their] } }),
      },
    ];
  });
}

/** Processor time in ms. */
function milliseconds(code: string, isPlain: boolean): number {
  const before = process.cpuUsage();
  const { result } = runCode(fromHex(`0x${code}`), RULES, { gas: GAS }, { isPlain });
  const { user, system } = process.cpuUsage(before);
  if (result.error !== 'out of gas') throw new Error(`${code}: ${result.error}`);
  return (user + system) / 1000;
}

/** The mean of the runs that their command does within a second. */
async function reference(program: string, code: string): Promise<number> {
  const args = ['--code', code, '--gas', String(GAS), '--bench', 'run'];
  // The command fails when the gas is used up, as intended.
  const { stdout, stderr } = await run(program, args).catch((error) => error);
  const found = /execution time:\s+([\d.]+)(ms|s)\b/.exec(`${stdout}${stderr}`);
  if (!found) throw new Error(`${program} does not say how long it took: ${stderr}`);
  return Number(found[1]) * (found[2] === 's' ? 1000 : 1);
}
