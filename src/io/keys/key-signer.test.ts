import { createECDH, createSign, generateKeyPairSync } from 'node:crypto';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../core/base/hex.ts';
import { recoverAddress } from '../../core/base/secp256k1.ts';
import { sha256 } from '../../core/base/sha256.ts';
import { completeSignature, signatureOfDer } from '../../core/signing/remote-signature.ts';
import { Gate, inParallel } from '../threads/parallel.ts';
import { RemoteSigner } from './key-signer.ts';

/** A key in OpenSSL, whose signatures may have a high s. */
function opensslKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url'));
  const publicKey = new Uint8Array(ecdh.getPublicKey().subarray(1));
  const der = (message: Uint8Array) => createSign('sha256').update(message).sign(privateKey);
  return { publicKey, der };
}

describe('signatures that come from elsewhere', () => {
  it('become low, with the recovery id of the key', async () => {
    const { publicKey, der } = opensslKey();
    let high = 0;
    for (let i = 0; i < 40; i++) {
      const message = Uint8Array.of(i);
      const digest = sha256(message);
      const given = signatureOfDer(der(message));
      const signature = completeSignature(digest, given, publicKey);
      const s = BigInt(toHex(signature.subarray(32, 64)));
      expect(s <= noble.Point.Fn.ORDER / 2n).toBe(true);
      if (BigInt(toHex(given.subarray(32))) !== s) high += 1;
      const signer = new RemoteSigner(publicKey, async () => given);
      expect(recoverAddress(digest, await signer.sign(digest))).toEqual(signer.address);
      expect(
        noble.verify(signature.subarray(0, 64), digest, Uint8Array.of(4, ...publicKey), {
          prehash: false,
        }),
      ).toBe(true);
    }
    expect(high).toBeGreaterThan(0);
    const digest = sha256(Uint8Array.of(1));
    const other = opensslKey();
    const signer = new RemoteSigner(publicKey, async () =>
      signatureOfDer(other.der(Uint8Array.of(1))),
    );
    await expect(signer.sign(digest)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
    signer.forget();
    await expect(signer.sign(digest)).rejects.toThrow(/was removed/);
  });

  it('are distinguished from other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          expect(signatureOfDer(bytes).length).toBe(64);
        } catch (error) {
          expect(error).toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
        }
      }),
    );
    const { der } = opensslKey();
    const good = der(Uint8Array.of(1));
    for (let at = 0; at < good.length; at++) {
      expect(() => signatureOfDer(good.subarray(0, at))).toThrow(/signature/);
    }
  });
});

describe('a gate', () => {
  it('lets so many in at once, urgent ones first, and turns away what is too much', async () => {
    const gate = new Gate({ width: 2, waitingMax: 3 });
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) => () => {
      order.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const all = [
      gate.run(work('a')),
      gate.run(work('b')),
      gate.run(work('c'), false),
      gate.run(work('d')),
      gate.run(work('e')),
    ];
    await expect(gate.run(work('f'))).rejects.toMatchObject({ code: 'GATE_FULL' });
    while (order.length < 5 || ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'd', 'e', 'c']);
    await expect(gate.run(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await gate.run(async () => 1)).toBe(1);
  });

  it('works through a list, at most so many at once, and stops at a failure', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      done.push(item);
    });
    expect([most, done.length]).toEqual([2, 5]);
    const failing = inParallel([1, 2, 3, 4], 1, async (item) => {
      if (item === 2) throw new Error('two');
      done.push(item);
    });
    await expect(failing).rejects.toThrow('two');
    expect(done.length).toBe(6);
  });
});
