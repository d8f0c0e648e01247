import { expect, it } from 'vitest';
import { IdleProcessors } from './idle-processors.ts';

it('averages since the last call', () => {
  const machine = { now: 0, idle: 1_000 };
  const processors = new IdleProcessors({
    nowMs: () => machine.now,
    idleMs: () => machine.idle,
  });
  Object.assign(machine, { now: 500, idle: 2_000 });
  expect(processors.sinceLast()).toBe(2);
  Object.assign(machine, { now: 1_500, idle: 2_500 });
  expect(processors.sinceLast()).toBe(0.5);
});

it('asks the machine', () => {
  expect(new IdleProcessors().sinceLast()).toBeGreaterThanOrEqual(0);
});
