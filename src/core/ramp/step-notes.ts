/** Collects the effects of a step, in order. */
import { type Account, balanced, moved, type Posting } from './books.ts';
import type { Effect, Step } from './order.ts';

export class StepNotes<S> {
  state: S;
  private readonly effects: Effect[] = [];

  constructor(state: S) {
    this.state = state;
  }

  change(part: Partial<S>): void {
    this.state = { ...this.state, ...part };
  }

  event(type: string, data: Readonly<Record<string, string>> = {}): void {
    this.effects.push({ kind: 'event', type, data });
  }

  post(postings: readonly Posting[]): void {
    this.effects.push({ kind: 'post', postings: balanced(postings) });
  }

  move(asset: string, units: bigint, from: Account, to: Account): void {
    if (units !== 0n) this.post(moved(asset, units, from, to));
  }

  ask(effect: Exclude<Effect, { kind: 'event' | 'post' }>): void {
    this.effects.push(effect);
  }

  done(): Step<S> {
    return { state: this.state, effects: this.effects };
  }

  refused(refusal: string): Step<S> {
    return { ...this.done(), refusal };
  }
}
