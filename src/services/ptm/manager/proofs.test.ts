import { beforeAll, expect, it } from 'vitest';
import { toBase64 } from '../../../core/base/base64.ts';
import type { EnclaveCrypto } from '../../../core/payload/enclave-crypto.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import { loadEnclaveCrypto } from '../../../io/sodium/nacl.ts';
import { Enclave } from './enclave.ts';
import { Proofs } from './proofs.ts';

const REQUEST = { path: '/resend', body: Uint8Array.of(1, 2, 3) };
let crypto: EnclaveCrypto;
let nowMs = 0;
beforeAll(async () => {
  crypto = await loadEnclaveCrypto();
});

function holder(id: number) {
  const secretKey = crypto.digest(Uint8Array.of(id)).slice(0, 32);
  const key = crypto.publicKey(secretKey);
  const entropy = {
    bytes: (length: number) => crypto.digest(Uint8Array.of(id, 9)).slice(0, length),
  };
  const keys = [{ publicKey: key, secretKey }];
  const enclave = new Enclave({ keys, forwardingKeys: [], crypto, entropy });
  return {
    key,
    enclave,
    proofs: new Proofs({ enclave, crypto, entropy, clock: { nowMs: () => nowMs } }),
  };
}

it('only the holder of a key answers a challenge, for one request, for a few minutes', () => {
  nowMs = 0;
  const [asked, peer, other] = [holder(1), holder(2), holder(3)];
  const challenge = asked.proofs.challenge(peer.key);
  const proof = peer.proofs.answer(challenge, peer.key, [asked.key], REQUEST)!;
  expect(asked.proofs.accepts(peer.key, REQUEST, proof)).toBe(true);
  expect(asked.proofs.accepts(other.key, REQUEST, proof)).toBe(false);
  expect(asked.proofs.accepts(peer.key, { ...REQUEST, path: '/resendBatch' }, proof)).toBe(false);
  expect(asked.proofs.accepts(peer.key, { ...REQUEST, body: Uint8Array.of(1, 2) }, proof)).toBe(
    false,
  );
  for (const wrong of ['', `${proof}=`, proof.slice(4), 'x'.repeat(proof.length)]) {
    expect(asked.proofs.accepts(peer.key, REQUEST, wrong)).toBe(false);
  }
  expect(other.proofs.answer(challenge, other.key, [asked.key], REQUEST)).toBeUndefined();
  nowMs = 5 * 60_000;
  expect(asked.proofs.accepts(peer.key, REQUEST, proof)).toBe(true);
  nowMs = 10 * 60_000;
  expect(asked.proofs.accepts(peer.key, REQUEST, proof)).toBe(false);
  expect(holder(4).proofs.accepts(peer.key, REQUEST, proof)).toBe(false);
});

it('nobody has their challenge answered in the name of another manager, or decrypts through one', () => {
  const [asked, peer, thief] = [holder(1), holder(2), holder(3)];
  // The peer asks the thief, which passes on the challenge that it got from the other manager.
  const challenge = asked.proofs.challenge(peer.key);
  expect(peer.proofs.answer(challenge, peer.key, [thief.key], REQUEST)).toBeUndefined();
  const sealed = thief.enclave.encrypt(new Uint8Array(57).fill(65), thief.key, [peer.key]);
  expect(
    peer.proofs.answer(toBase64(encodeLegacy(sealed)), peer.key, [thief.key], REQUEST),
  ).toBeUndefined();
  for (const garbage of ['', '!', 'AAAA', challenge.slice(0, 40)]) {
    expect(peer.proofs.answer(garbage, peer.key, [asked.key], REQUEST)).toBeUndefined();
  }
});
