/**
 * Privacy marker transactions: the public one, and the private one inside its payload (GoQuorum
 * core/vm/contracts_quorum.go).
 */
import { type Address, equalBytes, isZeroBytes, padLeft } from '../base/bytes.ts';
import { fromHex, toHex, toQuantity } from '../base/hex.ts';
import { RlpWriter } from '../base/rlp.ts';
import type { Rules } from '../chain/rules.ts';
import { decodeTransaction, type Transaction } from '../chain/transaction.ts';

export const PRIVACY_PRECOMPILE: Address = fromHex('0x000000000000000000000000000000000000007a');
export const PAYLOAD_HASH_BYTES = 64;
/**
 * Far more than an inner transaction needs: it is a legacy transaction as JSON with a 64-byte hash
 * as data.
 */
const INNER_JSON_BYTES_MAX = 1024 * 1024;

/** 64-byte hash of an encrypted payload, "encrypted payload hash" in GoQuorum. */
export type PayloadHash = Uint8Array;

/** COMPAT: crops from the left or pads with zeros to 64 bytes, as GoQuorum does. */
export function payloadHashOf(data: Uint8Array): PayloadHash {
  return padLeft(data, PAYLOAD_HASH_BYTES);
}

/** The manager is never asked for 64 zero bytes, a hash without parties. */
export function isEmptyPayloadHash(hash: PayloadHash): boolean {
  return isZeroBytes(hash);
}

export function isPrivateTransaction(tx: Transaction, rules: Rules): boolean {
  return rules.isQuorum && tx.isPrivate;
}

/**
 * Whether it is a transaction to the precompile, even before the fork, and even when the outer one
 * is private (it is then ignored).
 */
export function isPrivacyMarker(tx: Transaction, rules: Rules): boolean {
  return rules.isQuorum && tx.to !== undefined && equalBytes(tx.to, PRIVACY_PRECOMPILE);
}

/** Whether the execution of `tx` looks for an inner transaction. */
export function opensInner(tx: Transaction, rules: Rules): boolean {
  return rules.isPrivacyPrecompile && isPrivacyMarker(tx, rules) && !tx.isPrivate;
}

/**
 * The inner transaction of a marker's payload, or a text for the log that says why there is none
 * (the marker itself succeeds). Checks are those of GoQuorum in its order: JSON, private, signer,
 * nonce.
 */
export function openInner(outer: Transaction, payload: Uint8Array): Transaction | string {
  let inner: Transaction;
  try {
    inner = innerFromJson(payload);
  } catch {
    return 'Failed to retrieve inner transaction from private transaction manager';
  }
  if (!inner.isPrivate)
    return 'Inner transaction retrieved from private transaction manager is not a private transaction, skipping execution';
  const sender = senderOf(inner);
  if (!sender || isZeroBytes(sender) || !equalBytes(sender, outer.sender))
    return 'PMT and inner private transaction have different signers, skipping execution';
  if (inner.nonce !== outer.nonce)
    return 'PMT and inner private transaction have different nonces, skipping execution';
  return inner;
}

/**
 * An inner transaction in the form that the sender's node passes to the manager: geth's JSON of a
 * transaction and a line feed.
 */
export function innerToJson(tx: Transaction): Uint8Array {
  const fields = {
    type: '0x0',
    nonce: toQuantity(tx.nonce),
    gasPrice: toQuantity(tx.gasPrice),
    gas: toQuantity(tx.gasLimit),
    value: toQuantity(tx.value),
    input: toHex(tx.data),
    v: toQuantity(tx.v),
    r: toQuantity(tx.r),
    s: toQuantity(tx.s),
    to: tx.to === undefined ? null : toHex(tx.to),
    hash: toHex(tx.hash),
  };
  return new TextEncoder().encode(`${JSON.stringify(fields)}\n`);
}

function senderOf(tx: Transaction): Address | undefined {
  try {
    return tx.sender;
  } catch {
    return undefined;
  }
}

/**
 * Parses the first JSON value of `payload`, which the sender's node wrote as geth writes
 * transactions. Throws on anything else.
 */
function innerFromJson(payload: Uint8Array): Transaction {
  if (payload.length > INNER_JSON_BYTES_MAX) throw new RangeError('inner transaction is too large');
  let text = '';
  for (const byte of payload) text += String.fromCharCode(byte);
  const fields: Record<string, unknown> = JSON.parse(text);
  const quantity = (name: string): bigint => BigInt(String(fields[name]));
  const writer = new RlpWriter();
  writer.list((list) => {
    list.bigint(quantity('nonce')).bigint(quantity('gasPrice')).bigint(quantity('gas'));
    list.string(fields.to ? fromHex(String(fields.to)) : new Uint8Array(0));
    list.bigint(quantity('value')).string(fromHex(String(fields.input)));
    list.bigint(quantity('v')).bigint(quantity('r')).bigint(quantity('s'));
  });
  return decodeTransaction(writer.finish());
}
