import { describe, expect, it } from 'vitest';
import type { Effort } from '../../../../core/base/ports.ts';
import { Budget } from './budget.ts';

/** A thread that gets a tenth of a processor; counts each query of its CPU time. */
function busyMachine() {
  const machine = { elapsedMs: 0, looks: 0 };
  const effort: Effort = {
    slice: () => () => 'go',
    stopwatch() {
      const startMs = machine.elapsedMs;
      const elapsedMs = () => machine.elapsedMs - startMs;
      const cpuMs = () => {
        machine.looks++;
        return elapsedMs() / 10;
      };
      return { elapsedMs, cpuMs };
    },
  };
  return { machine, effort };
}

describe('a budget', () => {
  it('counts CPU time, not what others on the machine take', () => {
    const { machine, effort } = busyMachine();
    const budget = new Budget(effort, 100);
    machine.elapsedMs = 990;
    expect(budget.pace(1)).toBe('go');
    machine.elapsedMs = 1_001;
    expect(budget.pace(1)).toBe('stop');
  });

  it('counts its own turns only', () => {
    const { machine, effort } = busyMachine();
    const budget = new Budget(effort, 100);
    machine.elapsedMs = 600;
    budget.suspend();
    machine.elapsedMs = 50_000;
    budget.resume();
    expect([budget.usedMs(), budget.elapsedMs(), budget.pace(1)]).toEqual([60, 600, 'go']);
    machine.elapsedMs = 50_401;
    expect(budget.pace(1)).toBe('stop');
  });

  it('has an end of its patience where a block waits for it', () => {
    const { machine, effort } = busyMachine();
    const budget = new Budget(effort, 100, 400);
    machine.elapsedMs = 400;
    expect([budget.pace(1), budget.isSpent()]).toEqual(['stop', true]);
  });

  it('counts what the work will cost later', () => {
    const { machine, effort } = busyMachine();
    const budget = new Budget(effort, 100);
    machine.elapsedMs = 600;
    budget.charge(40);
    expect([budget.usedMs(), budget.elapsedMs(), budget.pace(1)]).toEqual([100, 640, 'stop']);
  });

  it('does not look at CPU time before as much time has passed', () => {
    const { machine, effort } = busyMachine();
    const budget = new Budget(effort, 100);
    for (; machine.elapsedMs < 99; machine.elapsedMs++) budget.pace(1);
    expect(machine.looks).toBe(0);
  });
});
