/** A copied chain of more than a thousand blocks: its first start must not read the whole chain. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { secretKey } from '../../../../test/support/bft-chain.ts';
import { genesisFile } from '../../../../test/support/genesis-file.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { ZERO_HASH } from '../../../core/base/bytes.ts';
import { toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { blockOf } from '../../../core/chain/block.ts';
import { encodeQbftExtra } from '../../../core/chain/extra-data.ts';
import { CHECKPOINT_BLOCKS } from '../../../core/consensus/bft/snapshots.ts';
import { EMPTY_WRITE_SET } from '../../../core/state/write-set.ts';
import { TABLE } from '../../../core/store/keys.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { openChain } from '../store/data.ts';
import { SnapshotKeeper } from './keep-snapshots.ts';

const BODY = { transactions: [], uncles: [] };
const folder = scratchFolder('quorate-snapshots-');

it('the validators of one block in a thousand are kept, and an interruption is reported', async () => {
  const author = addressOfSecretKey(secretKey(1));
  const genesis = join(folder, 'genesis.json');
  const validators = [toHex(author)];
  writeFileSync(genesis, JSON.stringify(genesisFile({ engine: 'qbft', validators })));
  const target = join(folder, 'data');
  const opened = await openChain(target, { genesisFile: genesis });
  const { store } = opened;
  const extra = { vanity: ZERO_HASH, validators: [author], vote: undefined, round: 0, seals: [] };
  const extraData = encodeQbftExtra(extra);
  for (let number = 1; number <= CHECKPOINT_BLOCKS + 5; number++) {
    const { header, hash } = store.head()!;
    const next = { ...header, number, parentHash: hash, coinbase: author, extraData };
    const block = blockOf({ ...next, timestamp: header.timestamp + 1n }, BODY);
    const nothing = { receipts: [], writes: EMPTY_WRITE_SET, hasPrivateWork: false } as const;
    await store.append({ block, ...nothing }, 'group');
  }
  const memory = new ResidentMemory(() => opened.folder.release());
  const parts = { opened, clock: systemClock, log: () => {}, memory };
  const keeper = new SnapshotKeeper({ opened, defaults: {}, log: () => {} });
  const checkpoint = store.hashOf(CHECKPOINT_BLOCKS)!;
  const kept = () => opened.folder.kv.get(TABLE.snapshots, checkpoint);
  expect(await keeper.keepRest({ ...parts, shouldStop: () => true })).toBe(false);
  expect(kept()).toBeUndefined();
  expect(await keeper.keepRest({ ...parts, shouldStop: () => false })).toBe(true);
  await opened.close();
  const again = await openChain(target);
  expect(again.folder.kv.get(TABLE.snapshots, checkpoint)).toBeDefined();
  await again.close();
});
