/**
 * The write set that turns a space's latest state into that of an older block: for rewinds, and for
 * proofs at older blocks.
 */
import { type Address, keyOf, ZERO_HASH } from '../base/bytes.ts';
import type { StateReader } from '../state/reader.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';

/** What a series of write sets touched. */
export interface Touched {
  readonly address: Address;
  /** born -> slots. */
  readonly slots: Map<number, Set<bigint>>;
}

/** Returns undefined if there are more than `changesMax` writes. */
export function touchedBy(
  writeSets: Iterable<WriteSet>,
  changesMax = Number.POSITIVE_INFINITY,
): Map<string, Touched> | undefined {
  const touched = new Map<string, Touched>();
  let changes = 0;
  for (const writes of writeSets) {
    for (const write of writes.accounts.values()) {
      changes += 1 + write.slots.size;
      addTouched(touched, write);
    }
    if (changes > changesMax) return undefined;
  }
  return touched;
}

function addTouched(touched: Map<string, Touched>, write: AccountWrite): void {
  const key = keyOf(write.address);
  let entry = touched.get(key);
  if (!entry) {
    entry = { address: write.address, slots: new Map() };
    touched.set(key, entry);
  }
  if (!write.account) return;
  const { born } = write.account;
  const slots = entry.slots.get(born) ?? new Set<bigint>();
  entry.slots.set(born, slots);
  for (const slot of write.slots.keys()) slots.add(slot);
}

/**
 * `latest` and `target` read the same space. A storage that began after `target` is rebuilt from
 * the flat state.
 */
export function reverseWrites(
  touched: ReadonlyMap<string, Touched>,
  latest: StateReader,
  target: StateReader,
): WriteSet {
  const accounts = new Map<string, AccountWrite>();
  for (const [key, { address, slots: touchedSlots }] of touched) {
    const account = target.account(address);
    const slots = new Map<bigint, bigint>();
    let storageReset = false;
    if (account) {
      storageReset = latest.account(address)?.born !== account.born;
      if (storageReset) {
        for (const { slot, value } of target.slots(address, account, ZERO_HASH)) {
          slots.set(slot, value);
        }
      } else {
        for (const slot of touchedSlots.get(account.born) ?? []) {
          slots.set(slot, target.slot(address, account, slot));
        }
      }
    }
    accounts.set(key, { address, account, storageReset, slots });
  }
  return { accounts, codes: [] };
}
