import { randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextFrame } from '../../../test/support/next-frame.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { localNodeKey } from '../../core/base/node-key.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { KeccakState } from '../crypto/keccak-wasm.ts';
import { eciesDecrypt, eciesEncrypt } from './ecies.ts';
import { answerAuth, InitiatorHandshake, type Secrets } from './handshake.ts';
import { type Frame, RlpxSession } from './rlpx-session.ts';

const BYTES_MAX = 1 << 24;
const PIECE_BYTES = 256 * 1024;
const keys = [randomBytes(32), randomBytes(32)].map((key) => new Uint8Array(key));
const publicKey = (i: number) => secp256k1().publicKey(keys[i]!);

function agree(): { initiator: Secrets; recipient: Secrets } {
  const handshake = new InitiatorHandshake(localNodeKey(keys[0]!), publicKey(1), randomBytes);
  const answer = answerAuth(localNodeKey(keys[1]!), handshake.auth, randomBytes)!;
  expect(answer.remoteKey).toEqual(publicKey(0));
  return { initiator: handshake.read(answer.ack)!.secrets, recipient: answer.secrets };
}

describe('handshake', () => {
  it('both sides derive the same, whatever the padding', () => {
    for (let i = 0; i < 20; i++) {
      const { initiator, recipient } = agree();
      expect(recipient.aes).toEqual(initiator.aes);
      expect(recipient.mac).toEqual(initiator.mac);
      expect(recipient.ingressSeed).toEqual(initiator.egressSeed);
      expect(recipient.egressSeed).toEqual(initiator.ingressSeed);
    }
  });

  it('waits for whole packets and leaves what follows', () => {
    const handshake = new InitiatorHandshake(localNodeKey(keys[0]!), publicKey(1), randomBytes);
    for (let length = 0; length < handshake.auth.length; length += 97) {
      expect(
        answerAuth(localNodeKey(keys[1]!), handshake.auth.subarray(0, length), randomBytes),
      ).toBeUndefined();
    }
    const answer = answerAuth(localNodeKey(keys[1]!), handshake.auth, randomBytes)!;
    expect(answer.used).toBe(handshake.auth.length);
    const more = concatBytes(answer.ack, new Uint8Array(100));
    expect(handshake.read(more)?.used).toBe(answer.ack.length);
  });

  it('answers the plain form in kind', () => {
    const ephemeral = new Uint8Array(randomBytes(32));
    const nonce = new Uint8Array(randomBytes(32));
    const token = secp256k1().sharedX(keys[0]!, publicKey(1));
    const signed = secp256k1().sign(
      token.map((byte, i) => byte ^ nonce[i]!),
      ephemeral,
    );
    const message = concatBytes(
      signed.signature,
      Uint8Array.of(signed.recovery),
      keccak_256(secp256k1().publicKey(ephemeral)),
      publicKey(0),
      nonce,
      Uint8Array.of(0),
    );
    const random = {
      secretKey: new Uint8Array(randomBytes(32)),
      iv: new Uint8Array(randomBytes(16)),
    };
    const packet = eciesEncrypt(publicKey(1), message, new Uint8Array(0), random);
    const answer = answerAuth(localNodeKey(keys[1]!), packet, randomBytes)!;
    expect(answer.remoteKey).toEqual(publicKey(0));
    const ack = eciesDecrypt(localNodeKey(keys[0]!), answer.ack, new Uint8Array(0))!;
    expect(ack.length).toBe(97);
  });

  it('damage anywhere is refused with a code', () => {
    const { auth } = new InitiatorHandshake(localNodeKey(keys[0]!), publicKey(1), randomBytes);
    fc.assert(
      fc.property(fc.nat(auth.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = auth.slice();
        bytes[at]! ^= flip;
        let fault = 'none';
        let answer: unknown;
        try {
          answer = answerAuth(localNodeKey(keys[1]!), bytes, randomBytes);
        } catch (error) {
          fault = (error as { code: string }).code;
        }
        expect(answer).toBeUndefined();
        // After a change of the length more bytes may be expected; every other change is refused.
        expect(fault).toMatch(
          at < 2 ? /^(none|ECIES_INVALID|HANDSHAKE_INVALID)$/ : /^ECIES_INVALID$/,
        );
      }),
    );
  });
});

