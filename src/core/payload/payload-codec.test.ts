import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrivacyFlag } from '../privacy/inputs.ts';
import { type EncodedPayload, NO_METADATA, stripFor } from './payload.ts';
import { decodeCbor, encodeCbor } from './payload-cbor.ts';
import { decodePayload } from './payload-decode.ts';
import { decodeLegacy, encodeLegacy } from './payload-legacy.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

const payload: fc.Arbitrary<EncodedPayload> = fc
  .record({
    flag: fc.constantFrom<PrivacyFlag>(0, 1, 2, 3),
    recipients: fc.integer({ min: 0, max: 5 }),
  })
  .chain(({ flag, recipients }) =>
    fc.record({
      senderKey: bytes(32),
      cipherText: fc.uint8Array({ minLength: 16, maxLength: 400 }),
      cipherTextNonce: bytes(24),
      recipientBoxes: fc.array(bytes(48), { minLength: recipients, maxLength: recipients }),
      recipientNonce: bytes(24),
      recipientKeys: fc.array(bytes(32), { minLength: recipients, maxLength: recipients }),
      flag: fc.constant(flag),
      affected: fc.array(fc.record({ hash: bytes(64), securityHash: bytes(64) }), { maxLength: 3 }),
      execHash:
        flag === 3
          ? bytes(32).map(
              (hash) => new Uint8Array(Buffer.from(Buffer.from(hash).toString('base64'))),
            )
          : bytes(0),
      mandatoryRecipients: flag === 2 ? fc.array(bytes(32), { maxLength: 3 }) : fc.constant([]),
      privacyGroupId: fc.oneof(bytes(0), bytes(32)),
    }),
  );

const plain = (value: EncodedPayload) =>
  JSON.stringify(value, (_, part) =>
    part instanceof Uint8Array ? Buffer.from(part).toString('hex') : part,
  );

const sample: EncodedPayload = {
  senderKey: new Uint8Array(32).fill(1),
  cipherText: new Uint8Array(116).fill(2),
  cipherTextNonce: new Uint8Array(24).fill(3),
  recipientBoxes: [new Uint8Array(48).fill(4)],
  recipientNonce: new Uint8Array(24).fill(5),
  recipientKeys: [new Uint8Array(32).fill(6)],
  ...NO_METADATA,
};

describe('encoded payload', () => {
  it('has the size that Tessera gives for one recipient and 100 clear bytes', () => {
    expect(encodeLegacy(sample).length).toBe(357);
  });

  it('keeps every field in both codecs, told apart by the first byte', () => {
    fc.assert(
      fc.property(payload, (value) => {
        expect(plain(decodeLegacy(encodeLegacy(value)))).toBe(plain({ ...value }));
        const named = (one: EncodedPayload) => plain({ ...NO_METADATA, ...one });
        expect(named(decodePayload(encodeLegacy(value)))).toBe(
          named(decodeLegacy(encodeLegacy(value))),
        );
        const viaCbor = decodePayload(encodeCbor(value));
        for (const [name, part] of Object.entries(value)) {
          expect(JSON.stringify(viaCbor[name as keyof EncodedPayload]), name).toBe(
            JSON.stringify(part),
          );
        }
      }),
    );
  });

  it('writes CBOR as a map of eleven named fields, and reads the older bare sequence', () => {
    const encoded = Buffer.from(encodeCbor(sample));
    expect(encoded[0]).toBe(0xab);
    expect(encoded.subarray(1, 8).toString('latin1')).toBe('fsender');
    const head = (length: number) =>
      length < 24 ? Buffer.of(0x40 | length) : Buffer.of(0x58, length);
    const string = (part: Uint8Array) => Buffer.concat([head(part.length), part]);
    const one = (part: Uint8Array) =>
      Buffer.concat([Buffer.of(0x9f), string(part), Buffer.of(0xff)]);
    const none = Buffer.of(0x9f, 0xff);
    const sequence = Buffer.concat([
      string(sample.senderKey),
      string(sample.cipherText),
      string(sample.cipherTextNonce),
      string(sample.recipientNonce),
      one(sample.recipientBoxes[0]!),
      one(sample.recipientKeys[0]!),
      Buffer.of(0),
      none,
      string(new Uint8Array(0)),
      none,
      string(new Uint8Array(0)),
    ]);
    const decoded = decodeCbor(sequence);
    expect(Buffer.from(encodeLegacy(decoded)).equals(Buffer.from(encodeLegacy(sample)))).toBe(true);
  });

  it('throws PAYLOAD_INVALID, and nothing else, on arbitrary and on damaged bytes', () => {
    const check = (input: Uint8Array) => {
      for (const decode of [decodeLegacy, decodeCbor, decodePayload]) {
        try {
          decode(input);
        } catch (error) {
          expect(['PAYLOAD_INVALID', 'BASE64_INVALID']).toContain((error as { code: string }).code);
        }
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), check));
    fc.assert(
      fc.property(payload, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, where, flip) => {
        for (const encoded of [encodeLegacy(value), encodeCbor(value)]) {
          const damaged = encoded.slice();
          damaged[where % damaged.length] = damaged[where % damaged.length]! ^ flip;
          check(damaged);
          check(encoded.subarray(0, where % encoded.length));
        }
      }),
    );
  });

  it('has an execution hash that a node can decode, or none', () => {
    for (const text of ['x', 'A'.repeat(44), `${'*'.repeat(43)}=`]) {
      const bad = { ...sample, flag: 3 as const, execHash: new Uint8Array(Buffer.from(text)) };
      expect(() => decodeLegacy(encodeLegacy(bad)), text).toThrow(/wrong|invalid/);
      expect(() => decodeCbor(encodeCbor(bad)), text).toThrow(/invalid/);
    }
  });

  it('is cut down to one box for a recipient; under state validation all keys stay, its own first', () => {
    const keys = [1, 2, 3].map((n) => new Uint8Array(32).fill(n));
    const boxes = [11, 12, 13].map((n) => new Uint8Array(48).fill(n));
    const full = { ...sample, recipientKeys: keys, recipientBoxes: boxes };
    expect(stripFor(full, keys[1]!)).toMatchObject({
      recipientKeys: [keys[1]],
      recipientBoxes: [boxes[1]],
    });
    expect(stripFor({ ...full, flag: 3 }, keys[1]!)).toMatchObject({
      recipientKeys: [keys[1], keys[0], keys[2]],
      recipientBoxes: [boxes[1]],
    });
    expect(() => stripFor(full, new Uint8Array(32).fill(9))).toThrow(/is not a recipient/);
  });
});
