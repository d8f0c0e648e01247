/** A process that opens data folders and reads all that is in them: damage may end it. Told of one folder at a time. */
import { createHash } from 'node:crypto';
import { QuorateError } from '../../src/core/base/errors.ts';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { type OpenChain, openChain } from '../../src/services/ledger/store/data.ts';

export interface Opened {
  /** Of all blocks, receipts and states; undefined: refused. */
  readonly digest?: string;
  /** Why it was refused. */
  readonly refusal?: { readonly code: string; readonly message: string };
  /** Lines of the log. */
  readonly told: readonly string[];
  readonly vote?: number | 'lost' | undefined;
  readonly journal?: number;
}

await installCrypto();
process.on('message', async (place: string) => {
  const told: string[] = [];
  let opened: Opened;
  try {
    opened = await open(place, told);
  } catch (error) {
    if (!(error instanceof QuorateError)) throw error;
    opened = { refusal: { code: error.code, message: error.message }, told };
  }
  process.send!(opened);
});

async function open(place: string, told: string[]): Promise<Opened> {
  const log = (_: string, message: string) => told.push(message);
  const first = await openChain(place, { log });
  try {
    return { ...(await read(first)), told };
  } catch (error) {
    if (!(error instanceof QuorateError) || error.code !== 'STORE_INDEX_DAMAGED') throw error;
    told.push(error.message);
  } finally {
    await first.close().catch(() => {});
  }
  const second = await openChain(place, { log });
  try {
    return { ...(await read(second)), told };
  } finally {
    await second.close();
  }
}

async function read({ store, votes, folder }: OpenChain) {
  const hash = createHash('sha256');
  const text = (value: unknown) =>
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));
  const head = store.head()!.number;
  const spaces = [
    { kind: 'public' } as const,
    ...store.spaces().map((psi) => ({ kind: 'private', psi }) as const),
  ];
  for (let number = 0; number <= head; number++) {
    const block = store.block(number)!;
    const found = store.numberOf(block.hash);
    if (found !== number) throw new Error(`block ${number} is found at ${found}`);
    hash.update(block.hash).update(text(store.receipts(number)));
    for (const { hash: id } of block.transactions) hash.update(text(store.transactionByHash(id)));
    for (const space of spaces) {
      const bloom = store.bloom(space, number);
      if (bloom) hash.update(bloom);
      const state = store.stateAt(space, number);
      for (const { address, account } of state.accounts(new Uint8Array(32))) {
        hash.update(address).update(text(account)).update(state.code(account.codeHash));
        for (const { slot, value } of state.slots(address, account, new Uint8Array(32))) {
          hash.update(`${slot} ${value}`);
        }
      }
    }
  }
  for (const space of spaces) hash.update(store.trieAt(space, head).root());
  const journal = new TransactionJournal(folder.journal);
  const entries = journal.entries().length;
  await journal.close();
  return {
    digest: hash.digest('hex'),
    vote: votes.loss === undefined ? votes.memory()?.round : ('lost' as const),
    journal: entries,
  };
}
