import { describe, expect, it } from 'vitest';
import { MAIL } from '../../../test/support/typed-data.ts';
import { toHex } from './hex.ts';
import { typedDataHash } from './typed-data.ts';

const MAIL_HASH = '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2';

function numbered(type: string, value: unknown) {
  return {
    types: { EIP712Domain: [{ name: 'name', type: 'string' }], Box: [{ name: 'value', type }] },
    primaryType: 'Box',
    domain: { name: 'test' },
    message: { value },
  };
}

const hashOf = (value: unknown) => toHex(typedDataHash(value));

describe('typed data', () => {
  it('of the example hash as the proposal says', () => {
    expect(hashOf(MAIL)).toBe(MAIL_HASH);
  });

  it('of the domain alone are the domain', () => {
    const domain = { ...MAIL, primaryType: 'EIP712Domain' };
    expect(hashOf({ ...domain, message: {} })).toBe(hashOf({ ...domain, message: undefined }));
    expect(hashOf(domain)).not.toBe(MAIL_HASH);
  });

  it('spell integers as numbers, decimal or hex', () => {
    const hashes = [16, '16', '0x10'].map((value) => hashOf(numbered('uint256', value)));
    expect(new Set(hashes).size).toBe(1);
    expect(hashOf(numbered('int8', -1))).toBe(hashOf(numbered('int8', '-0x1')));
  });

  it.each([
    ['no object', 'text', /the typed data must be an object/],
    ['no types', { ...MAIL, types: undefined }, /types must be an object/],
    [
      'no types of the domain',
      { ...MAIL, types: { ...MAIL.types, EIP712Domain: undefined } },
      /types.EIP712Domain must be/,
    ],
    ['none at all', { ...MAIL, types: { Mail: [] } }, /types.EIP712Domain is missing/],
    [
      'an unknown primary type',
      { ...MAIL, primaryType: 'Post' },
      /type Post is not among the types/,
    ],
    ['a type named as a member of all objects', { ...MAIL, primaryType: 'toString' }, /toString/],
    [
      'a missing field',
      { ...MAIL, message: { ...MAIL.message, contents: undefined } },
      /message.contents is missing/,
    ],
    ['an integer that is too large', numbered('uint8', 256), /message.value does not fit/],
    ['a negative unsigned one', numbered('uint256', -1), /does not fit/],
    ['one that JSON does not hold exactly', numbered('uint256', 2 ** 60), /must be an integer/],
    ['a fraction', numbered('uint256', '1.5'), /must be an integer/],
    ['an odd size', numbered('uint7', 1), /no integers of 7 bits/],
    ['bytes of another length', numbered('bytes4', '0x00'), /must have 4 bytes/],
    ['too long fixed bytes', numbered('bytes33', '0x00'), /no type bytes33/],
    ['a short address', numbered('address', '0x00'), /must have 20 bytes/],
    ['an array of another length', numbered('bool[2]', [true]), /must have 2 elements/],
    ['an unknown type', numbered('Cat', {}), /there is no type Cat/],
  ])('are refused with %s', (_, data, text) => {
    expect(() => typedDataHash(data)).toThrow(text);
  });

  it('that contain themselves are refused', () => {
    const box: Record<string, unknown> = {};
    box.value = box;
    expect(() => typedDataHash(numbered('Box', box))).toThrow(/more than 64 levels/);
  });
});
