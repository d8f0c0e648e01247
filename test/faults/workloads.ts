import { join } from 'node:path';
import { Prng } from '../../src/core/base/prng.ts';
import { BlockAccounts, CONCERN } from '../../src/core/store/accounts/block-accounts.ts';
import { ChainStore } from '../../src/core/store/chain-store.ts';
import { PUBLIC_SPACE } from '../../src/core/store/interface.ts';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { VoteFile } from '../../src/core/store/vote-file.ts';
import { AuditLog } from '../../src/io/audit/audit-log.ts';
import { verifyAuditLogs } from '../../src/io/audit/audit-verify.ts';
import { systemClock as calendar } from '../../src/io/host/clock.ts';
import { openAccountIndex } from '../../src/io/storage/account-folder.ts';
import { openDataFolder } from '../../src/io/storage/data-folder.ts';
import { nodeLogFolder } from '../../src/io/storage/node-log-file.ts';
import { openStore } from '../../src/services/ptm/open-store.ts';
import { FileJournal } from '../../src/services/signer/proxy/journal.ts';
import { openStakingStore } from '../../src/services/staking/store/open.ts';
import { feed, grow, newChain } from '../support/random-chain.ts';
import { addStake } from '../support/staking.ts';
import { type Workload, WRITES } from './workload.ts';

const FIRST = 5;
const CLOCK = { nowMs: () => 1_700_000_000_000 };

function chainOf(blocks: number) {
  const chain = newChain(42);
  while (chain.blocks.length <= blocks) grow(chain);
  return chain;
}

async function openNode(folder: string) {
  const data = await openDataFolder(folder);
  // Frequent checkpoints, so that the index writes as often as the log.
  const parts = { log: data.log, kv: data.kv, clock: CLOCK, checkpointBytes: 4_000 };
  let fault: unknown;
  try {
    const store = await ChainStore.open({
      ...parts,
      onFault: (error) => {
        fault = error;
      },
    });
    const journal = new TransactionJournal(data.journal);
    const votes = new VoteFile(data.votes, data.votesWritten);
    // Each part is closed, even when the one before failed to close.
    const close = async () => {
      const ends = [() => journal.close(), () => store.close(), () => data.kv.close()];
      const failed: unknown[] = [];
      for (const end of ends) await end().catch((error: unknown) => failed.push(error));
      data.close();
      if (failed.length > 0) throw failed[0];
    };
    return { store, journal, votes, close, fault: () => fault };
  } catch (error) {
    await data.kv.close();
    data.close();
    throw error;
  }
}

const NODE: Workload = {
  name: 'node',
  async begin(folder) {
    const { store, close } = await openNode(folder);
    await feed(store, chainOf(FIRST), FIRST, () => {});
    await close();
  },
  async work(folder, fill, acknowledged) {
    const { store, journal, votes, close, fault } = await openNode(folder);
    const chain = chainOf(FIRST + WRITES);
    try {
      fill();
      for (let id = store.head()!.number + 1; id <= FIRST + WRITES; id++) {
        await votes.remember({ height: id, round: 0, parts: [new Uint8Array(900).fill(id)] });
        await journal.add(new Uint8Array(400).fill(id));
        await feed(store, chain, id, () => {});
        if (fault()) throw fault();
        acknowledged(id);
      }
    } finally {
      await close();
    }
  },
  async missing(folder, ids) {
    const { store, journal, votes, close } = await openNode(folder);
    const journaled = new Set(journal.entries().map(([id]) => id));
    const { number } = store.head()!;
    const height = votes.memory()?.height ?? 0;
    await close();
    return ids.filter((id) => id > number || id > height || !journaled.has(id));
  },
};

/** The index of accounts, a write for each block. */
const ACCOUNTS: Workload = {
  name: 'accounts',
  async begin(folder) {
    await (await openAccountIndex(folder, () => {})).close();
  },
  async work(folder, fill, acknowledged) {
    const { index, close } = await openAccountIndex(folder, () => {});
    try {
      fill();
      for (let id = index.cursor(PUBLIC_SPACE) + 1; id <= WRITES; id++) {
        const accounts = new BlockAccounts();
        for (let n = 0; n < 20; n++) accounts.add(accountOf(id, n), n, CONCERN.sent);
        index.add(id, new Uint8Array(32).fill(id), accounts, true);
        await index.write();
        acknowledged(id);
      }
    } finally {
      await close();
    }
  },
  async missing(folder, ids) {
    const { index, close } = await openAccountIndex(folder, () => {});
    const held = (id: number) => [...index.before(PUBLIC_SPACE, accountOf(id, 0), id + 1)].length;
    const missing = ids.filter((id) => held(id) !== 1);
    await close();
    return missing;
  },
};

