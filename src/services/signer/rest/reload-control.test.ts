import { expect, it } from 'vitest';
import type { ReloadReport } from '../keys/accounts.ts';
import { ReloadControl } from './reload-control.ts';

function play() {
  const ends: ((report: ReloadReport) => void)[] = [];
  const control = new ReloadControl({
    reload: () => new Promise((resolve) => ends.push(resolve)),
    clock: { nowMs: () => 0 } as never,
    log: () => {},
  });
  const end = async () => {
    const running = control.settled();
    ends.at(-1)!({ errors: 0 } as ReloadReport);
    await running;
  };
  return { control, ends, end };
}

it('a signal during a reload is followed by another one: its files may have been read already', async () => {
  const { control, ends, end } = play();
  control.startOrFollow();
  control.startOrFollow();
  control.startOrFollow();
  expect(ends).toHaveLength(1);
  await end();
  expect([ends.length, control.state.status]).toEqual([2, 'running']);
  await end();
  expect([ends.length, control.state.status]).toEqual([2, 'completed']);
});

it('a request during a reload starts none', async () => {
  const { control, ends, end } = play();
  expect([control.start(), control.start()]).toEqual([true, false]);
  await end();
  expect(ends).toHaveLength(1);
});
