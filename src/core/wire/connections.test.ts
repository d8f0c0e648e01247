import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeConnections, encodeConnections } from './connections.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });

it('connections come out as they went in', () => {
  fc.assert(
    fc.property(fc.array(address, { maxLength: 200 }), (peers) => {
      expect(decodeConnections(encodeConnections(peers))).toEqual(peers);
    }),
  );
});

it('more connections than any network has, and garbage, are refused', () => {
  const many = Array.from({ length: 5000 }, () => new Uint8Array(20));
  expect(decodeConnections(encodeConnections(many))).toHaveLength(4096);
  const list = encodeConnections(many.slice(0, 4096));
  // The same list with one more entry; the length of a list is in its bytes 1 to 3.
  const longer = new Uint8Array(list.length + 21);
  longer.set(list);
  longer[list.length] = 0x94;
  const payload = longer.length - 4;
  longer.set([0xfa, payload >> 16, (payload >> 8) & 0xff, payload & 0xff]);
  expect(() => decodeConnections(longer)).toThrow('a peer may name 4096 connections');
  expect(() => decodeConnections(Uint8Array.of(0xc1, 0x05))).toThrow('expected 20 bytes');
});
