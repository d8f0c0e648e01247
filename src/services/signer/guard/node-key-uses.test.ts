import { expect, it } from 'vitest';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import { HELD_MAX, NodeKeyUses } from './node-key-uses.ts';

function uses() {
  const time = new VirtualTime(0);
  const lines: object[] = [];
  const write = async (fields: object) => lines.push(fields);
  return { time, lines, uses: new NodeKeyUses({ timers: time, log: () => {}, write }) };
}

it('are one line a minute for each caller and key', async () => {
  const { time, lines, uses: counted } = uses();
  for (let call = 0; call < 1_000; call++) counted.count('node', '0x1', 'nodekey_sign');
  counted.count('node', '0x1', 'nodekey_ecdh');
  counted.count('other', '0x1', 'nodekey_sign');
  expect(lines).toEqual([]);
  await time.pass(60_000);
  expect(lines).toEqual([
    { caller: 'node', key: '0x1', nodekey_sign: 1_000, nodekey_ecdh: 1 },
    { caller: 'other', key: '0x1', nodekey_sign: 1 },
  ]);
  await time.pass(600_000);
  expect(lines).toHaveLength(2);
});

it('of many callers are written at once', async () => {
  const { time, lines, uses: counted } = uses();
  for (let caller = 0; caller <= HELD_MAX; caller++)
    counted.count(`${caller}`, '0x1', 'nodekey_sign');
  await time.pass(1);
  expect(lines).toHaveLength(HELD_MAX);
});
