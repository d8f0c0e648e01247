import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EnclaveCrypto } from '../../../core/payload/enclave-crypto.ts';
import {
  type EncodedPayload,
  NO_METADATA,
  type PublicKey,
  stripFor,
} from '../../../core/payload/payload.ts';
import { loadEnclaveCrypto } from '../../../io/sodium/nacl.ts';
import { Arrivals } from './arrivals.ts';
import { Enclave } from './enclave.ts';

const JUNK = new Uint8Array(48).fill(7);
let crypto: EnclaveCrypto;
let count = 0;
const entropy = {
  bytes: (length: number) => crypto.digest(Uint8Array.of(count++)).slice(0, length),
};
beforeAll(async () => {
  crypto = await loadEnclaveCrypto();
});

function enclaveOf(...ids: number[]): Enclave {
  const keys = ids.map((id) => {
    const secretKey = crypto.digest(Uint8Array.of(id)).slice(0, 32);
    return { secretKey, publicKey: crypto.publicKey(secretKey) };
  });
  return new Enclave({ keys, forwardingKeys: [], crypto, entropy });
}

/**
 * A payload of a sender for two keys of ours and one of somebody else's; in the
 * form that our peers push it: one message per key.
 */
function sent(flag: 0 | 3 = 0) {
  const [sender, ours, other] = [enclaveOf(1), enclaveOf(2, 3), enclaveOf(4)];
  const recipients = [...ours.publicKeys, ...other.publicKeys, ...sender.publicKeys];
  const message = Uint8Array.of(1, 2, 3);
  const metadata = { ...NO_METADATA, flag };
  const whole = sender.encrypt(message, sender.defaultKey(), recipients, metadata);
  const [a, b] = ours.publicKeys.map((key) => stripFor(whole, key));
  return { sender, ours, other, whole, message, a: a!, b: b!, arrivals: new Arrivals(ours) };
}

const junkFor = (payload: EncodedPayload, ...recipientKeys: PublicKey[]): EncodedPayload => ({
  ...payload,
  recipientKeys,
  recipientBoxes: recipientKeys.length > 0 ? recipientKeys.map(() => JUNK) : [JUNK],
});

