/** The default tracer: every opcode with stack, memory and storage, as geth 1.10.3 prints them. */
import { keyOf } from '../../base/bytes.ts';
import { bareHex } from '../../base/hex.ts';
import type { World } from '../../state/world.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, Tracer } from '../tracer.ts';

const SLOAD = 0x54;
const SSTORE = 0x55;

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
    if (!disableMemory) log.memory = memoryWords(frame.memory.peek(0, frame.memory.size));
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
    const key = keyOf(frame.address);
    const seen = this.storage.get(key) ?? { slots: new Map<string, string>(), shown: undefined };
    this.storage.set(key, seen);
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
}

function wordHex(word: bigint): string {
  return word.toString(16).padStart(64, '0');
}

function memoryWords(memory: Uint8Array): string[] {
  const words: string[] = [];
  for (let at = 0; at < memory.length; at += 32) words.push(bareHex(memory.subarray(at, at + 32)));
  return words;
}
