/** The data folder of a validator: chain, votes, journal of transactions. */
import { createHash } from 'node:crypto';
import { QuorateError } from '../../../src/core/base/errors.ts';
import { SINGLE_PRIVATE_STATE } from '../../../src/core/privacy/private-states.ts';
import { PUBLIC_SPACE } from '../../../src/core/store/interface.ts';
import { TransactionJournal } from '../../../src/core/store/transaction-journal.ts';
import { systemClock } from '../../../src/io/host/clock.ts';
import { systemEffort } from '../../../src/io/host/effort.ts';
import { systemTimers } from '../../../src/io/host/timers.ts';
import { managerNotInUse } from '../../../src/io/ptm-client/no-manager.ts';
import { indexAccounts } from '../../../src/services/ledger/offline/index-accounts.ts';
import { type OpenChain, openChain } from '../../../src/services/ledger/store/data.ts';
import { unpackFixture } from '../../support/fixtures.ts';
import { recordedChain } from '../../support/recorded-chain.ts';
import type { Content, Subject } from '../subject.ts';

const JOURNALED = 3;
/** The store, below the folder that is damaged. */
const STORE = 'quorate';

export const NODE: Subject = {
  name: 'node',
  files: [
    'format',
    'genesis.json',
    'genesis.json.sha256',
    'index-state',
    'index/data.mdb',
    'accounts/index-state',
    'accounts/index/data.mdb',
    'blocks/000000.log',
    'journal/000000.log',
    'votes',
    'votes-written',
  ].map((file) => `${STORE}/${file}`),
  async make(folder, older) {
    unpackFixture('0.1.0', 'node', older);
    const chain = await openChain(older, { accounts: 'kept' });
    await indexed(chain);
    await chain.close();
    await recordedChain(folder, 'kept');
    await addVotesAndJournal(folder);
  },
  open: (folder, log) => opened(folder, log, contentOf, 'kept'),
  mayDiffer(file) {
    if (file.startsWith(`${STORE}/votes`)) return ['vote'];
    return file.startsWith(`${STORE}/journal`) ? ['journal'] : [];
  },
};

/** Opens as the node does: when it ends because of a damaged index row, it is started once more. */
export async function opened(
  folder: string,
  tell: (message: string) => void,
  read: (chain: OpenChain) => Promise<Content>,
  accounts?: 'kept',
): Promise<Content> {
  const log = (_: string, message: string) => tell(message);
  const first = await openChain(folder, { log, accounts });
  try {
    return await read(first);
  } catch (error) {
    if (!(error instanceof QuorateError) || error.code !== 'STORE_INDEX_DAMAGED') throw error;
    tell(error.message);
  } finally {
    await first.close().catch(() => {});
  }
  const second = await openChain(folder, { log, accounts });
  try {
    return await read(second);
  } finally {
    await second.close();
  }
}

/** A digest of all blocks, receipts and states. */
function chainDigest({ store }: OpenChain): string {
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
  return hash.digest('hex');
}

/** Brings the index of accounts to the head, as a start of the node does. */
function indexed(chain: OpenChain): Promise<number> {
  return indexAccounts({
    ...{ opened: chain, manager: managerNotInUse(), privateStates: SINGLE_PRIVATE_STATE },
    ...{ clock: systemClock, timers: systemTimers, effort: systemEffort, log: () => {} },
  });
}

/** A digest of the public transactions of each account that a block names. */
function accountsDigest({ store, accounts }: OpenChain): string {
  const hash = createHash('sha256');
  const head = store.head()!.number;
  for (let number = 1; number <= head; number++) {
    for (const { sender, to } of store.block(number)!.transactions) {
      for (const address of to ? [sender, to] : [sender]) {
        hash.update(JSON.stringify([...accounts!.before(PUBLIC_SPACE, address, head + 1)]));
      }
    }
  }
  return hash.digest('hex');
}

async function contentOf(chain: OpenChain): Promise<Content> {
  const { votes, folder } = chain;
  const journal = new TransactionJournal(folder.journal);
  const entries = journal.entries().map((entry) => entry[0]);
  await journal.close();
  await indexed(chain);
  return {
    chain: chainDigest(chain),
    accounts: accountsDigest(chain),
    vote: votes.loss === undefined ? `round ${votes.memory()?.round}` : 'abstains',
    journal: entries.join(),
  };
}

async function addVotesAndJournal(place: string): Promise<void> {
  const chain = await openChain(place);
  const height = chain.store.head()!.number + 1;
  for (const round of [0, 1]) {
    await chain.votes.remember({ height, round, parts: [Uint8Array.of(round)] });
  }
  const journal = new TransactionJournal(chain.folder.journal);
  for (let entry = 1; entry <= JOURNALED; entry++) {
    await journal.add(new Uint8Array(99).fill(entry));
  }
  await journal.close();
  await chain.close();
}
