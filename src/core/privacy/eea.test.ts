import { describe, expect, it } from 'vitest';
import { eeaKey, signEea } from '../../../test/support/eea.ts';
import { fromBase64, toBase64 } from '../base/base64.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { checkEea, decodeEea, eeaContractAddress, openEea, partyGroup, sealEea } from './eea.ts';

// Published vectors: transactions of EthSigner's acceptance tests, and group ids and transactions
// of Besu 22.10.3.
const A = 'A1aVtMxLCUHmBVHXoZzzBgPbW/wj5axDpW9X8l91SGo=';
const B = 'Ko2bVqD+nNlNYL5EE7y3IdOnviftjiizpjRt+HTuFBs=';
const TO_PARTIES =
  '0xf8b2078083015f9094627306090abab3a6e1400e9345bc60c78a8bef5780821234820a95a05bf3a05085e247f70aec010c947a43ed0d8bb13f9a2b2da6623b55e4abf55f31a0698583944f016eb7935c867cccdf04c75be0c2496e1902b4c0bb6a5d7a47d3f1a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486ae1a02a8d9b56a0fe9cd94d60be4413bcb721d3a7be27ed8e28b3a6346df874ee141b8a72657374726963746564';
const TO_GROUP =
  '0xf89d078083015f908080821234820a96a0d75f20ec0c707bdfae5c0f8cdb1a7174f4f5bb8dd3f088f446d20627d033ca3ca0552679ce1693485a360f1db2fff8f65636064241837c3e36b288bddd1cd62ec3a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486aa00f200e885ff29e973e2576b6600181d1b0a2b5294e30d9be4a1981ffb33a0b8c8a72657374726963746564';
const OLD =
  '0xf8ef800182520894095e7baea6a6c7c4c2dfeb977efac326af552d87a0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff801ba048b55bfa915ac795c431978d8a6a992b628d557da5ff759b307d495a36649353a01fffd310ac743f371de3b9f7f9cb56c0b28ad43601b4ab949f53faa07bd2c804a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486af842a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486aa02a8d9b56a0fe9cd94d60be4413bcb721d3a7be27ed8e28b3a6346df874ee141b8a72657374726963746564';
const SENDER = '0x6370ef2f4db3611d657b90667de398a2cc2a370c';

describe('the RLP', () => {
  it('to parties names the key of each, and makes their group', () => {
    const tx = decodeEea(fromHex(TO_PARTIES));
    expect([tx.nonce, tx.gasPrice, tx.gasLimit, tx.value]).toEqual([7n, 0n, 90_000n, 0n]);
    expect([toHex(tx.to!), toHex(tx.data), tx.chainId]).toEqual([
      '0x627306090abab3a6e1400e9345bc60c78a8bef57',
      '0x1234',
      1337n,
    ]);
    expect([toBase64(tx.privateFrom), tx.privateFor?.map(toBase64)]).toEqual([A, [B]]);
    expect([toHex(tx.sender), tx.restriction]).toEqual([SENDER, 'restricted']);
    expect(toBase64(tx.groupId)).toBe('DyAOiF/ynpc+JXa2YAGB0bCitSlOMNm+ShmB/7M6C4w=');
  });

  it('to a group names it', () => {
    const tx = decodeEea(fromHex(TO_GROUP));
    expect([tx.privateFor, tx.to, toHex(tx.sender)]).toEqual([undefined, undefined, SENDER]);
    expect(toBase64(tx.groupId)).toBe('DyAOiF/ynpc+JXa2YAGB0bCitSlOMNm+ShmB/7M6C4w=');
  });

  it('may lack replay protection', () => {
    const tx = decodeEea(fromHex(OLD));
    expect([tx.chainId, tx.v, tx.privateFor?.map(toBase64)]).toEqual([undefined, 27n, [A, B]]);
  });

  it.each([
    ['nothing', '0x'],
    ['a public transaction', `0xf87f${OLD.slice(8, 8 + 254)}`],
    ['bytes behind it', `${TO_PARTIES}00`],
    ['half of it', TO_PARTIES.slice(0, 100)],
  ])('refuses %s', (_, raw) => {
    expect(() => decodeEea(fromHex(raw))).toThrow();
  });
});

it('groups are Besu’s, in every order and with repeats', () => {
  const keys = [
    'negmDcN2P4ODpqn/6WkJ02zT/0w0bjhGpkZ8UP6vARk=',
    'g59BmTeJIn7HIcnq8VQWgyh/pDbvbt2eyP0Ii60aDDw=',
    '6fg8q5rWMBoAT2oIiU3tYJbk4b7oAr7dxaaVY7TeM3U=',
  ].map(fromBase64);
  const [a, b, c] = keys as [Uint8Array, Uint8Array, Uint8Array];
  for (const order of [
    [a, b, c],
    [c, b, a],
    [b, a, b, c],
  ]) {
    expect(toBase64(partyGroup(order))).toBe('/xzRjCLioUBkm5LYuzll61GXyrD5x7bvXzQk/ovJA/4=');
  }
  expect(toBase64(partyGroup([a]))).toBe('kAbelwaVW7okoEn1+okO+AbA4Hhz/7DaCOWVQz9nx5M=');
});

it('a contract has another address in another group and at another nonce', () => {
  const [sender, group] = [fromHex(SENDER), eeaKey(1)];
  const addresses = [
    eeaContractAddress(sender, 0n, group),
    eeaContractAddress(sender, 1n, group),
    eeaContractAddress(sender, 0n, eeaKey(2)),
  ].map(toHex);
  expect(new Set(addresses).size).toBe(3);
});

describe('checks, in the words that clients know', () => {
  const good = { privateFrom: eeaKey(1), to: [eeaKey(2)] };
  it.each([
    [{ ...good, value: 1n }, 'We cannot transfer ether in a private transaction yet.'],
    [{ ...good, restriction: 'unrestricted' }, 'Unimplemented private transaction type'],
    [{ ...good, chainId: 1n }, 'Wrong chainId'],
  ])('%#', (fields, text) => {
    expect(() => checkEea(decodeEea(signEea(fields)), 1337n)).toThrow(text);
  });
  it('pass what is right', () => {
    checkEea(decodeEea(signEea(good)), 1337n);
  });
});

it('travels in an envelope that says what it is', () => {
  const tx = decodeEea(fromHex(TO_PARTIES));
  const sealed = sealEea(tx);
  expect(() => JSON.parse(Buffer.from(sealed).toString('latin1'))).toThrow();
  expect(openEea(sealed)).toEqual(tx);
  expect(openEea(fromHex('0x7b7d'))).toBeUndefined();
  expect(openEea(sealed.subarray(0, 60))).toBe(
    'Unable to decode the private signed raw transaction',
  );
});
