import { AbiCoder } from 'ethers';
import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import { expect, it } from 'vitest';
import { readValue, showValue, ValueFault } from './values.ts';

const PAIR = {
  type: 'tuple',
  components: [
    { name: 'a', type: 'uint8' },
    { name: 'b', type: 'string' },
  ],
};

it.each<[string, string, unknown]>([
  ['uint256', '12', 12n],
  ['uint8', '0xff', 255n],
  ['int8', '-128', -128n],
  ['bool', 'true', true],
  ['bytes2', '0x0102', '0x0102'],
  ['string', ' a ', ' a '],
  ['uint8[]', '[1, "2"]', [1n, 2n]],
  ['string[2]', '["a", "b"]', ['a', 'b']],
  ['address', ` 0x${'ab'.repeat(20)} `, `0x${'ab'.repeat(20)}`],
])('%s: %s', (type, text, value) => {
  expect(readValue({ type }, text)).toEqual(value);
});

it('reads structures by names and by positions', () => {
  expect(readValue(PAIR, '{"a": 1, "b": "x"}')).toEqual({ a: 1n, b: 'x' });
  expect(readValue(PAIR, '[1, "x"]')).toEqual({ a: 1n, b: 'x' });
});

it.each([
  ['uint8', '256'],
  ['uint256', '-1'],
  ['int8', '128'],
  ['uint256', ''],
  ['uint256', '1.5'],
  ['bool', 'yes'],
  ['bytes2', '0x01'],
  ['address', '0x12'],
  ['address', '0xFE3B557E8Fb62b89F4916B721be55cEb828dBd73'.replace('F', 'f').replace('e', 'E')],
  ['uint8[2]', '[1]'],
  ['uint8[]', '{'],
  ['tuple', '1'],
])('%s: not %s', (type, text) => {
  expect(() => readValue({ type, components: PAIR.components } as never, text)).toThrow(ValueFault);
});

it("agrees with another library's encoding", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), (numbers) => {
      const parameter = { type: 'uint256[]' };
      const value = readValue(parameter, JSON.stringify(numbers.map(String)));
      const encoded = AbiCoder.defaultAbiCoder().encode(['uint256[]'], [numbers]);
      expect(encodeAbiParameters([parameter], [value])).toBe(encoded);
      expect(showValue(value)).toBe(JSON.stringify(numbers.map(String)));
    }),
  );
});
