import { beforeEach, describe, expect, it } from 'vitest';
import { keySigner } from '../../../../test/support/bft-chain.ts';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import { hasCode } from '../../../core/base/errors.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { numberToBytes } from '../../../core/base/quantity.ts';
import { FarSigner, HASHES_MAX, RETRY_MS } from './far-signer.ts';

const KEY = keySigner(1);
const hashOf = (number: number) => keccak256(numberToBytes(number));

describe('a signer whose key a proxy keeps', () => {
  let time: VirtualTime;
  let isDead: boolean;
  let arrived: number;
  let asked: number;
  let signer: FarSigner;

  beforeEach(() => {
    time = new VirtualTime(0);
    [isDead, arrived, asked] = [false, 0, 0];
    const sign = async (hash: Uint8Array) => {
      asked++;
      if (isDead) throw new Error('nothing listens there');
      return KEY.sign(hash);
    };
    signer = new FarSigner({
      ...{ key: { sign }, address: KEY.address, timers: time },
      arrived: () => arrived++,
    });
  });

  /** undefined: it is awaited. */
  function signatureOf(number: number): Uint8Array | undefined {
    try {
      return signer.sign(hashOf(number));
    } catch (error) {
      if (hasCode(error, 'SIGNATURE_AWAITED')) return undefined;
      throw error;
    }
  }

  it('asks once for each hash, and has the signature when it has told so', async () => {
    expect(signatureOf(1)).toBeUndefined();
    expect(signatureOf(1)).toBeUndefined();
    await time.pass(1);
    expect([asked, arrived]).toEqual([1, 1]);
    expect(signatureOf(1)).toEqual(KEY.sign(hashOf(1)));
    expect(asked).toBe(1);
  });

  it('asks a silent proxy for one signature at a time, and comes back by itself', async () => {
    isDead = true;
    for (let number = 0; number < 5; number++) signatureOf(number);
    await time.pass(1);
    const before = asked;
    expect(signatureOf(5)).toBeUndefined();
    expect(asked).toBe(before);
    await time.pass(10 * RETRY_MS);
    expect(asked - before).toBeGreaterThan(5);
    expect(asked - before).toBeLessThan(12);
    expect(arrived).toBe(0);
    isDead = false;
    await time.pass(2 * RETRY_MS);
    for (let number = 0; number < 6; number++)
      expect(signatureOf(number)).toEqual(KEY.sign(hashOf(number)));
  });

  it('forgets the oldest hashes while the proxy is silent', async () => {
    isDead = true;
    for (let number = 0; number < 3 * HASHES_MAX; number++) signatureOf(number);
    await time.pass(1);
    isDead = false;
    const before = asked;
    await time.pass(2 * RETRY_MS);
    expect(asked - before).toBe(HASHES_MAX);
    expect(signatureOf(3 * HASHES_MAX - 1)).toBeDefined();
  });
});
