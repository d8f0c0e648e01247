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

export interface StructLogResult {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly StructLog[];
}

export class StructLogTracer implements Tracer {
  private readonly world: World;
  private readonly options: StructLogOptions;
  private readonly logs: StructLog[] = [];
  /** Slots seen so far, by contract. */
  private readonly storage = new Map<string, Map<string, string>>();

  constructor(world: World, options: StructLogOptions = {}) {
    this.world = world;
    this.options = options;
  }

  onStep(step: Step): void {
    const { disableStack, disableMemory, disableStorage, limit } = this.options;
    if (limit && this.logs.length >= limit) return;
    const { pc, op, gas, gasCost, depth, frame } = step;
    this.logs.push({
      pc,
      op: opcodeName(op),
      gas,
      gasCost,
      depth,
      ...(step.error !== undefined && { error: {} }),
      ...(!disableStack && { stack: frame.stack.slice(0, frame.sp).map(wordHex) }),
      ...(!disableMemory && { memory: memoryWords(frame.memory.peek(0, frame.memory.size)) }),
      ...(!disableStorage && { storage: this.storageAt(step) }),
    });
  }

  /** `gasUsed`: by the whole transaction; `output`: of a success or a revert. */
  result(gasUsed: number, failed: boolean, output: Uint8Array): StructLogResult {
    return { gas: gasUsed, failed, returnValue: bareHex(output), structLogs: this.logs };
  }

  private storageAt({ op, frame }: Step): Record<string, string> {
    const key = keyOf(frame.address);
    const slots = this.storage.get(key) ?? new Map<string, string>();
    this.storage.set(key, slots);
    const { stack, sp } = frame;
    if (op === SLOAD && sp >= 1) {
      const slot = stack[sp - 1]!;
      slots.set(wordHex(slot), wordHex(this.world.storage(frame.address, slot)));
    } else if (op === SSTORE && sp >= 2) {
      slots.set(wordHex(stack[sp - 1]!), wordHex(stack[sp - 2]!));
    }
    return Object.fromEntries([...slots].sort(([a], [b]) => (a < b ? -1 : 1)));
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
