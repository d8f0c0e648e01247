/** 4byteTracer: which method selectors were called with how many bytes of arguments. */
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { TracedCall, Tracer } from '../tracer.ts';

const SELECTOR_BYTES = 4;
const ENTRY_TEXT_BYTES = 40;

export class FourByteTracer implements Tracer {
  private readonly counts = new Map<string, number>();
  private outer: TracedCall | undefined;
  private readonly spend: Spend;

  constructor(spend: Spend = FREE) {
    this.spend = spend;
  }

  onEnter(call: TracedCall): void {
    if (call.depth === 0) this.outer = call;
    else if (isCall(call)) this.count(call.input);
  }

  /** `{"0x27dc297e-128": 1}`: the outermost call comes last. */
  result(): Record<string, number> {
    if (this.outer) this.count(this.outer.input);
    this.outer = undefined;
    return Object.fromEntries(this.counts);
  }

  private count(input: Uint8Array): void {
    if (input.length < SELECTOR_BYTES) return;
    const key = `${toHex(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`;
    if (!this.counts.has(key)) this.spend(ENTRY_TEXT_BYTES);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

/** Creations have no selector, and precompiles are not contracts. */
function isCall({ type, isPrecompile }: TracedCall): boolean {
  return !isPrecompile && type !== 'CREATE' && type !== 'CREATE2' && type !== 'SELFDESTRUCT';
}
