/**
 * Recovers senders on another thread: packs signatures into rows of bytes, and hands the resulting
 * addresses to the transactions.
 */
import { equalBytes } from '../base/bytes.ts';
import type { SenderRecovery, Signed } from '../base/ports.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import type { Transaction } from './transaction.ts';

const HASH_BYTES = 32;
/** Signing hash ‖ r ‖ s ‖ parity. */
const SIGNED_ROW_BYTES = HASH_BYTES + 65;
const ADDRESS_BYTES = 20;
/** Marks a signature that matches no key. */
const NOBODY = new Uint8Array(ADDRESS_BYTES);

/**
 * Keeps senders in `transactions`, or signers of other things, once `recovery` has answered. Those
 * that it cannot recover stay unknown: reading `sender` tries again and throws the right error.
 */
export async function recoverElsewhere(
  transactions: readonly (Transaction | Signed)[],
  recovery: SenderRecovery,
): Promise<void> {
  const rows = new Uint8Array(transactions.length * SIGNED_ROW_BYTES);
  const asked: Signed[] = [];
  for (const transaction of transactions) {
    if (!('writeSigned' in transaction)) continue;
    const at = asked.length * SIGNED_ROW_BYTES;
    if (transaction.writeSigned(rows.subarray(at, at + SIGNED_ROW_BYTES))) asked.push(transaction);
  }
  if (asked.length === 0) return;
  const addresses = await recovery.recover(rows.subarray(0, asked.length * SIGNED_ROW_BYTES));
  for (const [index, transaction] of asked.entries()) {
    const sender = addresses.slice(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES);
    if (!equalBytes(sender, NOBODY)) transaction.keepSender(sender);
  }
}

/** The work of the other thread: returns 20 bytes per row. */
export function recoverRows(rows: Uint8Array): Uint8Array {
  const count = rows.length / SIGNED_ROW_BYTES;
  const addresses = new Uint8Array(count * ADDRESS_BYTES);
  for (let index = 0; index < count; index++) {
    const row = rows.subarray(index * SIGNED_ROW_BYTES, (index + 1) * SIGNED_ROW_BYTES);
    const hash = row.subarray(0, HASH_BYTES);
    const address = recoverAddress(hash, row.subarray(HASH_BYTES)) ?? NOBODY;
    addresses.set(address, index * ADDRESS_BYTES);
  }
  return addresses;
}