function accountOf(id: number, n: number): Uint8Array {
  return new Uint8Array(20).fill(id, 0, 10).fill(n, 10);
}

const hashOf = (id: number) => new Uint8Array(64).fill(id);

const MANAGER: Workload = {
  name: 'manager',
  async begin(folder) {
    const { close } = await openStore({ dataFolder: folder }, calendar, () => {}, {});
    await close();
  },
  async work(folder, fill, acknowledged) {
    const { store, close } = await openStore({ dataFolder: folder }, calendar, () => {}, {});
    const chance = new Prng(7);
    try {
      fill();
      for (let id = 1; id <= WRITES; id++) {
        const cipherText = Uint8Array.from({ length: 2_000 }, () => chance.below(256));
        const raw = { senderKey: new Uint8Array(32), encryptedKey: new Uint8Array(48) };
        await store.putRaw(hashOf(id), { ...raw, cipherText, nonce: new Uint8Array(24) });
        acknowledged(id);
      }
    } finally {
      await close();
    }
  },
  async missing(folder, ids) {
    const { store, close } = await openStore({ dataFolder: folder }, calendar, () => {}, {});
    const held = await Promise.all(ids.map((id) => store.getRaw(hashOf(id))));
    await close();
    return ids.filter((_, at) => held[at] === undefined);
  },
};

const SIGNER: Workload = {
  name: 'signer',
  async begin(folder) {
    await new FileJournal(nodeLogFolder(join(folder, 'journal')), () => {}).close();
  },
  async work(folder, fill, acknowledged) {
    const journal = new FileJournal(nodeLogFolder(join(folder, 'journal')), () => {});
    const audit = await AuditLog.open(join(folder, 'audit.jsonl'), CLOCK, () => {});
    const intent = { method: 'eth_sendTransaction', account: '0xaa', kind: 'transaction' } as const;
    try {
      fill();
      for (let id = 1; id <= WRITES; id++) {
        await audit.append({ caller: 'pay', intent, outcome: `0x${id}` });
        await journal.add({
          ...{ nonceKey: '0xaa', nonce: id, hash: `0x${id}`, psi: undefined },
          ...{ method: 'eth_sendRawTransaction', params: `["0x${'ab'.repeat(400)}"]` },
        });
        acknowledged(id);
      }
    } finally {
      await Promise.allSettled([audit.close(), journal.close()]);
    }
  },
  async missing(folder, ids) {
    const journal = new FileJournal(nodeLogFolder(join(folder, 'journal')), () => {});
    const held = new Set(journal.restored().map(({ send }) => send.nonce));
    await journal.close();
    const path = join(folder, 'audit.jsonl');
    if (ids.length > 0) {
      await (await AuditLog.open(path, CLOCK, () => {})).close();
      await verifyAuditLogs([path]);
    }
    return ids.filter((id) => !held.has(id));
  },
};

const STAKING: Workload = {
  name: 'staking',
  async begin(folder) {
    await (await openStakingStore(sourceOf(folder), {})).close();
  },
  async work(folder, fill, acknowledged) {
    const database = await openStakingStore(sourceOf(folder), {});
    try {
      fill();
      const [row] = await database.query('SELECT count(*) AS held FROM stake');
      for (let id = Number(row!.held) + 1; id <= WRITES; id++) {
        await addStake(database, pubkeyOf(id), 'active');
        acknowledged(id);
      }
    } finally {
      await database.close();
    }
  },
  async missing(folder, ids) {
    const database = await openStakingStore(sourceOf(folder), {});
    const held = new Set(
      (await database.query('SELECT pubkey FROM stake')).map((row) => row.pubkey),
    );
    await database.close();
    return ids.filter((id) => !held.has(pubkeyOf(id)));
  },
};

function sourceOf(folder: string) {
  return { dataFolder: folder, storeUrl: undefined, secretFile: undefined };
}

function pubkeyOf(id: number): string {
  return `0x${String(id).padStart(4, '0')}`.padEnd(98, 'ab');
}

export const WORKLOADS: readonly Workload[] = [NODE, ACCOUNTS, MANAGER, SIGNER, STAKING];
