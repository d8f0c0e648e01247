/**
 * Secrets: what is stored of them, and that the time of a check does not reveal which clients
 * exist.
 */
import { createHook } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { isQuick } from '../../../../test/support/effort.ts';
import { hashSecret, newSecret, SecretChecker } from './secrets.ts';

/** How often scrypt runs during `work`. */
async function slowRuns(work: () => Promise<unknown>): Promise<number> {
  let runs = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') runs++;
    },
  });
  hook.enable();
  await work();
  hook.disable();
  return runs;
}

it('a check is the same work for a stranger, and for a client with no, one or two secrets', async () => {
  const checker = new SecretChecker();
  const [first, second] = [newSecret(), newSecret()];
  const hashes = [await hashSecret(first), await hashSecret(second)];
  // First creates the hash that secrets of unknown clients are checked against.
  await checker.check('nobody', 'warm', undefined);
  for (const known of [undefined, [], hashes.slice(0, 1), hashes]) {
    const wrong = newSecret();
    expect(await slowRuns(() => checker.check('me', wrong, known))).toBe(2);
  }
  expect(await slowRuns(() => checker.check('me', first, hashes))).toBe(2);
  expect(checker.remembers('me', first, hashes)).toBe(true);
  expect(checker.remembers('you', first, hashes)).toBe(false);
  expect(checker.remembers('me', first, hashes.slice(1))).toBe(false);
});

it('knows only the right ones', async () => {
  const checker = new SecretChecker();
  const secret = newSecret();
  const hashes = [await hashSecret(secret)];
  expect(hashes[0]).not.toContain(secret);
  expect(await hashSecret(secret)).not.toBe(hashes[0]);
  expect(await checker.check('me', secret, hashes)).toBe(true);
  for (const wrong of ['', ' ', `${secret} `, secret.slice(1), `${secret}\0`, 'x'.repeat(2_000)]) {
    expect(await checker.check('me', wrong, hashes)).toBe(false);
  }
  expect(await checker.check('me', secret, [])).toBe(false);
  expect(await checker.check('me', secret, undefined)).toBe(false);
});

it('refuses more than it can check, and continues', async ({ skip }) => {
  if (isQuick) skip('npm test: what takes seconds of scrypt');
  const checker = new SecretChecker();
  const asked = Array.from({ length: 100 }, (_, i) => checker.check('x', `wrong ${i}`, undefined));
  const seen = await Promise.allSettled(asked);
  const refused = seen.filter((each) => each.status === 'rejected');
  expect(refused).toHaveLength(100 - 66);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'STAKING_BUSY' });
  const secret = newSecret();
  expect(await checker.check('me', secret, [await hashSecret(secret)])).toBe(true);
}, 60_000);
