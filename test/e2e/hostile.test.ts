/** The short form of `npm run hostile`: what an enemy asks of four validators costs no block its time. */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { CASES } from '../hostile/cases/index.ts';
import { playSuite } from '../hostile/suite.ts';

const SHORT_MS = 400_000;

it('validators go on, whoever asks for whatever', { timeout: SHORT_MS }, async ({ annotate }) => {
  await installCrypto();
  const verdicts = await playSuite(CASES.filter(({ isShort }) => isShort));
  for (const { name, unclear } of verdicts) {
    if (unclear.length === 0) continue;
    await annotate(`${name}: the machine was busy, ${unclear.join('; ')}`, 'not run');
  }
  const failed = verdicts.filter(({ faults }) => faults.length > 0);
  expect(failed.map(({ name, faults }) => `${name}: ${faults.join('; ')}`)).toEqual([]);
});
