/** Validators that a contract names, where this node lacks the states of older blocks. */
import { expect, it } from 'vitest';
import { type Address, type Hash32, ZERO_HASH } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import type { ConsensusRules } from '../../chain/consensus-rules.ts';
import { encodeQbftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import { type SnapshotStore, Snapshots } from './snapshots.ts';

const HEAD = 20;
const OLDEST = 12;
const CONTRACT = new Uint8Array(20).fill(0xcc);
const VALIDATORS: readonly Address[] = [1, 2, 3].map((each) => new Uint8Array(20).fill(each));
const EXTRA = encodeQbftExtra({
  ...{ vanity: ZERO_HASH, validators: [], vote: undefined, round: 0, seals: [] },
});

const hashAt = (number: number): Hash32 => new Uint8Array(32).fill(number + 1);

function storeLacking(code: 'STORE_STATE_PRUNED' | 'STORE_STATE_NOT_MIGRATED'): SnapshotStore {
  const saved = new Map<string, Uint8Array>();
  return {
    header: (number) =>
      ({
        ...{ number, parentHash: hashAt(number - 1), extraData: EXTRA },
        coinbase: VALIDATORS[number % VALIDATORS.length],
      }) as Header,
    rulesAt: () =>
      ({ engine: 'qbft', epoch: 30_000, validatorContract: CONTRACT }) as ConsensusRules,
    load: (hash) => saved.get(String(hash)),
    save: (hash, bytes) => saved.set(String(hash), bytes),
    contractValidators: (number) => {
      if (number < OLDEST) throw fail(code, `no state of block ${number}`);
      return VALIDATORS;
    },
  };
}

it.each(['STORE_STATE_PRUNED', 'STORE_STATE_NOT_MIGRATED'] as const)(
  'are known after a restart although older states are gone (%s)',
  (code) => {
    const snapshots = new Snapshots(storeLacking(code));
    for (const number of [HEAD, OLDEST]) {
      expect(snapshots.at(number, hashAt(number)).validators).toEqual(VALIDATORS);
    }
    expect(() => snapshots.at(OLDEST - 1, hashAt(OLDEST - 1))).toThrow(
      expect.objectContaining({ code }),
    );
  },
);
