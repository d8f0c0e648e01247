import { expect, it } from 'vitest';
import type { Timers } from '../../../../core/base/ports.ts';
import { BlockWork } from './block-work.ts';

interface Due {
  readonly atMs: number;
  readonly fire: () => void;
  isCancelled?: boolean;
}

function workWithTime() {
  let nowMs = 0;
  const due: Due[] = [];
  const turns: (() => void)[] = [];
  const timers: Timers = {
    set: (delayMs, fire) => {
      const timer: Due = { atMs: nowMs + delayMs, fire };
      due.push(timer);
      return { cancel: () => (timer.isCancelled = true) };
    },
    yield: (next) => turns.push(next),
  };
  const pass = (ms: number) => {
    nowMs += ms;
    for (const timer of due.splice(0))
      if (timer.atMs > nowMs) due.push(timer);
      else if (!timer.isCancelled) timer.fire();
  };
  return { work: new BlockWork({ nowMs: () => nowMs }, timers), pass, turns };
}

/** A block that ends when the returned function is called. */
function beginBlock(work: BlockWork): () => Promise<void> {
  let end = () => {};
  const done = work.during(() => new Promise<void>((resolve) => (end = resolve)));
  return async () => {
    end();
    await done;
  };
}

/** Calls `calm` so many times; `passed` grows with each that went on. */
function wait(work: BlockWork, count: number, passed: number[], bytes = 100): void {
  for (let i = 0; i < count; i++) {
    const calm = work.calm(bytes);
    if (calm) void calm.then(() => passed.push(i));
    else passed.push(i);
  }
}

const settled = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

it('lets everything go on beside a block that does not take long', () => {
  const { work, pass } = workWithTime();
  expect(work.isAtWork).toBe(false);
  beginBlock(work);
  expect(work.isAtWork).toBe(true);
  pass(249);
  expect(work.calm(1)).toBeUndefined();
});

it('lets others wait for one that takes long; then they go on in order, few in a turn', async () => {
  const { work, pass, turns } = workWithTime();
  const end = beginBlock(work);
  pass(250);
  const passed: number[] = [];
  wait(work, 100, passed);
  await settled();
  expect(passed).toEqual([]);
  await end();
  await settled();
  expect(passed.length).toBe(64);
  wait(work, 1, passed);
  while (turns.length > 0) turns.shift()!();
  await settled();
  expect(passed).toEqual([...Array(100).keys(), 0]);
  expect(work.calm(1)).toBeUndefined();
});

it('lets few large ones go on in a turn', async () => {
  const { work, pass, turns } = workWithTime();
  const end = beginBlock(work);
  pass(250);
  const passed: number[] = [];
  wait(work, 20, passed, 100_000);
  await end();
  await settled();
  expect(passed.length).toBe(3);
  while (turns.length > 0) turns.shift()!();
  await settled();
  expect(passed).toEqual([...Array(20).keys()]);
});

it('lets nobody wait longer than a second', async () => {
  const { work, pass, turns } = workWithTime();
  beginBlock(work);
  pass(500);
  const passed: number[] = [];
  wait(work, 1, passed);
  pass(999);
  await settled();
  expect(passed).toEqual([]);
  pass(1);
  await settled();
  expect(passed).toEqual([0]);
  wait(work, 12, passed);
  pass(1_000);
  while (turns.length > 0) turns.shift()!();
  await settled();
  expect(passed.length).toBe(13);
});
