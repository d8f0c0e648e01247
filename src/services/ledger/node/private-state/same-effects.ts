/**
 * Whether two runs of a block had the same effects on a private state. Storage roots are ignored,
 * because a run without roots does not compute them.
 */
import { equalBytes } from '../../../../core/base/bytes.ts';
import { encodeReceipt, type Receipt } from '../../../../core/chain/receipt.ts';
import type { SpaceResult } from '../../../../core/execution/result.ts';
import type { Account } from '../../../../core/state/account.ts';
import type { AccountWrite } from '../../../../core/state/write-set.ts';

export type Effects = Pick<SpaceResult, 'writes' | 'receipts'>;

export function sameEffects(a: Effects, b: Effects): boolean {
  return (
    sameMaps(a.receipts, b.receipts, sameReceipts) &&
    sameMaps(a.writes.accounts, b.writes.accounts, sameWrites)
  );
}

export function sameReceipts(a: Receipt, b: Receipt): boolean {
  return (
    equalBytes(encodeReceipt(a), encodeReceipt(b)) &&
    sameBytes(a.contractAddress, b.contractAddress)
  );
}

export function sameWrites(a: AccountWrite, b: AccountWrite): boolean {
  return (
    sameAccounts(a.account, b.account) &&
    a.storageReset === b.storageReset &&
    sameMaps(a.slots, b.slots, (x, y) => x === y) &&
    a.metadata?.flag === b.metadata?.flag &&
    sameBytes(a.metadata?.creationHash, b.metadata?.creationHash)
  );
}

function sameAccounts(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    a.born === b.born &&
    equalBytes(a.codeHash, b.codeHash)
  );
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

function sameMaps<K, V>(
  a: ReadonlyMap<K, V>,
  b: ReadonlyMap<K, V>,
  same: (a: V, b: V) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !same(value, other)) return false;
  }
  return true;
}
