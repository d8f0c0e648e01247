/** A chain of more than a thousand blocks: its next start must not read the whole chain. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { secretKey } from '../../../../test/support/bft-chain.ts';
import { genesisFile } from '../../../../test/support/genesis-file.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { type Hash32, ZERO_HASH } from '../../../core/base/bytes.ts';
import { toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { type Block, blockOf } from '../../../core/chain/block.ts';
import { encodeQbftExtra } from '../../../core/chain/extra-data.ts';
import type { Header } from '../../../core/chain/header.ts';
import { CHECKPOINT_BLOCKS } from '../../../core/consensus/bft/snapshots.ts';
import { EMPTY_WRITE_SET } from '../../../core/state/write-set.ts';
import { TABLE } from '../../../core/store/keys.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { ValidatorSchedule } from '../node/consensus/validator-schedule.ts';
import { type OpenChain, openChain } from './data.ts';
import { keepSnapshots } from './keep-snapshots.ts';

const BODY = { transactions: [], uncles: [] };
const AUTHOR = addressOfSecretKey(secretKey(1));
const LIST = { vanity: ZERO_HASH, validators: [AUTHOR], vote: undefined, round: 0, seals: [] };
const folder = scratchFolder('quorate-snapshots-');

function after(header: Header, hash: Hash32): Block {
  const number = header.number + 1;
  const extraData = encodeQbftExtra(LIST);
  const next = { ...header, number, parentHash: hash, coinbase: AUTHOR, extraData };
  return blockOf({ ...next, timestamp: header.timestamp + 1n }, BODY);
}

/** Without any that is kept, as behind `db reindex`. */
async function longChain(name: string, blocks = CHECKPOINT_BLOCKS + 5): Promise<OpenChain> {
  const genesis = join(folder, `${name}.json`);
  const validators = [toHex(AUTHOR)];
  writeFileSync(genesis, JSON.stringify(genesisFile({ engine: 'qbft', validators })));
  const opened = await openChain(join(folder, name), { genesisFile: genesis });
  const nothing = { receipts: [], writes: EMPTY_WRITE_SET, hasPrivateWork: false } as const;
  for (let number = 1; number <= blocks; number++) {
    const { header, hash } = opened.store.head()!;
    await opened.store.append({ block: after(header, hash), ...nothing }, 'group');
  }
  return opened;
}

function keeping(opened: OpenChain) {
  const memory = new ResidentMemory(() => opened.folder.release());
  return { opened, defaults: {}, clock: systemClock, log: () => {}, memory };
}

it('the validators of one block in a thousand are kept, and an interruption is reported', async () => {
  const opened = await longChain('copied');
  const checkpoint = opened.store.hashOf(CHECKPOINT_BLOCKS)!;
  const kept = () => opened.folder.kv.get(TABLE.snapshots, checkpoint);
  expect(await keepSnapshots({ ...keeping(opened), shouldStop: () => true })).toBe(false);
  expect(kept()).toBeUndefined();
  expect(await keepSnapshots({ ...keeping(opened), shouldStop: () => false })).toBe(true);
  expect(kept()).toBeDefined();
  await opened.close();
  const again = await openChain(join(folder, 'copied'));
  const read = vi.spyOn(again.store, 'header');
  expect(await keepSnapshots({ ...keeping(again), shouldStop: () => false })).toBe(true);
  expect(read).not.toHaveBeenCalled();
  await again.close();
});

it('a long chain is read in turns of the event loop', async () => {
  const opened = await longChain('read', 2 * CHECKPOINT_BLOCKS);
  let turn = 0;
  let timer = setImmediate(function next() {
    turn++;
    timer = setImmediate(next);
  });
  const header = opened.store.header.bind(opened.store);
  const turnOf = new Map<number, number>();
  vi.spyOn(opened.store, 'header').mockImplementation((number) => {
    turnOf.set(number, turn);
    return header(number);
  });
  await keepSnapshots({ ...keeping(opened), shouldStop: () => false });
  clearImmediate(timer);
  expect(turnOf.get(CHECKPOINT_BLOCKS + 1)).toBeGreaterThan(turnOf.get(CHECKPOINT_BLOCKS)!);
  await opened.close();
});

it('headers that are checked in order leave theirs too', async () => {
  const opened = await longChain('checked');
  const { store, folder: data, genesis } = opened;
  const { config } = genesis;
  const parts = { chain: store, config, defaults: {}, kv: data.kv, log: () => {} };
  const schedule = new ValidatorSchedule(parts);
  let { header, hash } = store.head()!;
  let snapshot = schedule.snapshotAt(header.number);
  while (header.number < 2 * CHECKPOINT_BLOCKS) {
    ({ header, hash } = after(header, hash));
    snapshot = schedule.next(snapshot, header, hash);
  }
  await schedule.stored();
  expect(data.kv.get(TABLE.snapshots, hash)).toBeDefined();
  await opened.close();
});
