import { expect, it } from 'vitest';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { KeyChallenge, type KeyChallengeOptions } from './key-challenge.ts';

/**
 * Answers a challenge as `play` says: 'proven' with the text that was encrypted, otherwise with
 * another one.
 */
function challenging(play: (asked: number) => 'proven' | 'refused') {
  const clock = { ms: 0, nowMs: () => clock.ms };
  let asked = 0;
  let secret = '';
  const challenge = new KeyChallenge({
    enclave: {
      defaultKey: () => new Uint8Array(32),
      encrypt: (message: Uint8Array, _: unknown, [key]: readonly PublicKey[]) => {
        secret = String.fromCharCode(...message);
        const box = new Uint8Array(48);
        return {
          senderKey: new Uint8Array(32),
          cipherText: message,
          cipherTextNonce: new Uint8Array(24),
          recipientBoxes: [box],
          recipientNonce: new Uint8Array(24),
          recipientKeys: [key!],
          flag: 0,
          affected: [],
          execHash: new Uint8Array(0),
          mandatoryRecipients: [],
          privacyGroupId: new Uint8Array(0),
        };
      },
    },
    wire: { validate: async () => (play(++asked) === 'proven' ? secret : 'another text') },
    entropy: { bytes: (length: number) => new Uint8Array(length).fill(7) },
    clock,
    say: () => undefined,
  } as unknown as KeyChallengeOptions);
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => new Uint8Array(32).fill(i + 1));
  return { challenge, clock, asked: () => asked, keys };
}

it('tries so many keys of one manager in one exchange', async () => {
  const { challenge, asked, keys } = challenging(() => 'proven');
  expect(await challenge.proven('http://a/', keys(200))).toHaveLength(64);
  expect(asked()).toBe(64);
});

it('leaves the rest of a list when four in a row are not proven', async () => {
  const { challenge, asked, keys } = challenging(() => 'refused');
  expect(await challenge.proven('http://a/', keys(60))).toEqual([]);
  expect(asked()).toBe(4);
});

it('asks again about a key that was not proven after a minute, not before', async () => {
  const { challenge, clock, asked, keys } = challenging(() => 'refused');
  await challenge.proven('http://a/', keys(1));
  clock.ms = 59_000;
  await challenge.proven('http://a/', keys(1));
  expect(asked()).toBe(1);
  clock.ms = 60_000;
  await challenge.proven('http://a/', keys(1));
  expect(asked()).toBe(2);
});
