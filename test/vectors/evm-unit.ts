/** Opcode, precompile and tracer cases of `public/evm-unit`. */
import { basename, dirname } from 'node:path';
import { bareHex, fromHex } from '../../src/core/base/hex.ts';
import type { Fork } from '../../src/core/chain/rules.ts';
import { precompileAt } from '../../src/core/evm/precompiles/index.ts';
import { runCode } from '../support/evm.ts';
import { rulesOfFork } from '../support/rules-of-fork.ts';
import { isBeyondCancun, runTracerCase } from './evm-tracers.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

const OPCODES: Readonly<Record<string, number>> = {
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  div: 0x04,
  sdiv: 0x05,
  mod: 0x06,
  smod: 0x07,
  exp: 0x0a,
  signext: 0x0b,
  lt: 0x10,
  gt: 0x11,
  slt: 0x12,
  sgt: 0x13,
  eq: 0x14,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  byte: 0x1a,
  shl: 0x1b,
  shr: 0x1c,
  sar: 0x1d,
};

/** By vector file: the precompile's address, and the fork that sets its price. */
const PRECOMPILES: Readonly<Record<string, { address: number; fork: Fork }>> = {
  ecRecover: { address: 1, fork: 'istanbul' },
  modexp: { address: 5, fork: 'byzantium' },
  modexp_eip2565: { address: 5, fork: 'berlin' },
  bn256Add: { address: 6, fork: 'istanbul' },
  bn256ScalarMul: { address: 7, fork: 'istanbul' },
  bn256Pairing: { address: 8, fork: 'istanbul' },
  blake2F: { address: 9, fork: 'istanbul' },
  'fail-blake2f': { address: 9, fork: 'istanbul' },
  pointEvaluation: { address: 10, fork: 'cancun' },
};

export const evmUnit: VectorKind = {
  name: 'evm-unit',
  find: (root) => filesBelow(root, (path) => /\/evm-unit\/.*\.json(\.gz)?$/.test(path)),
  run(file, report) {
    const cases = readJson(file);
    const name = basename(file).replace(/\.json(\.gz)?$/, '');
    const folder = basename(dirname(file));
    if (folder === 'precompiles') runPrecompiles(name, cases, report);
    else if (folder === 'tracers') {
      for (const key of Object.keys(cases)) {
        if (isBeyondCancun(cases[key])) continue;
        attempt(report, `${name}/${key}`, () => runTracerCase(name, cases[key]));
      }
    } else runOpcodes(cases, report);
  },
};

/**
 * The case passes when `check` returns undefined; otherwise `check` returns or throws the reason.
 */
function attempt(report: Report, name: string, check: () => string | undefined): void {
  try {
    const why = check();
    if (why === undefined) report.pass(name);
    else report.fail(name, why);
  } catch (error) {
    report.fail(name, (error as Error).stack ?? String(error));
  }
}

function runOpcodes(cases: Record<string, any[]>, report: Report): void {
  for (const [name, list] of Object.entries(cases)) {
    const opcode = OPCODES[name];
    if (opcode === undefined) throw new Error(`unknown opcode in the vectors: ${name}`);
    for (const [i, one] of list.entries()) {
      attempt(report, `${name}[${i}]`, () => checkOpcode(opcode, one));
    }
  }
}

function checkOpcode(opcode: number, one: any): string | undefined {
  const op = opcode.toString(16).padStart(2, '0');
  const code = fromHex(`0x7f${one.X}7f${one.Y}${op}60005260206000f3`);
  const { result } = runCode(code, rulesOfFork('istanbul'));
  const got = bareHex(result.output);
  return got === one.Expected ? undefined : `expected ${one.Expected}, got ${got} ${result.error}`;
}

function runPrecompiles(name: string, cases: any[], report: Report): void {
  const known = PRECOMPILES[name];
  if (!known) throw new Error(`unknown precompile in the vectors: ${name}`);
  const address = new Uint8Array(20);
  address[19] = known.address;
  const precompile = precompileAt(rulesOfFork(known.fork), address);
  if (!precompile) throw new Error(`there is no precompile ${name}`);
  for (const one of cases) {
    attempt(report, `${name}/${one.Name}`, () => {
      const input = fromHex(`0x${one.Input}`);
      const output = precompile.run(input);
      if (one.ExpectedError !== undefined) return output ? 'must fail' : undefined;
      if (!output) return 'failed';
      const gas = precompile.gas(input);
      if (one.Gas !== undefined && gas !== one.Gas) return `gas ${gas}, expected ${one.Gas}`;
      const got = bareHex(output);
      return got === one.Expected ? undefined : `expected ${one.Expected}, got ${got}`;
    });
  }
}
