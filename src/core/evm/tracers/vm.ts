/**
 * vmTracer: each opcode with what it left on the stack, in memory and in storage, call within call,
 * as OpenEthereum's `vmTrace` prints them. Each opcode has its name too, which Erigon adds and
 * Otterscan needs.
 */
import { toHex, toQuantity } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { Frame } from '../frame.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { VM_ERROR } from '../vm-error.ts';
import { memoryWritten, wordsPushed } from './opcode-effects.ts';

export interface VmTrace {
  /** The code that ran: of a creation the init code, `0x` for accounts without code. */
  code: string;
  readonly ops: VmOperation[];
}

export interface VmOperation {
  /** Includes the gas given to the call or creation. */
  cost: number;
  /** What the opcode did; null: it failed. */
  ex: VmEffect | null;
  readonly pc: number;
  /** The call or creation that it made. */
  sub: VmTrace | null;
  readonly op: string;
}

export interface VmEffect {
  mem: { readonly data: string; readonly off: number } | null;
  /** Words on the stack that it wrote, the top last. */
  push: readonly string[];
  store: { readonly key: string; readonly val: string } | null;
  /** Gas left after it, of a call after its return. */
  used: number;
}

interface Last {
  readonly operation: VmOperation;
  readonly op: number;
  readonly memory: { readonly offset: number; readonly length: number } | undefined;
}

interface Open {
  readonly trace: VmTrace;
  hasCode: boolean;
  last: Last | undefined;
}

const SSTORE = 0x55;
/** Size of one opcode in the result, without its words and memory; of one word. */
const OPERATION_TEXT_BYTES = 120;
const WORD_TEXT_BYTES = 40;

export class VmTracer implements Tracer {
  private readonly spend: Spend;
  /** Undefined for a SELFDESTRUCT, which is reported as a call but runs nothing. */
  private readonly open: (Open | undefined)[] = [];
  private root: VmTrace = { code: '0x', ops: [] };

  constructor(spend: Spend = FREE) {
    this.spend = spend;
  }

  onEnter({ type, input, gas }: TracedCall): void {
    if (type === 'SELFDESTRUCT') {
      this.open.push(undefined);
      return;
    }
    const isCreation = type === 'CREATE' || type === 'CREATE2';
    const trace: VmTrace = { code: isCreation ? this.codeText(input) : '0x', ops: [] };
    const caller = this.open.at(-1)?.last;
    if (caller) {
      caller.operation.sub = trace;
      // The price of a call has the gas that it gives, that of a creation has not.
      if (isCreation) caller.operation.cost += gas;
    } else this.root = trace;
    this.open.push({ trace, hasCode: isCreation, last: undefined });
  }

  onStep(step: Step): void {
    const current = this.open.at(-1)!;
    const { pc, op, gas, gasCost, frame, error } = step;
    const { code } = frame.program;
    if (!current.hasCode) {
      current.trace.code = this.codeText(code);
      current.hasCode = true;
    }
    if (current.last) this.complete(current.last, step);
    current.last = undefined;
    // Running off the end of the code is not an opcode, nor is one that could not be priced.
    if (pc >= code.length || (error !== undefined && error !== VM_ERROR.outOfGas)) return;
    this.spend(OPERATION_TEXT_BYTES);
    const store = op === SSTORE ? this.stored(frame) : null;
    const ex = error === undefined ? { mem: null, push: [], store, used: gas - gasCost } : null;
    const operation = { cost: gasCost, ex, pc, sub: null, op: opcodeName(op) };
    current.trace.ops.push(operation);
    if (ex) current.last = { operation, op, memory: memoryWritten(op, frame) };
  }

  onExit(_: TracedExit): void {
    this.open.pop();
  }

  result(): VmTrace {
    return this.root;
  }

  private codeText(code: Uint8Array): string {
    this.spend(2 * code.length);
    return toHex(code);
  }

  private stored({ stack, sp }: Frame): VmEffect['store'] {
    this.spend(2 * WORD_TEXT_BYTES);
    return { key: toQuantity(stack[sp - 1]!), val: toQuantity(stack[sp - 2]!) };
  }

  /** Adds what the frame shows once the opcode has run. */
  private complete({ operation, op, memory }: Last, { gas, frame }: Step): void {
    const { ex } = operation;
    if (!ex) return;
    const { stack, sp } = frame;
    const pushed = wordsPushed(op);
    this.spend(WORD_TEXT_BYTES * pushed + 2 * (memory?.length ?? 0));
    ex.push = stack.slice(sp - pushed, sp).map(toQuantity);
    ex.used = gas;
    if (memory) {
      const { offset, length } = memory;
      ex.mem = { data: toHex(frame.memory.peek(offset, length)), off: offset };
    }
  }
}
