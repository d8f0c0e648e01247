/**
 * A data folder written by version 0.1.0: 120 recorded blocks with private state, votes, journal
 * and Raft log.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFixture } from '../../../../test/support/fixtures.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { toHex } from '../../../core/base/hex.ts';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { TransactionJournal } from '../../../core/store/transaction-journal.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { openChain } from '../store/data.ts';

const HEAD = 120;
const GENESIS = join(OWN_VECTORS, 'goquorum/private-chain/genesis.json');
const folder = scratchFolder('quorate-older-');

function unpacked(name: string): { place: string; store: string } {
  const place = join(folder, name);
  unpackFixture('0.1.0', 'node', place);
  return { place, store: join(place, 'quorate') };
}

/** Roots of both states at the head, after reading every block and state. */
async function contents(place: string, told: string[] = []): Promise<string> {
  const log = (_: string, message: string, fields?: object) =>
    told.push(`${message} ${JSON.stringify(fields)}`);
  const chain = await openChain(place, { log });
  const { store } = chain;
  expect(store.head()!.number).toBe(HEAD);
  expect(store.spaces()).toEqual(['private']);
  const space = { kind: 'private', psi: 'private' } as const;
  const roots = [store.trieAt({ kind: 'public' }, HEAD).root(), store.trieAt(space, HEAD).root()];
  for (let number = 0; number <= HEAD; number++) {
    expect(store.block(number)!.header.number).toBe(number);
    expect(store.receipts(number)).toBeDefined();
    for (const _ of store.stateAt(space, number).accounts(new Uint8Array(32)));
  }
  expect(chain.votes.memory()).toMatchObject({ height: 121, round: 1 });
  const journal = new TransactionJournal(chain.folder.journal);
  expect(journal.entries()).toEqual([Uint8Array.of(7, 8, 9)]);
  await journal.close();
  await chain.close();
  return roots.map(toHex).join();
}

it('opens, is upgraded, and says so once', async () => {
  const { place, store } = unpacked('node');
  const told: string[] = [];
  const roots = await contents(place, told);
  expect(told).toEqual([expect.stringMatching(/rebuilt .*data format 1, and becomes one of 5/)]);
  expect(readFileSync(join(store, 'format'), 'utf8')).toBe('quorate data format 5\n');
  expect(existsSync(join(store, 'genesis.json.sha256'))).toBe(true);
  const again: string[] = [];
  expect(await contents(place, again)).toBe(roots);
  expect(again).toEqual([]);
  const raft = await RaftStore.open(nodeLogFolder(join(store, 'raft')));
  expect(raft.isNew).toBe(false);
  raft.close();
});

it('opens without an index, and from one of the older format under a newer stamp', async () => {
  const { place, store } = unpacked('bare');
  rmSync(join(store, 'index'), { recursive: true });
  const roots = await contents(place);
  const other = unpacked('stamped');
  writeFileSync(join(other.store, 'format'), 'quorate data format 2\n');
  expect(await contents(other.place)).toBe(roots);
});

it('refuses a genesis file with a flipped byte in its configuration, and takes the right one', async () => {
  const { place, store } = unpacked('genesis');
  await (await openChain(place)).close();
  const kept = join(store, 'genesis.json');
  const text = readFileSync(kept, 'utf8');
  writeFileSync(kept, text.replace('"epoch": 30000', '"epoch": 30001').replace('1337', '1338'));
  expect(readFileSync(kept, 'utf8')).not.toBe(text);
  await expect(openChain(place)).rejects.toMatchObject({
    code: 'GENESIS_DAMAGED',
    message: expect.stringMatching(/quorate\/genesis\.json is damaged.*quorate init --datadir/),
  });
  expect(readFileSync(GENESIS, 'utf8')).toBe(text);
  await (await openChain(place, { genesisFile: GENESIS })).close();
  expect(readFileSync(kept, 'utf8')).toBe(text);
  await (await openChain(place)).close();
});
