/**
 * The default tracer: every opcode with stack, memory and storage, as geth 1.10.3 prints them. They
 * are written as JSON at once; words that a step does not change are copied from the step before.
 */
import { keyOf } from '../../base/bytes.ts';
import { bareHex } from '../../base/hex.ts';
import { JsonWriter, WORD_DIGITS } from '../../base/json-writer.ts';
import type { World } from '../../state/world.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, Tracer } from '../tracer.ts';

const SLOAD = 0x54;
const SSTORE = 0x55;
/** Bytes of a word. */
const WORD = 32;
/** Characters of a word in a list: its digits between quotes, and a comma. */
const ENTRY = WORD_DIGITS + 3;

const encoder = new TextEncoder();
const [QUOTE, COMMA, OPEN, CLOSE, CLOSE_OBJECT] = encoder.encode('",[]}');
const PC = encoder.encode('{"pc":');
const OP = encoder.encode(',"op":"');
const GAS = encoder.encode('","gas":');
const GAS_COST = encoder.encode(',"gasCost":');
const DEPTH = encoder.encode(',"depth":');
/** COMPAT: present and empty when the opcode failed; geth's error has no JSON form. */
const ERROR = encoder.encode(',"error":{}');
const STACK = encoder.encode(',"stack":');
const MEMORY = encoder.encode(',"memory":');
const STORAGE = encoder.encode(',"storage":');

export interface StructLogOptions {
  readonly disableStack?: boolean | undefined;
  readonly disableMemory?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Entries kept; 0 or undefined: all. */
  readonly limit?: number | undefined;
}

/** Storage of one contract as seen so far. */
interface SeenStorage {
  /** 64 hexadecimal digits each. */
  readonly slots: Map<string, string>;
  /** As JSON, in the order of the slots; undefined: it has changed since. */
  shown: Uint8Array | undefined;
}

export class StructLogTracer implements Tracer {
  private readonly world: World;
  private readonly options: StructLogOptions;
  private readonly json = new JsonWriter();
  protected entries = 0;
  private readonly stack: WordList;
  private readonly memory: WordList;
  /** Words of the last step. */
  private readonly stackWords: bigint[] = [];
  private memoryBytes = new Uint8Array(0);
  private readonly storage = new Map<string, SeenStorage>();
  private address: Uint8Array | undefined;
  private seen: SeenStorage = { slots: new Map(), shown: undefined };

  constructor(world: World, options: StructLogOptions = {}) {
    this.world = world;
    this.options = options;
    this.stack = new WordList(this.json);
    this.memory = new WordList(this.json);
  }

  onStep(step: Step): void {
    const { disableStack, disableMemory, disableStorage, limit } = this.options;
    if (limit && this.entries >= limit) return;
    const { json } = this;
    json.character(this.entries++ === 0 ? OPEN! : COMMA!);
    json.put(PC);
    json.decimal(step.pc);
    json.put(OP);
    json.text(opcodeName(step.op));
    json.put(GAS);
    json.decimal(step.gas);
    json.put(GAS_COST);
    json.decimal(step.gasCost);
    json.put(DEPTH);
    json.decimal(step.depth);
    if (step.error !== undefined) json.put(ERROR);
    if (!disableStack) this.writeStack(step);
    if (!disableMemory) this.writeMemory(step);
    if (!disableStorage) this.writeStorage(step);
    json.character(CLOSE_OBJECT!);
  }

  /**
   * The trace as JSON: `gas` (used by the whole transaction), `failed`, `returnValue` (`output`, of
   * a success or a revert) and `structLogs`. The tracer is of no use afterwards.
   */
  result(gasUsed: number, failed: boolean, output: Uint8Array): Uint8Array<ArrayBuffer> {
    const { json } = this;
    if (this.entries === 0) json.character(OPEN!);
    json.character(CLOSE!);
    const value = bareHex(output);
    const head = `{"gas":${gasUsed},"failed":${failed},"returnValue":"${value}","structLogs":`;
    return json.finish(head, '}');
  }

  private writeStack({ frame: { stack, sp } }: Step): void {
    const { json, stackWords } = this;
    json.put(STACK);
    const known = this.stack.begin(sp);
    for (let at = 0; at < sp; at++) {
      const word = stack[at]!;
      if (at < known && stackWords[at] === word) continue;
      stackWords[at] = word;
      json.wordAt(this.stack.placeOf(at), word);
    }
  }

  private writeMemory({ frame: { memory } }: Step): void {
    const { json } = this;
    const { bytes, size } = memory;
    json.put(MEMORY);
    if (this.memoryBytes.length < size) this.growMemory(size);
    const last = this.memoryBytes;
    const known = this.memory.begin(size / WORD) * WORD;
    for (let at = 0; at < size; at += WORD) {
      if (at < known && isSameWord(last, bytes, at)) continue;
      for (let i = at; i < at + WORD; i++) last[i] = bytes[i]!;
      json.hexAt(this.memory.placeOf(at / WORD), bytes, at, at + WORD);
    }
  }

  private growMemory(length: number): void {
    const bytes = new Uint8Array(Math.max(length, 2 * this.memoryBytes.length));
    bytes.set(this.memoryBytes);
    this.memoryBytes = bytes;
  }

  private writeStorage({ op, frame }: Step): void {
    const seen = this.storageOf(frame.address);
    const { stack, sp } = frame;
    if (op === SLOAD && sp >= 1) {
      const slot = stack[sp - 1]!;
      noteSlot(seen, slot, this.world.storage(frame.address, slot));
    } else if (op === SSTORE && sp >= 2) noteSlot(seen, stack[sp - 1]!, stack[sp - 2]!);
    seen.shown ??= shownStorage(seen.slots);
    this.json.put(STORAGE);
    this.json.put(seen.shown);
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

/** A list of words as JSON text, which begins as a copy of the list before it. */
class WordList {
  private readonly json: JsonWriter;
  private start = 0;
  private count = 0;

  constructor(json: JsonWriter) {
    this.json = json;
  }

  /** Appends a list of `count` words; returns how many of them are those of the list before. */
  begin(count: number): number {
    const { json, start } = this;
    const known = Math.min(count, this.count);
    json.character(OPEN!);
    this.start = json.length;
    this.count = count;
    if (known > 0) json.repeat(start, start + known * ENTRY - 1);
    for (let word = known; word < count; word++) {
      if (word > 0) json.character(COMMA!);
      json.character(QUOTE!);
      json.reserve(WORD_DIGITS);
      json.character(QUOTE!);
    }
    json.character(CLOSE!);
    return known;
  }

  /** Position of the digits of a word. */
  placeOf(word: number): number {
    return this.start + word * ENTRY + 1;
  }
}

function noteSlot(seen: SeenStorage, slot: bigint, value: bigint): void {
  const [key, text] = [wordHex(slot), wordHex(value)];
  if (seen.slots.get(key) === text) return;
  seen.slots.set(key, text);
  seen.shown = undefined;
}

function shownStorage(slots: ReadonlyMap<string, string>): Uint8Array {
  const keys = [...slots.keys()].sort();
  return encoder.encode(`{${keys.map((key) => `"${key}":"${slots.get(key)}"`).join(',')}}`);
}

function isSameWord(a: Uint8Array, b: Uint8Array, at: number): boolean {
  for (let i = at; i < at + WORD; i++) if (a[i] !== b[i]) return false;
  return true;
}

function wordHex(word: bigint): string {
  return word.toString(16).padStart(WORD_DIGITS, '0');
}