describe('frames', () => {
  it('arrive whole through any cuts of the stream, compressed or not', () => {
    const message = fc.record({
      code: fc.nat(255),
      bytes: fc.uint8Array({ maxLength: 3_000 }),
      snappy: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 700 }),
        (messages, cut) => {
          const { initiator, recipient } = agree();
          const sender = new RlpxSession(initiator);
          const receiver = new RlpxSession(recipient);
          const stream = concatBytes(
            ...messages.map((item) => {
              sender.compressed = item.snappy;
              return sender.encode(item.code, item.bytes);
            }),
          );
          let got = 0;
          for (let at = 0; at < stream.length; at += cut) {
            receiver.push(stream.subarray(at, at + cut));
            for (;;) {
              receiver.compressed = messages[got]?.snappy ?? false;
              const frame = nextFrame(receiver, BYTES_MAX);
              if (!frame) break;
              expect([frame.code, Buffer.compare(frame.bytes, messages[got]!.bytes)]).toEqual([
                messages[got]!.code,
                0,
              ]);
              got++;
            }
          }
          expect(got).toBe(messages.length);
          expect(receiver.bufferedBytes).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([
    ['compressed', true],
    ['as they are', false],
  ])(
    'long ones come and go in pieces, %s: the same bytes, each piece with its bound',
    (_how, snappy) => {
      const { initiator, recipient } = agree();
      const [whole, inPieces, receiver] = [
        new RlpxSession(initiator),
        new RlpxSession(initiator),
        new RlpxSession(recipient),
      ];
      for (const each of [whole, inPieces, receiver]) each.compressed = snappy;
      const noise = new Uint8Array(randomBytes(3_000_001));
      for (const [code, payload] of [
        [0, noise],
        [0x21, new Uint8Array(5_000_000).fill(7)],
        [0x91, noise.subarray(0, 2 * PIECE_BYTES - 1)],
        [0x91, noise.subarray(0, 2 * PIECE_BYTES - 2)],
        [3, noise.subarray(0, PIECE_BYTES)],
        [3, noise.subarray(0, 200_000)],
        [3, noise.subarray(0, 5)],
      ] as const) {
        const pieces = [...inPieces.encodeInPieces(code, payload)];
        for (const piece of pieces)
          expect(piece?.length ?? 0).toBeLessThanOrEqual(PIECE_BYTES + 16);
        // Compression processes 64 KB per piece.
        const empty = pieces.filter((piece) => !piece).length;
        expect(empty).toBe(snappy ? Math.max(0, Math.ceil(payload.length / 65_536) - 1) : 0);
        const stream = concatBytes(...pieces.filter((piece) => piece !== undefined));
        expect(Buffer.compare(stream, whole.encode(code, payload))).toBe(0);

        let steps = 0;
        let got: Frame | undefined;
        for (let at = 0; at < stream.length; at += 65_536) {
          receiver.push(stream.subarray(at, at + 65_536));
          for (let next = receiver.next(BYTES_MAX); next; next = receiver.next(BYTES_MAX)) {
            if (next === 'more') steps++;
            else got = next;
          }
          // The bytes that have arrived are hashed and decrypted before the rest arrives.
          expect(receiver['buffered']).toBeLessThan(PIECE_BYTES + 65_536);
        }
        expect(got!.code).toBe(code);
        expect(Buffer.compare(got!.bytes, payload)).toBe(0);
        expect(receiver.bufferedBytes).toBe(0);
        const hashed = Math.ceil(stream.length / PIECE_BYTES) - 1;
        const decoded = snappy ? Math.ceil(payload.length / PIECE_BYTES) - 1 : 0;
        if (payload.length > 1_000_000) expect(steps).toBeGreaterThan((hashed + decoded) / 2);
      }
    },
  );

  it('damage in any piece of a long one is found', () => {
    const { initiator, recipient } = agree();
    const frame = new RlpxSession(initiator).encode(1, new Uint8Array(700_000));
    for (const at of [40, 300_000, 600_000, frame.length - 1]) {
      const receiver = new RlpxSession(recipient);
      const bytes = frame.slice();
      bytes[at]! ^= 1;
      receiver.push(bytes);
      expect(() => nextFrame(receiver, BYTES_MAX), `${at}`).toThrow('bad frame MAC');
    }
  });

  it('a message above the limit is refused, a frame above it before its body arrives', () => {
    const { initiator, recipient } = agree();
    const frame = new RlpxSession(initiator).encode(0, new Uint8Array(100_000));
    const receiver = new RlpxSession(recipient);
    receiver.push(frame.subarray(0, 32));
    expect(() => receiver.next(2_048)).toThrow('frame too long');

    // The bound on the header's length leaves space for the overhead of compression.
    const next = agree();
    const plain = new RlpxSession(next.recipient);
    plain.push(new RlpxSession(next.initiator).encode(0, new Uint8Array(2_049)));
    expect(() => plain.next(2_048)).toThrow('message too long');
  });
});

it('MAC states equal an independent keccak, read while they grow', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 8 }), (parts) => {
      const a = new KeccakState(Uint8Array.of(1));
      const b = new KeccakState(Uint8Array.of(2));
      const oracle = keccak_256.create().update(Uint8Array.of(1));
      for (const part of parts) {
        b.absorb(part);
        oracle.update(part);
        expect(a.absorb(part)).toEqual(oracle.clone().digest());
        expect(a.digest()).toEqual(oracle.clone().digest());
      }
    }),
  );
});
