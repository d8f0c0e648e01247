/** The default tracer: every opcode with stack, memory and storage, as geth 1.10.3 prints them. */
import { keyOf } from '../../base/bytes.ts';
import { bareHex } from '../../base/hex.ts';
import type { World } from '../../state/world.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, Tracer } from '../tracer.ts';

const SLOAD = 0x54;
const SSTORE = 0x55;
/** Bytes of a word. */
const WORD = 32;

export interface StructLogOptions {
  readonly disableStack?: boolean | undefined;
  readonly disableMemory?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Entries kept; 0 or undefined: all. */
  readonly limit?: number | undefined;
}

export interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  /** COMPAT: present and empty when the opcode failed; geth's error has no JSON form. */
  readonly error?: Readonly<Record<string, never>>;
  /** 64 hexadecimal digits per word, bottom first. */
  readonly stack?: readonly string[];
  /** Words of 32 bytes. */
  readonly memory?: readonly string[];
  readonly storage?: Readonly<Record<string, string>>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export interface StructLogResult {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly StructLog[];
}

/** Storage of one contract as seen so far. */
interface SeenStorage {
  readonly slots: Map<string, string>;
  /** As shown, in the order of the slots; undefined: it has changed since. */
  shown: Readonly<Record<string, string>> | undefined;
}

export class StructLogTracer implements Tracer {
  private readonly world: World;
  private readonly options: StructLogOptions;
  private readonly logs: StructLog[] = [];
  private readonly storage = new Map<string, SeenStorage>();
  /** The stack of the last step and its text: most words stay where they are. */
  private readonly words: bigint[] = [];
  private readonly texts: string[] = [];
  private readonly memory = new MemoryTexts();
  private address: Uint8Array | undefined;
  private seen: SeenStorage = { slots: new Map(), shown: undefined };

  constructor(world: World, options: StructLogOptions = {}) {
    this.world = world;
    this.options = options;
  }

  onStep(step: Step): void {
    const { disableStack, disableMemory, disableStorage, limit } = this.options;
    if (limit && this.logs.length >= limit) return;
    const { pc, op, gas, gasCost, depth, frame } = step;
    const log: Writable<StructLog> = { pc, op: opcodeName(op), gas, gasCost, depth };
    if (step.error !== undefined) log.error = {};
    if (!disableStack) log.stack = this.stackTexts(frame.stack, frame.sp);
    if (!disableMemory) log.memory = this.memory.of(frame.memory.peek(0, frame.memory.size));
    if (!disableStorage) log.storage = this.storageAt(step);
    this.logs.push(log);
  }

  /** `gasUsed`: by the whole transaction; `output`: of a success or a revert. */
  result(gasUsed: number, failed: boolean, output: Uint8Array): StructLogResult {
    return { gas: gasUsed, failed, returnValue: bareHex(output), structLogs: this.logs };
  }

  private stackTexts(stack: readonly bigint[], size: number): string[] {
    const { words, texts } = this;
    for (let at = 0; at < size; at++) {
      const word = stack[at]!;
      if (words[at] === word) continue;
      words[at] = word;
      texts[at] = wordHex(word);
    }
    return texts.slice(0, size);
  }

  private storageAt({ op, frame }: Step): Readonly<Record<string, string>> {
    const seen = this.storageOf(frame.address);
    const { stack, sp } = frame;
    const note = (slot: bigint, value: bigint) => {
      seen.slots.set(wordHex(slot), wordHex(value));
      seen.shown = undefined;
    };
    if (op === SLOAD && sp >= 1) {
      const slot = stack[sp - 1]!;
      note(slot, this.world.storage(frame.address, slot));
    } else if (op === SSTORE && sp >= 2) note(stack[sp - 1]!, stack[sp - 2]!);
    seen.shown ??= Object.fromEntries([...seen.slots].sort(([a], [b]) => (a < b ? -1 : 1)));
    return seen.shown;
  }

  /** Most steps are in the frame of the one before. */
  private storageOf(address: Uint8Array): SeenStorage {
    if (address === this.address) return this.seen;
    const key = keyOf(address);
    const seen = this.storage.get(key) ?? { slots: new Map<string, string>(), shown: undefined };
    this.storage.set(key, seen);
    this.address = address;
    this.seen = seen;
    return seen;
  }
}

/** Words of memory as text. Those of the last step are kept: most of them do not change. */
class MemoryTexts {
  private bytes = new Uint8Array(0);
  /** Of the first words of `bytes`. */
  private readonly texts: string[] = [];

  of(memory: Uint8Array): string[] {
    if (this.bytes.length < memory.length) this.grow(memory.length);
    const { bytes, texts } = this;
    const count = Math.ceil(memory.length / WORD);
    for (let word = 0; word < count; word++) {
      const at = word * WORD;
      if (word < texts.length && isSame(bytes, memory, at)) continue;
      const changed = memory.subarray(at, at + WORD);
      bytes.set(changed, at);
      texts[word] = bareHex(changed);
    }
    return texts.slice(0, count);
  }

  private grow(length: number): void {
    const bytes = new Uint8Array(Math.max(length, 2 * this.bytes.length));
    bytes.set(this.bytes);
    this.bytes = bytes;
  }
}

function isSame(a: Uint8Array, b: Uint8Array, at: number): boolean {
  const end = Math.min(at + WORD, b.length);
  for (let i = at; i < end; i++) if (a[i] !== b[i]) return false;
  return true;
}

function wordHex(word: bigint): string {
  return word.toString(16).padStart(64, '0');
}
