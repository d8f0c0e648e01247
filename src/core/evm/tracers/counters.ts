/** opcountTracer, unigramTracer, bigramTracer, trigramTracer, noopTracer of geth 1.10.3. */
import { opcodeName } from '../opcode-names.ts';
import type { Step, Tracer } from '../tracer.ts';

export class OpcountTracer implements Tracer {
  private count = 0;

  onStep(): void {
    this.count++;
  }

  result(): number {
    return this.count;
  }
}

export class NoopTracer implements Tracer {
  onStep(): void {}

  result(): Readonly<Record<string, never>> {
    return {};
  }
}

export class UnigramTracer implements Tracer {
  private readonly counts = new Map<string, number>();

  onStep({ op }: Step): void {
    countIn(this.counts, opcodeName(op));
  }

  result(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}

/**
 * COMPAT: a pair is not counted if its opcodes are at different depths, as where a frame begins or
 * ends.
 */
export class BigramTracer implements Tracer {
  private readonly counts = new Map<string, number>();
  private last = '';
  private lastDepth = 0;

  onStep({ op, depth }: Step): void {
    const name = opcodeName(op);
    if (depth === this.lastDepth) countIn(this.counts, `${this.last}-${name}`);
    this.last = name;
    this.lastDepth = depth;
  }

  result(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}

/**
 * COMPAT: the first opcode at a new depth is skipped, and the next two are counted with empty names
 * before them.
 */
export class TrigramTracer implements Tracer {
  private readonly counts = new Map<string, number>();
  private last: readonly [string, string] = ['', ''];
  private lastDepth = 0;

  onStep({ op, depth }: Step): void {
    if (depth !== this.lastDepth) {
      this.last = ['', ''];
      this.lastDepth = depth;
      return;
    }
    const name = opcodeName(op);
    const [first, second] = this.last;
    countIn(this.counts, `${first}-${second}-${name}`);
    this.last = [second, name];
  }

  result(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }
}

function countIn(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
