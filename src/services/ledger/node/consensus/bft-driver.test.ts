import { expect, it } from 'vitest';
import type { BftEffect, BftInput } from '../../../../core/consensus/bft/interface.ts';
import { BftDriver, type DriverParts } from './bft-driver.ts';

const WAITING_MAX = 10_000;

it('keeps ten thousand messages that wait for the engine, and every other input', async () => {
  const seen: BftInput[] = [];
  let written: () => void = () => undefined;
  const remember: BftEffect = {
    kind: 'remember',
    memory: { height: 1, round: 0, parts: [] },
  };
  const parts: Partial<DriverParts> = {
    engine: {
      step(input) {
        seen.push(input);
        return input.kind === 'transactionsPending' ? [remember] : [];
      },
    },
    clock: { nowMs: () => 0 },
    remember: () =>
      new Promise((resolve) => {
        written = resolve;
      }),
  };
  const driver = new BftDriver(parts as DriverParts);
  // The engine waits until its memory is on disk.
  driver.post({ kind: 'transactionsPending' });
  const from = new Uint8Array(20);
  for (let code = 0; code < WAITING_MAX + 5; code++) {
    driver.post({ kind: 'message', from, code, bytes: new Uint8Array() });
  }
  driver.post({ kind: 'timer', id: 'round/1/0' });
  written();
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.length).toBe(1 + WAITING_MAX + 1);
  expect(seen.at(-1)).toEqual({ kind: 'timer', id: 'round/1/0' });
  expect(seen.at(-2)).toMatchObject({ code: WAITING_MAX - 1 });
});
