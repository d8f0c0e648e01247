import { expect, it } from 'vitest';
import { newHeld, type SignedSend } from './nonce-held.ts';
import { NonceSequence } from './nonce-sequence.ts';

const signed = (nonce: number, hash = `0x${nonce}`, nonceKey = 'account') =>
  ({ nonceKey, nonce, hash, raw: '0x' }) as unknown as SignedSend;

it('holds what was signed with the nonce that it gave out, and nothing else', () => {
  const sequence = new NonceSequence('account');
  const nonce = sequence.take();
  const slot = sequence.slots.get(nonce)!;
  expect(() => sequence.hold(slot, newHeld(signed(nonce + 1)))).toThrow('that was given out');
  const foreign = newHeld(signed(nonce, '0x', 'another'));
  expect(() => sequence.hold(slot, foreign)).toThrow('is of this sequence');
  sequence.hold(slot, newHeld(signed(nonce)));
  expect(slot.held.map(({ send }) => send.nonce)).toEqual([nonce]);
});

it('takes back from the journal what it could have held, once', () => {
  const sequence = new NonceSequence('account');
  sequence.restore(signed(4), true);
  sequence.restore(signed(4, '0xreplacement'), false);
  expect(() => sequence.restore(signed(4), false)).toThrow('held once');
  expect(() => sequence.restore(signed(5, '0x5', 'another'), false)).toThrow('of this sequence');
});
