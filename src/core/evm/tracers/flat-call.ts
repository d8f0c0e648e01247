/**
 * flatCallTracer: the calls of a transaction as a flat list with trace addresses, as OpenEthereum's
 * `trace_` methods print them.
 */
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { VM_ERROR } from '../vm-error.ts';

export interface FlatCallOptions {
  readonly includePrecompiles?: boolean | undefined;
  /** OpenEthereum's texts instead of geth's. */
  readonly convertParityErrors?: boolean | undefined;
  /**
   * As in OpenEthereum, the outermost call shows the gas with which its code began and the gas that
   * its code used; geth shows those of the transaction.
   */
  readonly ownGas?: boolean | undefined;
}

export interface FlatCall {
  readonly action: Readonly<Record<string, string>>;
  readonly error?: string;
  readonly result?: Readonly<Record<string, string>>;
  readonly subtraces: number;
  readonly traceAddress: readonly number[];
  readonly type: 'call' | 'create' | 'suicide';
}

interface Node {
  readonly call: TracedCall;
  exit: TracedExit | undefined;
  readonly calls: Node[];
}

const PARITY_ERRORS = new Map<string, string>([
  [VM_ERROR.codeStoreOutOfGas, 'Out of gas'],
  [VM_ERROR.outOfGas, 'Out of gas'],
  [VM_ERROR.gasOverflow, 'Out of gas'],
  [VM_ERROR.codeTooLarge, 'Out of gas'],
  [VM_ERROR.invalidJump, 'Bad jump destination'],
  [VM_ERROR.reverted, 'Reverted'],
  [VM_ERROR.returnDataOutOfBounds, 'Out of bounds'],
  [VM_ERROR.writeProtection, 'Mutable Call In Static Context'],
]);

/** Size of a call in the result, without its data and its trace address. */
const CALL_TEXT_BYTES = 400;

export class FlatCallTracer implements Tracer {
  private readonly options: FlatCallOptions;
  private readonly open: Node[] = [];
  private root: Node | undefined;
  private readonly spend: Spend;

  constructor(options: FlatCallOptions = {}, spend: Spend = FREE) {
    this.options = options;
    this.spend = spend;
  }

  onEnter(call: TracedCall): void {
    this.spend(CALL_TEXT_BYTES + 10 * call.depth + 2 * call.input.length);
    this.open.push({ call, exit: undefined, calls: [] });
  }

  onExit(exit: TracedExit): void {
    const node = this.open.pop()!;
    this.spend(2 * exit.output.length);
    node.exit = exit;
    const parent = this.open[this.open.length - 1];
    if (!parent) this.root = node;
    else if (this.options.includePrecompiles || !isHidden(node.call)) parent.calls.push(node);
  }

  /**
   * Gas limit and gas used of the whole transaction replace those of the outermost frame, unless
   * `ownGas` is set.
   */
  result(gasLimit: number, gasUsed: number): FlatCall[] {
    const flat: FlatCall[] = [];
    if (!this.root) return flat;
    const { call, exit, calls } = this.root;
    const whole = { call: { ...call, gas: gasLimit }, exit: { ...exit!, gasUsed }, calls };
    this.flatten(this.options.ownGas ? this.root : whole, [], flat);
    return flat;
  }

  private flatten(node: Node, traceAddress: readonly number[], flat: FlatCall[]): void {
    const { error, isReverted } = node.exit!;
    const isShown = error === undefined || isReverted;
    const result = isShown ? resultOf(node) : undefined;
    flat.push({
      action: actionOf(node.call),
      ...(error !== undefined && { error: this.textOf(error) }),
      ...(result && { result }),
      subtraces: node.calls.length,
      traceAddress,
      type: typeOf(node.call),
    });
    node.calls.forEach((call, i) => {
      this.flatten(call, [...traceAddress, i], flat);
    });
  }

  private textOf(error: string): string {
    if (!this.options.convertParityErrors) return error;
    if (error.startsWith('invalid opcode')) return 'Bad instruction';
    if (error.startsWith('stack underflow')) return 'Stack underflow';
    if (error.startsWith('stack limit reached')) return 'Out of stack';
    return PARITY_ERRORS.get(error) ?? error;
  }
}

/** OpenEthereum omits plain calls of precompiles. */
function isHidden({ type, isPrecompile }: TracedCall): boolean {
  return isPrecompile && (type === 'CALL' || type === 'STATICCALL');
}

function typeOf({ type }: TracedCall): FlatCall['type'] {
  if (type === 'SELFDESTRUCT') return 'suicide';
  return type === 'CREATE' || type === 'CREATE2' ? 'create' : 'call';
}

function actionOf(call: TracedCall): Record<string, string> {
  const { type, from, to, input } = call;
  const value = `0x${call.value.toString(16)}`;
  const gas = quantity(call.gas);
  switch (typeOf(call)) {
    case 'suicide':
      return { address: toHex(from), refundAddress: toHex(to), balance: value };
    case 'create':
      return {
        creationMethod: type.toLowerCase(),
        from: toHex(from),
        gas,
        init: toHex(input),
        value,
      };
    case 'call':
      return {
        callType: type.toLowerCase(),
        from: toHex(from),
        gas,
        input: toHex(input),
        to: toHex(to),
        value,
      };
  }
}

function resultOf({ call, exit }: Node): Record<string, string> | undefined {
  const { output, gasUsed, error } = exit!;
  switch (typeOf(call)) {
    case 'suicide':
      return undefined;
    case 'create':
      return {
        ...(error === undefined && { address: toHex(call.to) }),
        code: toHex(output),
        gasUsed: quantity(gasUsed),
      };
    case 'call':
      return { gasUsed: quantity(gasUsed), output: toHex(output) };
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
