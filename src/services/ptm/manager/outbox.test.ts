import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox, type OutboxInput, RETRY_FIRST_MS, RETRY_MAX_MS } from './outbox.ts';

const recipient = new Uint8Array(32).fill(1);

describe('outbox', () => {
  it('waits longer after each failure, and not at all once the peer is heard of', () => {
    const outbox = new Outbox(1);
    let nowMs = 0;
    expect(outbox.step({ kind: 'owed', recipient }, nowMs)).toEqual([
      { kind: 'wake', delayMs: RETRY_FIRST_MS },
    ]);
    let last = 0;
    for (let i = 0; i < 12; i++) {
      nowMs += RETRY_MAX_MS;
      expect(outbox.step({ kind: 'tick' }, nowMs)).toEqual([{ kind: 'push', recipient }]);
      const [wake] = outbox.step({ kind: 'failed', recipient }, nowMs);
      expect(wake!.kind).toBe('wake');
      last = (wake as { delayMs: number }).delayMs;
      expect(last).toBeLessThanOrEqual(RETRY_MAX_MS);
    }
    expect(last).toBeGreaterThan(RETRY_MAX_MS / 2);
    expect(outbox.step({ kind: 'heard', recipient }, nowMs)).toEqual([{ kind: 'push', recipient }]);
    expect(outbox.step({ kind: 'delivered', recipient, more: true }, nowMs)).toEqual([
      { kind: 'push', recipient },
    ]);
    expect(outbox.step({ kind: 'delivered', recipient, more: false }, nowMs)).toEqual([]);
    expect(outbox.size).toBe(0);
  });

  it('never pushes twice to one recipient at a time, and forgets nobody', () => {
    const kinds = fc.constantFrom('owed', 'delivered', 'failed', 'heard', 'tick');
    const steps = fc.array(
      fc.record({ kind: kinds, who: fc.nat(20), more: fc.boolean(), wait: fc.nat(5_000) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, fc.integer(), (inputs, seed) => {
        const outbox = new Outbox(seed);
        const pushing = new Set<number>();
        const owed = new Set<number>();
        let nowMs = 0;
        for (const { kind, who, more, wait } of inputs) {
          nowMs += wait;
          if ((kind === 'delivered' || kind === 'failed') && !pushing.has(who)) continue;
          const input = { kind, recipient: new Uint8Array(32).fill(who), more } as OutboxInput;
          if (kind === 'owed') owed.add(who);
          if (kind === 'delivered' || kind === 'failed') pushing.delete(who);
          if (kind === 'delivered' && !more) owed.delete(who);
          for (const effect of outbox.step(input, nowMs)) {
            if (effect.kind !== 'push') continue;
            const to = effect.recipient[0]!;
            expect(pushing.has(to)).toBe(false);
            expect(owed.has(to)).toBe(true);
            pushing.add(to);
          }
          expect(outbox.size).toBe(owed.size);
          expect(pushing.size).toBeLessThanOrEqual(8);
        }
      }),
    );
  });
});
