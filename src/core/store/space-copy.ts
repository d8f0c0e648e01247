/** A new private state begins as a copy of the empty one: its first record contains the copy. */
import { keyOf, ZERO_HASH } from '../base/bytes.ts';
import type { SpaceResult } from '../execution/result.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { StateReader } from '../state/reader.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';

/** `results`, in which the writes of a new private state include all of the empty one. */
export function copiesForNew(
  results: ReadonlyMap<Psi, SpaceResult>,
  isNew: (psi: Psi) => boolean,
  empty: StateReader,
): ReadonlyMap<Psi, SpaceResult> {
  const out = new Map<Psi, SpaceResult>();
  for (const [psi, result] of results) {
    out.set(psi, isNew(psi) ? { ...result, writes: copyOfSpace(empty, result) } : result);
  }
  return out;
}

/** All of `empty`, modified by `result`. */
function copyOfSpace(empty: StateReader, result: SpaceResult): WriteSet {
  const accounts = new Map<string, AccountWrite>();
  for (const { address, account } of empty.accounts(ZERO_HASH)) {
    const slots = new Map<bigint, bigint>();
    for (const { slot, value } of empty.slots(address, account, ZERO_HASH)) {
      slots.set(slot, value);
    }
    accounts.set(keyOf(address), { address, account, storageReset: false, slots });
  }
  for (const [key, write] of result.writes.accounts) {
    const copied = accounts.get(key);
    const slots = write.storageReset
      ? write.slots
      : new Map([...(copied?.slots ?? []), ...write.slots]);
    accounts.set(key, { ...write, slots });
  }
  return { accounts, codes: result.writes.codes };
}
