/**
 * GoQuorum's journal of local transactions: the migrated node continues with those that are not
 * mined.
 */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { testSecretKey } from '../../../../test/support/genesis-file.ts';
import { folderHash } from '../../../../test/support/geth-datadir.ts';
import { migrationWorld } from '../../../../test/support/migration.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { RlpWriter } from '../../../core/base/rlp.ts';
import { decodeTransaction, writeTransaction } from '../../../core/chain/transaction.ts';
import { TransactionJournal } from '../../../core/store/transaction-journal.ts';
import { journaledTransactions } from '../../../io/geth/pending-transactions.ts';
import { openChain } from '../store/data.ts';

const wallet = new Wallet(testSecretKey(0x11));

function signed(nonce: number, type: 0 | 1, data = '0x'): Promise<string> {
  const fields = { chainId: 1337, nonce, type, gasLimit: 100_000, gasPrice: 0, data };
  return wallet.signTransaction({ ...fields, to: `0x${'f1'.repeat(20)}` });
}

/** A journal entry as geth writes it. */
function item(raw: string): Uint8Array {
  const writer = new RlpWriter(256);
  writeTransaction(writer, decodeTransaction(fromHex(raw)));
  return writer.finish().slice();
}

async function waitingIn(target: string): Promise<string[]> {
  const { folder, close } = await openChain(target);
  const journal = new TransactionJournal(folder.journal);
  const entries = journal.entries().map((raw) => toHex(raw));
  await journal.close();
  await close();
  return entries;
}

it('those that no block has continue, once, and the journal stays as it was', async () => {
  const world = migrationWorld();
  const other = migrationWorld();
  await other.copy();
  const { store, close } = await openChain(other.target);
  const blocks = Array.from({ length: store.head()!.number }, (_, at) => store.block(at + 1)!);
  const [mined] = blocks.flatMap(({ transactions }) => transactions);
  await close();
  const waiting = await Promise.all([
    signed(0, 0),
    signed(1, 1),
    signed(2, 0, `0x${'ab'.repeat(9_000)}`),
  ]);
  const path = join(world.source, 'geth/transactions.rlp');
  writeFileSync(path, item(toHex(mined!.raw)));
  for (const raw of [...waiting, waiting[0]!]) appendFileSync(path, item(raw));
  const before = folderHash(world.source);
  const { pending } = await world.copy();
  expect(pending).toEqual({ waiting: 3, mined: 1, damagedAt: undefined });
  expect(await waitingIn(world.target)).toEqual(waiting);
  expect(folderHash(world.source)).toBe(before);
});

it('a journal that a kill has torn gives what is whole, and names the byte', async () => {
  const world = migrationWorld();
  const [first, second] = await Promise.all([signed(0, 1), signed(1, 0)]);
  const path = join(world.source, 'geth/transactions.rlp');
  writeFileSync(path, item(first!));
  appendFileSync(path, item(second!).subarray(0, 40));
  const { pending } = await world.copy();
  expect(pending).toEqual({ waiting: 1, mined: 0, damagedAt: item(first!).length });
  expect(await waitingIn(world.target)).toEqual([first]);
});

it('a node without a journal has none waiting', async () => {
  const world = migrationWorld();
  rmSync(join(world.source, 'geth/transactions.rlp'));
  expect((await world.copy()).pending).toBeUndefined();
});

it('a journal of many megabytes is read in pieces', async () => {
  const { source } = migrationWorld();
  const path = join(source, 'geth/transactions.rlp');
  const large = item(await signed(0, 0, `0x${'cd'.repeat(120_000)}`));
  writeFileSync(path, Buffer.concat(Array.from({ length: 100 }, () => large)));
  expect([...journaledTransactions(path)]).toHaveLength(100);
});
