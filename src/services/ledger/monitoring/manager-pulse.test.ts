/**
 * A manager that does not answer is reported as unavailable after two failed checks in a row, and
 * as available at its next answer.
 */
import { expect, it } from 'vitest';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import { ManagerPulse } from './manager-pulse.ts';

function pulseOf(isInUse = true) {
  const time = new VirtualTime(0);
  const state = { isDead: false, asked: 0 };
  const said: string[] = [];
  const ping = async () => {
    state.asked++;
    if (state.isDead) throw new Error('nothing listens there');
  };
  const pulse = new ManagerPulse({
    manager: { isInUse, ping },
    timers: time,
    log: (level, message) => said.push(`${level}: ${message}`),
  });
  const asked = async (times: number) => {
    const before = state.asked;
    await time.until(() => state.asked >= before + times, 60_000, 'the manager is asked');
    await time.pass(1);
  };
  pulse.start();
  return { pulse, state, said, asked, time };
}

it('one missed answer changes nothing, two are reported once, and one answer ends it', async () => {
  const { pulse, state, said, asked } = pulseOf();
  await asked(2);
  expect(pulse.fault).toBeUndefined();
  state.isDead = true;
  await asked(1);
  expect(pulse.fault).toBeUndefined();
  await asked(1);
  expect(pulse.fault).toBe('nothing listens there');
  await asked(3);
  expect(said).toEqual(['error: The private transaction manager does not answer']);
  state.isDead = false;
  await asked(1);
  expect(pulse.fault).toBeUndefined();
  expect(said.slice(1)).toEqual(['info: The private transaction manager answers again']);
  state.isDead = true;
  await asked(1);
  expect(pulse.fault).toBeUndefined();
  pulse.stop();
});

it('asks nobody where there is no manager, and no longer once it is stopped', async () => {
  const none = pulseOf(false);
  await none.time.pass(10_000);
  expect(none.state.asked).toBe(0);
  const { pulse, state, asked, time } = pulseOf();
  await asked(1);
  pulse.stop();
  await time.pass(10_000);
  expect(state.asked).toBe(1);
});
