/** What makes a signed transaction a private one (GoQuorum core/types/transaction.go). */
import type { Hex } from './rpc-types.ts';

/** Fields before v: nonce, gas price, gas limit, to, value and data. */
const FIELDS_BEFORE_V = 6;
/** From v without a chain id, 27 and 28, to 37 and 38. */
const PRIVATE_V_OFFSET = 10;

/**
 * Makes a transaction that was signed without a chain id a private one: its v becomes 37 or 38. Its
 * data must be the 64-byte hash that `storeRaw` returned. Throws TypeError if it is signed with a
 * chain id, has a type other than 0, or is not a transaction.
 *
 * @example
 * import { markPrivate } from 'quorate/client';
 * import { Transaction, Wallet } from 'ethers';
 *
 * const wallet = new Wallet(privateKey);
 * const data = `0x${'ab'.repeat(64)}`; // what storeRaw returned
 * const fields = { type: 0, nonce: 0, gasPrice: 0, gasLimit: 90_000, data };
 * const raw = markPrivate(await wallet.signTransaction(fields));
 * console.log(Transaction.from(raw).signature.networkV); // 37n or 38n
 */
export function markPrivate(signed: Hex): Hex {
  const bytes = /^0x(?:[0-9a-f]{2})+$/i.test(signed) ? bytesOf(signed) : undefined;
  let at = bytes && contentOf(bytes);
  for (let field = 0; bytes && at !== undefined && field < FIELDS_BEFORE_V; field++) {
    at = endOf(bytes, at);
  }
  const v = at === undefined ? undefined : bytes?.[at];
  if (at === undefined || (v !== 27 && v !== 28)) {
    throw new TypeError(
      'not a transaction of type 0 that is signed without a chain id (v 27 or 28)',
    );
  }
  const digits = 2 + 2 * at;
  const marked = (v + PRIVATE_V_OFFSET).toString(16);
  return `0x${signed.slice(2, digits)}${marked}${signed.slice(digits + 2)}`;
}

/** Position of a list's content; undefined: these bytes are not exactly one list. */
function contentOf(bytes: Uint8Array): number | undefined {
  const first = bytes[0]!;
  if (first < 0xc0) return undefined;
  const start = first < 0xf8 ? 1 : 1 + first - 0xf7;
  const length = first < 0xf8 ? first - 0xc0 : numberAt(bytes, 1, start);
  return start + length === bytes.length ? start : undefined;
}

/** Position of an RLP string's end. */
function endOf(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at];
  if (first === undefined || first >= 0xc0) return undefined;
  if (first < 0x80) return at + 1;
  if (first < 0xb8) return at + 1 + first - 0x80;
  const start = at + 1 + first - 0xb7;
  return start + numberAt(bytes, at + 1, start);
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  return bytes.subarray(start, end).reduce((sum, byte) => sum * 256 + byte, 0);
}

function bytesOf(text: Hex): Uint8Array {
  const digits = text.slice(2);
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}