describe('an arriving payload', () => {
  it('is held as it came, with the box of a second own key in front of the first', () => {
    for (const flag of [0, 3] as const) {
      const { arrivals, a, b } = sent(flag);
      const held = arrivals.merge(undefined, arrivals.admit(a, false))!;
      expect(held).toEqual(a);
      const merged = arrivals.merge(held, arrivals.admit(b, false))!;
      expect(merged.recipientBoxes).toEqual([b.recipientBoxes[0], a.recipientBoxes[0]]);
      expect(merged.recipientKeys.slice(0, 2)).toEqual([b.recipientKeys[0], a.recipientKeys[0]]);
      expect(merged.recipientKeys).toHaveLength(flag === 3 ? 4 : 2);
      for (const again of [a, b]) {
        expect(arrivals.merge(merged, arrivals.admit(again, false))).toBeUndefined();
      }
    }
  });

  it('is reduced to the boxes that open; with none of them it is refused', () => {
    const { arrivals, whole, a, ours, other } = sent();
    const admitted = arrivals.admit(whole, false);
    expect(admitted.recipientBoxes).toHaveLength(2);
    expect(admitted.recipientKeys.slice(0, 2)).toEqual(ours.publicKeys);
    for (const junk of [
      junkFor(a, ...ours.publicKeys),
      junkFor(a),
      stripFor(whole, other.defaultKey()),
      { ...a, recipientKeys: [other.defaultKey()] },
    ]) {
      expect(() => arrivals.admit(junk, false)).toThrow('none of the keys of this manager opens');
    }
  });

  it('has so many boxes tried, and the others left out', () => {
    const { arrivals, a } = sent();
    const [own] = a.recipientBoxes;
    const boxes = (before: number) => [...Array<Uint8Array>(before).fill(JUNK), own!];
    const bare = { ...a, recipientKeys: [] };
    const last = arrivals.admit({ ...bare, recipientBoxes: boxes(255) }, false);
    expect(last.recipientBoxes).toEqual([own]);
    const beyond = { ...bare, recipientBoxes: boxes(256) };
    expect(() => arrivals.admit(beyond, false)).toThrow('none of the keys of this manager opens');
  });

  it('may have boxes without keys, as of very old peers, beside such with keys', () => {
    const { arrivals, ours, a, b } = sent();
    const bare = { ...b, recipientKeys: [] };
    const held = arrivals.merge(undefined, arrivals.admit(a, false))!;
    const merged = arrivals.merge(held, arrivals.admit(bare, false))!;
    expect(merged.recipientKeys).toEqual([b.recipientKeys[0], a.recipientKeys[0]]);
    const first = arrivals.merge(undefined, arrivals.admit(bare, false))!;
    expect(first.recipientKeys).toEqual([]);
    const both = arrivals.merge(first, arrivals.admit(a, false))!;
    for (const key of ours.publicKeys) expect(ours.open(both, key)).toBeDefined();
  });

  it('takes the place of one that nobody opens, and refuses to be another one than is held', () => {
    const { arrivals, ours, a } = sent();
    const arrived = arrivals.admit(a, false);
    expect(arrivals.merge(junkFor(a, ours.defaultKey()), arrived)).toEqual(arrived);
    expect(arrivals.merge({ ...junkFor(a), flag: 1 }, arrived)).toEqual(arrived);
    expect(() => arrivals.merge(a, { ...arrived, flag: 1 })).toThrow(
      'Invalid existing transaction',
    );
    const psv = sent(3);
    const stranger = { ...psv.b, recipientKeys: [psv.b.recipientKeys[0]!] };
    const listed = { ...psv.a, recipientKeys: [psv.a.recipientKeys[0]!] };
    expect(() => psv.arrivals.merge(listed, psv.arrivals.admit(stranger, false))).toThrow(
      'expected recipient not found',
    );
  });

  it('in our own name is taken back in a recovery only, with our own box in front', () => {
    const { sender, whole, other, message } = sent();
    const arrivals = new Arrivals(sender);
    const back = stripFor(whole, other.defaultKey());
    expect(() => arrivals.admit(back, false)).toThrow('none of the keys');
    const held = arrivals.merge(undefined, arrivals.admit(back, true))!;
    expect(held.recipientKeys).toEqual([sender.defaultKey(), other.defaultKey()]);
    expect(held.recipientBoxes).toEqual([whole.recipientBoxes[3], whole.recipientBoxes[2]]);
    expect(sender.decrypt(held)).toEqual(message);
  });
});

it('is found among boxes that 0.1.0 put in front of it, at its recipient and at its sender', () => {
  const { sender, ours, whole, message, a } = sent();
  const poisoned = {
    ...whole,
    recipientBoxes: [JUNK, ...whole.recipientBoxes],
    recipientKeys: [...whole.recipientKeys],
  };
  for (const enclave of [sender, ours]) expect(enclave.decrypt(poisoned)).toEqual(message);
  const own = { ...a, recipientBoxes: [JUNK, ...a.recipientBoxes] };
  expect(ours.decrypt(own)).toEqual(message);
  expect(ours.decrypt(own, ours.publicKeys[1])).toBeUndefined();
});

it('no order of arrivals, forged or true, takes away what opens', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0 as const, 3 as const),
      fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 12 }),
      (flag, picks) => {
        const { arrivals, ours, other, whole, message, a, b } = sent(flag);
        const offers = [
          a,
          b,
          whole,
          { ...a, recipientKeys: [] },
          junkFor(a, ours.publicKeys[0]!),
          junkFor(b, ...ours.publicKeys),
          junkFor(a),
          { ...b, recipientKeys: [other.defaultKey(), ...b.recipientKeys] },
        ];
        let held: EncodedPayload | undefined;
        const opened = new Set<PublicKey>();
        for (const pick of picks) {
          try {
            held = arrivals.merge(held, arrivals.admit(offers[pick]!, false)) ?? held;
          } catch {
            continue;
          }
          for (const key of ours.publicKeys) if (ours.open(held!, key)) opened.add(key);
          for (const key of opened) expect(ours.decrypt(held!, key)).toEqual(message);
          expect(opened.size).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 60 },
  );
});
