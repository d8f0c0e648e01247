import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displaced, type Occupant } from './places.ts';

const stranger = (address: string): Occupant => ({ address, isKnown: false });
const known = (address: string): Occupant => ({ address, isKnown: true });
const many = (count: number, address: string) =>
  Array.from({ length: count }, () => stranger(address));

describe('places of peers', () => {
  it('are taken by known peers from the youngest of the most crowded block', () => {
    const occupants = [stranger('9.9.9.1'), ...many(3, '1.2.3.4'), stranger('8.8.8.8')];
    expect(displaced(known('1.2.3.9'), occupants)).toBe(occupants[3]);
    expect(displaced(known('1.2.3.9'), [known('1.1.1.1')])).toBeUndefined();
    const spread = [stranger('1.1.1.1'), stranger('2.2.2.2')];
    expect(displaced(known('3.3.3.3'), spread)).toBe(spread[1]);
    expect(displaced(stranger('3.3.3.3'), spread)).toBeUndefined();
  });

  it('are given up by a block that has many, and inside it by an address', () => {
    const crowd = many(3, '1.2.3.4');
    expect(displaced(stranger('1.2.3.5'), crowd)).toBe(crowd[2]);
    const block = ['5.6.7.1', '5.6.7.2', '5.6.7.3'].map(stranger);
    expect(displaced(stranger('9.9.9.9'), block)).toBe(block[2]);
    expect(displaced(stranger('5.6.7.9'), block)).toBeUndefined();
  });

  it('are kept where all come from different blocks', () => {
    const spread = ['1.1.1.1', '2.2.2.2', '3.3.3.3'].map(stranger);
    expect(displaced(stranger('4.4.4.4'), spread)).toBeUndefined();
  });

  it('count IPv6 by its first 48 bits', () => {
    const crowd = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1::7'].map(stranger);
    expect(displaced(stranger('2001:db8:2::1'), crowd)).toBe(crowd[2]);
    expect(displaced(stranger('2001:db8:1:9::1'), crowd)).toBeUndefined();
  });

  it('never leave a known peer without one, nor swap forever', () => {
    // Addresses of which some are crowded by address, others by block.
    const mixed = ['::1', '1.1.1.1', '1.1.1.2', '::1', '1.1.1.2', '1.1.1.1'];
    const strangers = mixed.map((address) => ({ address, isKnown: false }));
    const address = fc.constantFrom('1.1.1.1', '1.1.1.2', '2.2.2.2', '3.3.3.3', '::1');
    const peer = fc.record({ address, isKnown: fc.boolean() });
    fc.assert(
      fc.property(fc.array(peer, { maxLength: 12 }), peer, (occupants, newcomer) => {
        const leaves = displaced(newcomer, occupants);
        if (!leaves) return;
        expect(leaves.isKnown).toBe(false);
        const after = [...occupants.filter((one) => one !== leaves), newcomer];
        expect(displaced({ ...leaves }, after)).not.toBe(newcomer);
      }),
      { examples: [[strangers, { address: '::1', isKnown: false }]] },
    );
  });
});
