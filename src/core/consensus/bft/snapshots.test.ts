/**
 * Validators that a contract names, where this node lacks the states of older blocks, and a chain
 * without any stored snapshot, as behind `db reindex`.
 */
import { expect, it } from 'vitest';
import { type Address, type Hash32, ZERO_HASH } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import type { ConsensusRules } from '../../chain/consensus-rules.ts';
import { encodeQbftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import { CHECKPOINT_BLOCKS, decodeSnapshot, type SnapshotStore, Snapshots } from './snapshots.ts';

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

it('holds the headers between two stored snapshots at most', () => {
  const head = 3 * CHECKPOINT_BLOCKS + 7;
  const numberedHash = (number: number): Hash32 => {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, number);
    return hash;
  };
  const reads: number[] = [];
  const savedAfter: [number, number][] = [];
  const lists = encodeQbftExtra({
    ...{ vanity: ZERO_HASH, validators: VALIDATORS, vote: undefined, round: 0, seals: [] },
  });
  const snapshots = new Snapshots({
    header: (number) => {
      reads.push(number);
      return {
        ...{ number, parentHash: numberedHash(number - 1), extraData: lists },
        coinbase: VALIDATORS[number % VALIDATORS.length],
      } as Header;
    },
    rulesAt: () => ({ engine: 'qbft', epoch: 30_000 }) as ConsensusRules,
    load: () => undefined,
    save: (_hash, bytes) => savedAfter.push([decodeSnapshot(bytes).number, reads.length]),
    contractValidators: () => [],
  });
  expect(snapshots.at(head, numberedHash(head)).validators).toEqual(VALIDATORS);
  const back = head + 1;
  expect(savedAfter).toEqual([
    [0, back],
    [CHECKPOINT_BLOCKS, back],
    [2 * CHECKPOINT_BLOCKS, back + CHECKPOINT_BLOCKS],
    [3 * CHECKPOINT_BLOCKS, back + 2 * CHECKPOINT_BLOCKS],
  ]);
});
