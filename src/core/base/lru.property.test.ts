import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lru } from './lru.ts';

/** The same map as a simple array, the least recently used entry first. */
class Model {
  entries: [number, number][] = [];
  private readonly entriesMax: number;
  private readonly weightMax: number;

  constructor(entriesMax: number, weightMax: number) {
    this.entriesMax = entriesMax;
    this.weightMax = weightMax;
  }

  get(key: number): number | undefined {
    const found = this.entries.find(([each]) => each === key);
    if (!found) return undefined;
    this.set(key, found[1]);
    return found[1];
  }

  set(key: number, value: number): void {
    this.delete(key);
    this.entries.push([key, value]);
    if (this.entries.length > this.entriesMax) this.entries.shift();
    const weight = () => this.entries.reduce((sum, [, each]) => sum + (each % 10), 0);
    while (weight() > this.weightMax && this.entries.length > 1) this.entries.shift();
  }

  delete(key: number): void {
    this.entries = this.entries.filter(([each]) => each !== key);
  }
}

it('keeps what was used last, as a list would', () => {
  const step = fc.tuple(
    fc.constantFrom('get', 'set', 'delete', 'clear', 'has'),
    fc.nat(7),
    fc.nat(),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.nat(30),
      fc.array(step, { maxLength: 60 }),
      (max, weightMax, steps) => {
        const lru = new Lru<number, number>(max, { max: weightMax, of: (value) => value % 10 });
        const model = new Model(max, weightMax);
        for (const [what, key, value] of steps) {
          if (what === 'get') expect(lru.get(key)).toBe(model.get(key));
          if (what === 'has') expect(lru.has(key)).toBe(model.entries.some(([k]) => k === key));
          if (what === 'set') {
            lru.set(key, value);
            model.set(key, value);
          }
          if (what === 'delete') {
            lru.delete(key);
            model.delete(key);
          }
          if (what === 'clear' && value % 5 === 0) {
            lru.clear();
            model.entries = [];
          }
          expect(lru.size).toBe(model.entries.length);
          expect(lru.items()).toEqual(model.entries);
          expect([...lru.values()]).toEqual(model.entries.map(([, each]) => each));
        }
      },
    ),
  );
});
