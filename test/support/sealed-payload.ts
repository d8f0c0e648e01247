/** A payload that an outsider can seal: from their own key to one of ours. */
import { type EncodedPayload, NO_METADATA } from '../../src/core/payload/payload.ts';
import { loadEnclaveCrypto } from '../../src/io/sodium/nacl.ts';
import type { TestKey } from './ptm.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** With another `masterKey` than the one that sealed the message, it is a forgery. */
export async function sealedBy(
  from: TestKey,
  to: string,
  parts: { message?: Uint8Array; masterKey?: Uint8Array; salt?: number } = {},
): Promise<EncodedPayload> {
  const crypto = await loadEnclaveCrypto();
  const nonce = new Uint8Array(24).fill(parts.salt ?? 1);
  const master = new Uint8Array(32).fill(2);
  const shared = crypto.sharedKey(bytes(to), bytes(from.privateKey))!;
  return {
    ...NO_METADATA,
    senderKey: bytes(from.publicKey),
    cipherText: crypto.seal(parts.message ?? Uint8Array.of(1, 2, 3), nonce, master),
    cipherTextNonce: nonce,
    recipientBoxes: [crypto.seal(parts.masterKey ?? master, nonce, shared)],
    recipientNonce: nonce,
    recipientKeys: [bytes(to)],
  };
}
