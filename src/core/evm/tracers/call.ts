/**
 * callTracer as geth prints it today: the tree of calls, precompiles included, with logs on
 * request.
 */
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { bytesOfWord } from '../words.ts';
import { revertReason } from './revert-reason.ts';

const LOG0 = 0xa0;
const LOG4 = 0xa4;
/** Size of a call in the result, without its data. */
const CALL_TEXT_BYTES = 300;
const LOG_TEXT_BYTES = 500;

export interface CallTracerOptions {
  readonly onlyTopCall?: boolean | undefined;
  readonly withLog?: boolean | undefined;
}

interface CallLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Number of earlier calls in the same frame. */
  readonly position: string;
  /** Index among the logs of the transaction. */
  readonly index: string;
}

export interface CallNode {
  readonly from: string;
  gas: string;
  gasUsed: string;
  to?: string;
  readonly input: string;
  output?: string;
  error?: string;
  revertReason?: string;
  calls?: CallNode[];
  logs?: CallLog[];
  readonly value?: string;
  readonly type: string;
}

export class CallTracer implements Tracer {
  private readonly options: CallTracerOptions;
  private readonly open: CallNode[] = [];
  private root: CallNode | undefined;
  private logCount = 0;
  private readonly spend: Spend;

  constructor(options: CallTracerOptions = {}, spend: Spend = FREE) {
    this.options = options;
    this.spend = spend;
  }

  onEnter(call: TracedCall): void {
    if (this.options.onlyTopCall && call.depth > 0) return;
    this.spend(CALL_TEXT_BYTES + 2 * call.input.length);
    this.open.push({
      from: toHex(call.from),
      gas: quantity(call.gas),
      gasUsed: '0x0',
      to: toHex(call.to),
      input: toHex(call.input),
      ...(call.type !== 'STATICCALL' && { value: `0x${call.value.toString(16)}` }),
      type: call.type,
    });
  }

  onExit(exit: TracedExit): void {
    if (this.options.onlyTopCall && exit.depth > 0) return;
    const node = this.open.pop()!;
    this.spend(2 * exit.output.length);
    node.gasUsed = quantity(exit.gasUsed);
    settle(node, exit);
    const parent = this.open[this.open.length - 1];
    if (parent) {
      parent.calls ??= [];
      parent.calls.push(node);
    } else {
      this.root = node;
    }
  }

  onStep({ op, frame, depth, error }: Step): void {
    if (!this.options.withLog || op < LOG0 || op > LOG4 || error !== undefined) return;
    if (this.options.onlyTopCall && depth > 1) return;
    const node = this.open[this.open.length - 1]!;
    const { stack, sp, memory } = frame;
    const topics: string[] = [];
    this.spend(LOG_TEXT_BYTES + 2 * Number(stack[sp - 2]!));
    for (let i = 0; i < op - LOG0; i++) topics.push(toHex(bytesOfWord(stack[sp - 3 - i]!)));
    node.logs ??= [];
    node.logs.push({
      address: toHex(frame.address),
      topics,
      data: toHex(memory.peek(Number(stack[sp - 1]!), Number(stack[sp - 2]!))),
      position: quantity(node.calls?.length ?? 0),
      index: quantity(this.logCount++),
    });
  }

  /** Gas limit and gas used of the whole transaction replace those of the outermost frame. */
  result(gasLimit: number, gasUsed: number): CallNode | undefined {
    const { root } = this;
    if (!root) return undefined;
    root.gas = quantity(gasLimit);
    root.gasUsed = quantity(gasUsed);
    if (this.options.withLog) dropFailedLogs(root, false);
    return root;
  }
}

function settle(node: CallNode, { output, error, isReverted }: TracedExit): void {
  if (error !== undefined) {
    node.error = error;
    if (node.type === 'CREATE' || node.type === 'CREATE2') delete node.to;
  }
  if ((error === undefined || isReverted) && output.length > 0) node.output = toHex(output);
  if (!isReverted) return;
  const reason = revertReason(output);
  if (reason !== undefined) node.revertReason = reason;
}

/** Drops the logs of failed frames, and of frames inside these. */
function dropFailedLogs(node: CallNode, isParentFailed: boolean): void {
  const isFailed = isParentFailed || node.error !== undefined;
  if (isFailed) delete node.logs;
  for (const call of node.calls ?? []) dropFailedLogs(call, isFailed);
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
