import { describe, expect, it } from 'vitest';
import { readJson, sharedVectors } from '../../../test/vectors/folders.ts';
import { fromHex, toHex } from './hex.ts';
import { bigIntToBytes } from './quantity.ts';
import { decodeRlp, encodeRlp, type RlpValue } from './rlp.ts';

const utf8 = new TextEncoder();

function rlpValueOf(json: unknown): RlpValue {
  if (Array.isArray(json)) return json.map(rlpValueOf);
  if (typeof json === 'number') return bigIntToBytes(BigInt(json));
  const text = String(json);
  return text.startsWith('#') ? bigIntToBytes(BigInt(text.slice(1))) : utf8.encode(text);
}

describe('official RLP tests', () => {
  const root = sharedVectors();
  if (!root) {
    it('are absent', () => console.warn('PUBLIC VECTORS ARE ABSENT: RLP tests were not run'));
    return;
  }
  const folder = `${root}/public/core-tests/RLPTests`;

  it('encode and decode', () => {
    const tests = Object.entries<any>(readJson(`${folder}/rlptest.json`));
    expect(tests.length).toBeGreaterThan(20);
    for (const [name, test] of tests) {
      const value = rlpValueOf(test.in);
      expect([name, toHex(encodeRlp(value))]).toEqual([name, test.out]);
      expect(encodeRlp(decodeRlp(fromHex(test.out)))).toEqual(fromHex(test.out));
    }
  });

  it.each(['invalidRLPTest.json', 'RandomRLPTests.example.json'])('%s', (file) => {
    for (const [name, test] of Object.entries<any>(readJson(`${folder}/${file}`))) {
      const bytes = fromHex(test.out);
      const decode = () => decodeRlp(bytes);
      if (test.in === 'INVALID') expect(decode, name).toThrow('rlp: ');
      else expect(toHex(encodeRlp(decode())), name).toBe(toHex(bytes));
    }
  });
});
