import { expect, it } from 'vitest';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import { INTERVAL_MS, NodeKeyPulse } from './node-key-pulse.ts';

it('a proxy that is silent is logged once, and so is its return', async () => {
  const time = new VirtualTime(0);
  const said: string[] = [];
  let asked = 0;
  let fault: string | undefined;
  const pulse = new NodeKeyPulse({
    key: {
      async sign() {
        asked++;
        if (fault !== undefined) throw new Error(fault);
        return new Uint8Array(65);
      },
    },
    timers: time,
    log: (level, message, fields) => said.push(`${level}: ${message} ${fields?.reason ?? ''}`),
  });
  pulse.start();
  await time.pass(3 * INTERVAL_MS + 1);
  expect([asked, pulse.fault, said]).toEqual([3, undefined, []]);
  fault = 'nothing listens there';
  await time.pass(5 * INTERVAL_MS);
  expect(said).toEqual([
    expect.stringMatching(/^error: The node key cannot sign.*nothing listens/),
  ]);
  expect([asked, pulse.fault]).toEqual([8, fault]);
  fault = undefined;
  await time.pass(5 * INTERVAL_MS);
  expect(pulse.fault).toBeUndefined();
  expect(said.slice(1)).toEqual(['info: The node key signs again ']);
  pulse.stop();
  await time.pass(5 * INTERVAL_MS);
  expect(asked).toBe(13);
});
