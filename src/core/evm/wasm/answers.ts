/**
 * What the host answered to opcodes that read an account: the loop gives the same answers again,
 * until they are forgotten. See assembly/evm/answers.ts.
 */
import type { Address } from '../../base/bytes.ts';
import type { Frame } from '../frame.ts';
import { GAS } from '../gas.ts';
import type { Vm } from '../operation.ts';
import { programOf } from '../program.ts';
import type { CodeSpace } from './code-space.ts';
import type { Machine } from './machine.ts';

const EXTCODECOPY = 0x3c;
const SELFBALANCE = 0x47;
/** BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFBALANCE. */
export const ACCOUNT_OPCODES: readonly number[] = [0x31, 0x3b, EXTCODECOPY, 0x3f, SELFBALANCE];

const WORD_BYTES = 32;
const WORD_HALVES = 8;

export class Answers {
  private readonly machine: Machine;
  private readonly codes: CodeSpace;
  /** Places of answers, as indices of halves. */
  private readonly used: number[] = [];

  constructor(machine: Machine, codes: CodeSpace) {
    this.machine = machine;
    this.codes = codes;
  }

  /** Call it before anything that may change an account, or the price of reading one. */
  forget(): void {
    if (this.used.length === 0) return;
    const { halves } = this.machine;
    for (const place of this.used) halves[place] = 0;
    this.used.length = 0;
  }

  /** Keeps what the opcode has just found. Its words are still behind the end of the stack. */
  keep(op: number, frame: Frame, vm: Vm): void {
    const { machine } = this;
    const { halves } = machine;
    const isOfFrame = op === SELFBALANCE;
    const account = isOfFrame
      ? frame.stackAt - machine.constants.FRAME_WORDS
      : frame.stackEnd + (vm.table.stackMin[op]! - 1) * WORD_BYTES;
    const at = machine.answerPlace(op, account);
    const isAgain = this.note(op, at >>> 2, account >>> 2);
    halves[(at >>> 2) + 1] = vm.env.rules.isBerlin && !isOfFrame ? GAS.warmAccess : 0;
    const result = at + 2 * WORD_BYTES;
    if (op !== EXTCODECOPY) machine.setWord(result, frame.stack[0]!);
    else this.putCode(result >>> 2, isAgain ? vm.addressOf(machine.word(account)) : undefined, vm);
  }

  /** Returns whether the opcode has asked for this account before. */
  private note(op: number, place: number, account: number): boolean {
    const { halves } = this.machine;
    let isAgain = halves[place] === op;
    if (halves[place] === 0) this.used.push(place);
    halves[place] = op;
    for (let i = 0; i < WORD_HALVES; i++) {
      const half = halves[account + i]!;
      isAgain &&= halves[place + WORD_HALVES + i] === half;
      halves[place + WORD_HALVES + i] = half;
    }
    return isAgain;
  }

  /** Code that is read once is not worth its place in the linear memory. */
  private putCode(place: number, address: Address | undefined, vm: Vm): void {
    const { halves } = this.machine;
    halves[place] = 0;
    if (!address) return;
    const { world } = vm.env;
    const code = world.code(address);
    const program = programOf(code, () => world.codeHash(address));
    halves[place] = this.codes.placeOf(program) ?? 0;
    halves[place + 2] = code.length;
  }
}
