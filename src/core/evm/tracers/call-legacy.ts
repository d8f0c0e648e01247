/**
 * callTracer as geth 1.10.3 prints it: built from opcodes, so that precompiles are missing, calls
 * of plain accounts show no gas, and outputs are read from the caller's memory. COMPAT throughout.
 */
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { World } from '../../state/world.ts';
import type { Frame } from '../frame.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { addressOfWord } from '../words.ts';

/** Size of a call in the result, without its data. */
const CALL_TEXT_BYTES = 300;
const REVERTED = 'execution reverted';

export interface LegacyCallNode {
  type?: string;
  from?: string;
  to?: string;
  value?: string;
  gas?: string;
  gasUsed?: string;
  input?: string;
  output?: string;
  error?: string;
  time?: string;
  calls?: LegacyCallNode[];
}

interface Open {
  node: LegacyCallNode;
  gas: number | undefined;
  gasIn: number;
  gasCost: number;
  outputOffset: number;
  outputLength: number;
}

function open(node: LegacyCallNode, step?: Step): Open {
  const [gasIn, gasCost] = [step?.gas ?? 0, step?.gasCost ?? 0];
  return { node, gas: undefined, gasIn, gasCost, outputOffset: 0, outputLength: 0 };
}

export class LegacyCallTracer implements Tracer {
  private readonly world: World;
  private readonly isPrecompile: (address: Uint8Array) => boolean;
  private readonly stack: Open[] = [open({})];
  private hasDescended = false;
  private outer: TracedCall | undefined;
  private outerExit: TracedExit | undefined;
  private readonly spend: Spend;

  constructor(world: World, isPrecompile: (address: Uint8Array) => boolean, spend: Spend = FREE) {
    this.spend = spend;
    this.world = world;
    this.isPrecompile = isPrecompile;
  }

  onEnter(call: TracedCall): void {
    if (call.depth === 0) this.outer = call;
  }

  onExit(exit: TracedExit): void {
    if (exit.depth === 0) this.outerExit = exit;
  }

  onStep(step: Step): void {
    if (step.error !== undefined) {
      this.onFault(step);
      return;
    }
    const name = step.op >= 0xf0 ? opcodeName(step.op) : '';
    if (name === 'CREATE' || name === 'CREATE2') this.enterCreate(name, step);
    else if (name === 'SELFDESTRUCT') this.addSelfdestruct(step);
    else if (name.endsWith('CALL') || name === 'CALLCODE') this.enterCall(name, step);
    else this.leave(step, name);
  }

  onFault(step: Step): void {
    if (this.top.node.error !== undefined) return;
    const failed = this.stack.pop()!;
    failed.node.error = step.error!;
    if (failed.gas !== undefined) {
      failed.node.gas = quantity(failed.gas);
      failed.node.gasUsed = failed.node.gas;
    }
    if (this.stack.length > 0) this.addCall(failed.node);
    else this.stack.push(failed);
  }

  /** `time`: duration as Go prints it; undefined omits it. */
  result(time?: string): LegacyCallNode {
    const { outer, outerExit } = this;
    if (!outer || !outerExit) return {};
    const { calls, error = outerExit.error } = this.stack[0]!.node;
    const output = toHex(outerExit.output);
    const hasOutput = error === undefined || (error === REVERTED && output !== '0x');
    return ordered({
      type: outer.type === 'CREATE' ? 'CREATE' : 'CALL',
      from: toHex(outer.from),
      to: toHex(outer.to),
      value: `0x${outer.value.toString(16)}`,
      gas: quantity(outer.gas),
      gasUsed: quantity(outerExit.gasUsed),
      input: toHex(outer.input),
      ...(hasOutput && { output }),
      ...(error !== undefined && { error }),
      ...(time !== undefined && { time }),
      ...(calls && { calls }),
    });
  }

  private get top(): Open {
    return this.stack[this.stack.length - 1]!;
  }

  private addCall(node: LegacyCallNode): void {
    const parent = this.top.node;
    parent.calls ??= [];
    parent.calls.push(node);
  }

  private enterCreate(type: string, step: Step): void {
    const { frame } = step;
    const node = {
      type,
      from: toHex(frame.address),
      input: toHex(memoryOf(frame, 1, 2)),
      value: wordQuantity(frame, 0),
    };
    this.spend(CALL_TEXT_BYTES + node.input.length);
    this.stack.push(open(node, step));
    this.hasDescended = true;
  }

