/**
 * Payloads of private transactions in plain text, for their parties (GoQuorum
 * internal/ethapi/api.go).
 */
import { toBase64 } from '../../../../core/base/base64.ts';
import { EMPTY_BYTES, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { SealedParts } from '../../../../core/privacy/extension.ts';
import type { HeldPayload } from '../../../../core/privacy/inputs.ts';
import { PAYLOAD_HASH_BYTES, type PayloadHash } from '../../../../core/privacy/marker.ts';
import { type Context, method } from '../context.ts';
import type { JsonObject } from '../render.ts';
import { DATA, OBJECT, orNull } from '../results.ts';
import { named, text } from '../shapes.ts';

/** Errors have GoQuorum's texts. */
function bytesOf(given: string, what: 'digest' | 'payload'): Uint8Array {
  if (given.length < 3) throw fail('DIGEST_INVALID', `Invalid ${what} hex`);
  const digits = given.replace(/^0x/, '');
  const wrong = /[^0-9a-f]/i.exec(digits)?.[0];
  if (wrong !== undefined) throw fail('DIGEST_INVALID', invalidByte(wrong));
  if (digits.length % 2 !== 0) throw fail('DIGEST_INVALID', 'encoding/hex: odd length hex string');
  return fromHex(digits);
}

function invalidByte(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `encoding/hex: invalid byte: U+${code} '${character}'`;
}

/** Parses the 64 bytes of a payload hash in hex. */
function hashOf({ payloads, view }: Context, given: string): PayloadHash {
  payloads.checkManager();
  view.knownPsi();
  const hash = bytesOf(given, 'digest');
  if (hash.length === PAYLOAD_HASH_BYTES) return hash;
  throw fail('DIGEST_INVALID', `Expected a Quorum digest of length 64, but got ${hash.length}`);
}

function extraOf(found: HeldPayload): JsonObject {
  return {
    ACHashes: found.affected.map(toBase64),
    ACMerkleRoot: toHex(found.execHash ?? ZERO_HASH),
    PrivacyFlag: found.flag,
    ManagedParties: found.managedParties,
    Sender: found.senderKey,
    MandatoryRecipients: null,
  };
}

async function payloadExtra(context: Context, given: string): Promise<JsonObject | null> {
  const { payloads, view } = context;
  const hash = hashOf(context, given);
  const found = await payloads.payload(hash);
  if (!found && view.isOneOfSeveral()) return null;
  return {
    Payload: toHex(found?.payload ?? EMPTY_BYTES),
    ExtraMetaData: found ? extraOf(found) : null,
    IsSender: found !== undefined && (await isSender(context, hash, found)),
  };
}

function isSender(
  { payloads, view }: Context,
  hash: PayloadHash,
  found: HeldPayload,
): boolean | Promise<boolean> {
  return view.isOneOfSeveral() ? view.isManagedBy(found.senderKey) : payloads.isSender(hash);
}

async function decrypted({ payloads, view }: Context, given: string): Promise<JsonObject | null> {
  payloads.checkManager();
  view.knownPsi();
  const found = await payloads.open(sealedParts(bytesOf(given, 'payload')));
  return found
    ? { Payload: toHex(found.payload), ExtraMetaData: extraOf(found), IsSender: true }
    : null;
}

const SEALED_NAMES = [
  ...['senderKey', 'cipherText', 'cipherTextNonce'],
  ...['recipientBoxes', 'recipientNonce', 'recipientKeys'],
] as const;

function sealedParts(bytes: Uint8Array): SealedParts {
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw fail('PAYLOAD_INVALID', 'the payload is not JSON');
  }
  const missing = SEALED_NAMES.find((name) => value?.[name] === undefined);
  if (missing !== undefined) throw fail('PAYLOAD_INVALID', `the payload has no ${missing}`);
  return value as unknown as SealedParts;
}

export const payloadMethods = [
  method(['eth_getQuorumPayload', 'eth_getLedgerPayload'], {
    params: [named('payloadHash', text)],
    result: DATA,
    about:
      'Clear payload for the hash of a private transaction; `0x` when this node is not a party.',
    call: async (context, [given]) => {
      const found = await context.payloads.payload(hashOf(context, given));
      return toHex(found?.payload ?? EMPTY_BYTES);
    },
  }),
  method(['eth_getQuorumPayloadExtra', 'eth_getLedgerPayloadExtra'], {
    params: [named('payloadHash', text)],
    result: orNull(OBJECT),
    about:
      "Clear payload for the hash of a private transaction, and its sender's declarations; null for a tenant that is not a party.",
    call: (context, [given]) => payloadExtra(context, given),
  }),
  method(['eth_decryptQuorumPayload', 'eth_decryptLedgerPayload'], {
    params: [named('payload', text)],
    result: orNull(OBJECT),
    about: 'Decrypts a payload that a manager encrypted without storing it.',
    call: (context, [given]) => decrypted(context, given),
  }),
];
