/** EVM code that is expensive to run, as hexadecimal. */
import { fromHex } from '../../src/core/base/hex.ts';

function bytes(value: number, length: number): string {
  return value.toString(16).padStart(2 * length, '0');
}

const push1 = (value: number): string => `60${bytes(value, 1)}`;
export const push3 = (value: number): string => `62${bytes(value, 3)}`;

/** `before` once, then `body`, which leaves the stack unchanged, until the gas is used up. */
export function loop(body: string, before = ''): string {
  const start = before.length / 2;
  return `0x${before}5b${body}61${bytes(start, 2)}56`;
}

/** Calls precompile `address` in a loop, with `input` in memory, and lets each call use all gas. */
function loopPrecompile(address: number, input: string, length = input.length / 2): string {
  return loop(call(address, length), copyToMemory(input, call(address, length).length / 2));
}

function call(address: number, length: number): string {
  const data = `${push1(0)}${push1(0)}${push3(length)}${push1(0)}`;
  return `${data}${push1(address)}5afa50`;
}

/**
 * CODECOPY of `input`, which follows the code; the code's loop ends before it, so the input is
 * never executed.
 */
function copyToMemory(input: string, bodyBytes: number): string {
  if (input === '') return '';
  // 62xxxxxx 62xxxxxx 6000 39, then JUMPDEST, body, 61xxxx 56.
  const prefixBytes = 4 + 4 + 2 + 1;
  const at = prefixBytes + 1 + bodyBytes + 4;
  return `${push3(input.length / 2)}${push3(at)}${push1(0)}39`;
}

/** The code of `loopPrecompile` as init code of one creation. */
export function creationOf(address: number, input: string): string {
  return `${loopPrecompile(address, input)}${input}`;
}

/** The opcodes of code, without what pushes have as data. */
export function opcodesOf(code: string): number[] {
  const all = fromHex(code);
  const found: number[] = [];
  for (let at = 0; at < all.length; at++) {
    const opcode = all[at]!;
    found.push(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return [...new Set(found)];
}