  private addSelfdestruct({ frame }: Step): void {
    this.spend(CALL_TEXT_BYTES);
    this.addCall({
      type: 'SELFDESTRUCT',
      from: toHex(frame.address),
      to: addressHex(frame, 0),
      value: `0x${this.world.balance(frame.address).toString(16)}`,
    });
  }

  private enterCall(type: string, step: Step): void {
    const { frame } = step;
    const to = addressBytes(frame, 1);
    if (this.isPrecompile(to)) return;
    const shift = type === 'DELEGATECALL' || type === 'STATICCALL' ? 0 : 1;
    const node: LegacyCallNode = {
      type,
      from: toHex(frame.address),
      to: toHex(to),
      input: toHex(memoryOf(frame, 2 + shift, 3 + shift)),
      ...(shift === 1 && { value: wordQuantity(frame, 2) }),
    };
    this.spend(CALL_TEXT_BYTES + node.input!.length);
    const opened = open(node, step);
    opened.outputOffset = Number(peek(frame, 4 + shift));
    opened.outputLength = Number(peek(frame, 5 + shift));
    this.stack.push(opened);
    this.hasDescended = true;
  }

  /** Checks whether this opcode is the first of a new call, or the first after one. */
  private leave(step: Step, name: string): void {
    if (this.hasDescended) {
      if (step.depth >= this.stack.length) this.top.gas = step.gas;
      this.hasDescended = false;
    }
    if (name === 'REVERT') {
      this.top.node.error = REVERTED;
      return;
    }
    if (step.depth !== this.stack.length - 1) return;
    const ended = this.stack.pop()!;
    // Counted before its output is copied.
    this.spend(2 * ended.outputLength);
    const { type } = ended.node;
    if (type === 'CREATE' || type === 'CREATE2') this.endCreate(ended, step);
    else endCall(ended, step);
    if (ended.gas !== undefined) ended.node.gas = quantity(ended.gas);
    this.addCall(ended.node);
  }

  private endCreate({ node, gasIn, gasCost }: Open, { gas, frame }: Step): void {
    node.gasUsed = quantity(gasIn - gasCost - gas);
    if (peek(frame, 0) !== 0n) {
      node.to = addressHex(frame, 0);
      node.output = toHex(this.world.code(addressBytes(frame, 0)));
    } else {
      node.error ??= 'internal failure';
    }
  }
}

function endCall(ended: Open, { gas, frame }: Step): void {
  const { node, gasIn, gasCost, outputOffset, outputLength } = ended;
  if (ended.gas !== undefined) node.gasUsed = quantity(gasIn - gasCost + ended.gas - gas);
  if (peek(frame, 0) !== 0n) node.output = toHex(frame.memory.peek(outputOffset, outputLength));
  else node.error ??= 'internal failure';
}

function peek(frame: Frame, depth: number): bigint {
  return frame.stack[frame.sp - 1 - depth] ?? 0n;
}

function wordQuantity(frame: Frame, depth: number): string {
  return `0x${peek(frame, depth).toString(16)}`;
}

function addressBytes(frame: Frame, depth: number): Uint8Array {
  return addressOfWord(peek(frame, depth));
}

function addressHex(frame: Frame, depth: number): string {
  return toHex(addressBytes(frame, depth));
}

function memoryOf(frame: Frame, offsetDepth: number, lengthDepth: number): Uint8Array {
  return frame.memory.peek(Number(peek(frame, offsetDepth)), Number(peek(frame, lengthDepth)));
}

function quantity(value: number): string {
  return value < 0 ? `0x-${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/** Puts the keys in the same order at every level. */
function ordered(node: LegacyCallNode): LegacyCallNode {
  const keys = [
    'type',
    'from',
    'to',
    'value',
    'gas',
    'gasUsed',
    'input',
    'output',
    'error',
    'time',
  ] as const;
  const sorted: LegacyCallNode = {};
  for (const key of keys) if (node[key] !== undefined) sorted[key] = node[key];
  if (node.calls) sorted.calls = node.calls.map(ordered);
  return sorted;
}
