import { describe, expect, it, type TestContext } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS, readJson } from '../../../test/vectors/folders.ts';
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

describe('official RLP tests', READS_PUBLIC_VECTORS, () => {
  const readTests = (context: TestContext, file: string) =>
    Object.entries<any>(
      readJson(`${publicVectorsFor(context)}/public/core-tests/RLPTests/${file}`),
    );

  it('encode and decode', (context) => {
    const tests = readTests(context, 'rlptest.json');
    expect(tests.length).toBeGreaterThan(20);
    for (const [name, test] of tests) {
      const value = rlpValueOf(test.in);
      expect([name, toHex(encodeRlp(value))]).toEqual([name, test.out]);
      expect(encodeRlp(decodeRlp(fromHex(test.out)))).toEqual(fromHex(test.out));
    }
  });

  it.for(['invalidRLPTest.json', 'RandomRLPTests.example.json'])('%s', (file, context) => {
    for (const [name, test] of readTests(context, file)) {
      const bytes = fromHex(test.out);
      const decode = () => decodeRlp(bytes);
      if (test.in === 'INVALID') expect(decode, name).toThrow('rlp: ');
      else expect(toHex(encodeRlp(decode())), name).toBe(toHex(bytes));
    }
  });
});
