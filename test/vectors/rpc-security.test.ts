import { expect, it } from 'vitest';
import { OWN_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { rpcSecurity } from './rpc-security.ts';

it('answers as recorded where tokens are required', { timeout: 60_000 }, async () => {
  const tally = new Tally();
  for (const file of rpcSecurity.find(OWN_VECTORS)) await rpcSecurity.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(36);
});
