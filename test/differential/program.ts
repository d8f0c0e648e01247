/**
 * Random byte code that mostly makes sense: calls, creations, precompiles, storage, logs, and
 * sometimes random bytes.
 */
import type { Prng } from '../../src/core/base/prng.ts';

/**
 * The last byte of the accounts that programs call: contracts, the sender, precompiles, and one
 * that does not exist.
 */
export const CONTRACT_IDS: readonly number[] = [0xc1, 0xc2, 0xc3, 0xc4];
const TARGETS = [...CONTRACT_IDS, 0xc1, 0xc2, 0xee, 0xaa, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

const BINARY = [1, 2, 3, 4, 5, 6, 7, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18];
const SHIFTS = [0x1a, 0x1b, 0x1c, 0x1d];
const NULLARY = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
  0x4a, 0x58, 0x59, 0x5a, 0x5f,
];
const CALLS = [0xf1, 0xf1, 0xf1, 0xf2, 0xf4, 0xfa, 0xfa];

export class ProgramWriter {
  private readonly prng: Prng;
  private readonly code: number[] = [];

  constructor(prng: Prng) {
    this.prng = prng;
  }

  /** `depth` bounds the nesting of init code. */
  static random(prng: Prng, depth = 0): Uint8Array {
    const writer = new ProgramWriter(prng);
    const statements = 2 + prng.below(depth === 0 ? 25 : 5);
    for (let i = 0; i < statements; i++) writer.statement(depth);
    writer.ending();
    return Uint8Array.from(writer.code);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.prng.below(list.length)]!;
  }

  private op(...codes: number[]): void {
    this.code.push(...codes);
  }

  private push(value: number): void {
    if (value < 256) this.op(0x60, value);
    else if (value < 65_536) this.op(0x61, value >> 8, value & 255);
    else this.op(0x63, (value >>> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255);
  }

  private word(): void {
    const { prng } = this;
    const kind = prng.below(6);
    if (kind < 3) {
      this.push(prng.below(kind === 0 ? 4 : 300));
      return;
    }
    if (kind === 3) {
      this.op(0x60, 0, 0x19);
      return;
    }
    const length = kind === 4 ? 32 : 1 + prng.below(32);
    this.op(0x5f + length);
    for (let i = 0; i < length; i++) this.op(prng.chance(0.1) ? 0xff : prng.below(256));
  }

  private target(): void {
    const id = this.pick(TARGETS);
    // The address of a contract is one byte repeated 20 times.
    if (id <= 10) this.push(id);
    else this.op(0x73, ...new Array(20).fill(id));
  }

  private offset(): number {
    const { prng } = this;
    return prng.chance(0.02) ? 0x7fffff + prng.below(1000) : prng.below(200);
  }

  private statement(depth: number): void {
    const { prng } = this;
    const kind = prng.below(26);
    if (kind < 5) this.arithmetic();
    else if (kind < 9) this.memory();
    else if (kind < 13) this.storage();
    else if (kind < 15) this.environment();
    else if (kind < 20) this.call();
    else if (kind === 20 && depth < 2) this.create(depth);
    else if (kind === 21) this.log();
    else if (kind === 22) this.branch(depth);
    else if (kind === 23) this.copies();
    else if (kind === 24 && prng.chance(0.2)) this.op(prng.below(256));
    else this.shuffle();
  }

  private arithmetic(): void {
    const { prng } = this;
    this.word();
    if (prng.chance(0.2)) {
      this.word();
      this.word();
      this.op(this.pick([8, 9]));
    } else if (prng.chance(0.25)) {
      this.push(prng.below(260));
      this.op(this.pick(SHIFTS));
    } else if (prng.chance(0.1)) {
      this.op(this.pick([0x15, 0x19]));
    } else {
      this.word();
      this.op(this.pick(BINARY));
    }
    this.keep();
  }

  /** Puts results into storage or memory, or leaves them on the stack. */
  private keep(): void {
    const { prng } = this;
    if (prng.chance(0.3)) {
      this.push(prng.below(4));
      this.op(0x55);
    } else if (prng.chance(0.6)) {
      this.push(this.offset());
      this.op(0x52);
    }
  }

  private memory(): void {
    const { prng } = this;
    const kind = prng.below(4);
    if (kind === 0) {
      this.push(this.offset());
      this.op(0x51);
      this.keep();
      return;
    }
    if (kind === 1) {
      this.push(prng.below(100));
      this.push(this.offset());
      this.op(0x20);
      this.keep();
      return;
    }
    this.word();
    this.push(this.offset());
    this.op(kind === 2 ? 0x52 : 0x53);
  }

  private copies(): void {
    const { prng } = this;
    const op = this.pick([0x37, 0x39, 0x3c, 0x3e, 0x5e]);
    const isReturnData = op === 0x3e && prng.chance(0.8);
    this.push(isReturnData ? 0 : prng.below(80));
    this.push(isReturnData ? 0 : prng.below(80));
    this.push(this.offset());
    if (op === 0x3c) this.target();
    this.op(op);
  }

  private storage(): void {
    const { prng } = this;
    const isTransient = prng.chance(0.15);
    if (prng.chance(0.4)) {
      this.push(prng.below(4));
      this.op(isTransient ? 0x5c : 0x54);
      this.keep();
      return;
    }
    this.push(prng.below(3));
    this.push(prng.below(4));
    this.op(isTransient ? 0x5d : 0x55);
  }

  private environment(): void {
    const { prng } = this;
    if (prng.chance(0.4)) {
      this.target();
      this.op(this.pick([0x31, 0x3b, 0x3f]));
    } else if (prng.chance(0.2)) {
      this.push(this.pick([0, 700, 744, 999, 1000, 1001]));
      this.op(0x40);
    } else if (prng.chance(0.25)) {
      this.push(prng.below(100));
      this.op(this.pick([0x35, 0x49]));
    } else {
      this.op(this.pick(NULLARY));
    }
    this.keep();
  }

  private call(): void {
    const { prng } = this;
    const op = this.pick(CALLS);
    this.push(prng.below(70));
    this.push(this.offset());
    this.push(prng.chance(0.2) ? 213 : prng.below(200));
    this.push(prng.below(64));
    if (op === 0xf1 || op === 0xf2) this.push(prng.chance(0.3) ? prng.below(9) : 0);
    this.target();
    if (prng.chance(0.4)) this.op(0x5a);
    else this.push(prng.below(prng.chance(0.5) ? 200_000 : 5_000));
    this.op(op);
    this.keep();
  }

  private create(depth: number): void {
    const { prng } = this;
    const init = ProgramWriter.random(prng, depth + 1);
    for (let at = 0; at < init.length; at += 32) {
      const chunk = new Uint8Array(32);
      chunk.set(init.subarray(at, at + 32));
      this.op(0x7f, ...chunk);
      this.push(at);
      this.op(0x52);
    }
    const isSalted = prng.chance(0.5);
    if (isSalted) this.push(prng.below(2));
    this.push(init.length);
    this.push(0);
    this.push(prng.chance(0.3) ? prng.below(5) : 0);
    this.op(isSalted ? 0xf5 : 0xf0);
    this.keep();
  }

  private log(): void {
    const { prng } = this;
    const topics = prng.below(5);
    for (let i = 0; i < topics; i++) this.word();
    this.push(prng.below(70));
    this.push(this.offset());
    this.op(0xa0 + topics);
  }

  /** A conditional jump over some statements. */
  private branch(depth: number): void {
    this.word();
    this.op(0x61, 0, 0);
    const patch = this.code.length - 2;
    this.op(0x57);
    this.statement(depth + 1);
    const target = this.code.length;
    this.code[patch] = target >> 8;
    this.code[patch + 1] = target & 255;
    this.op(0x5b);
  }

  private shuffle(): void {
    const { prng } = this;
    const depth = 1 + prng.below(16);
    const isSwap = prng.chance(0.5);
    for (let i = 0; i < depth + (isSwap ? 1 : 0); i++) this.word();
    this.op((isSwap ? 0x8f : 0x7f) + depth);
    this.keep();
    if (prng.chance(0.5)) this.op(0x50);
  }

  private ending(): void {
    const { prng } = this;
    const kind = prng.below(12);
    if (kind < 2) {
      this.op(kind === 0 ? 0x00 : 0xfe);
    } else if (kind === 2) {
      this.target();
      this.op(0xff);
    } else {
      this.push(prng.below(80));
      this.push(this.offset());
      this.op(kind < 5 ? 0xfd : 0xf3);
    }
  }
}
