import { expect, it } from 'vitest';
import { firstRecent } from './recent-blocks.ts';
import type { Rpc } from './rpc.ts';

const rpc = { call: async () => '0x7530' } as unknown as Pick<Rpc, 'call'>;

it('looks 10,000 blocks back, and not before block 0', async () => {
  expect(await firstRecent(rpc, undefined)).toBe(20_000);
  expect(await firstRecent(rpc, 10_001)).toBe(1);
  expect(await firstRecent(rpc, 12)).toBe(0);
});
