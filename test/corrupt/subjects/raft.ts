/**
 * The data folder of a member of a Raft cluster: its log beside the chain. None of it may be lost.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenChain, openChain } from '../../../src/services/ledger/store/data.ts';
import { openRaftLog, resetRaftLog } from '../../../src/services/ledger/store/raft-log.ts';
import { recordedChain } from '../../support/recorded-chain.ts';
import type { Subject } from '../subject.ts';
import { opened } from './node.ts';

const STORE = 'quorate';
const MEMBER = 2;

export const RAFT: Subject = {
  name: 'raft',
  files: ['raft/000001.log', 'raft-member'].map((file) => `${STORE}/${file}`),
  async make(folder, older) {
    await recordedChain(folder);
    resetRaftLog(join(folder, STORE));
    await withLog(folder, async ({ raft }) => {
      await raft.save({ hardState: { term: 1, vote: 1, commit: 0 }, entries: [] });
      const confState = { nodes: [1, 2, 3], learners: [] };
      await raft.compact({ index: 4, term: 1, confState, data: new Uint8Array(70).fill(4) }, 4);
      await saveEntries(raft, 5);
    });
    cpSync(folder, older, { recursive: true, preserveTimestamps: true });
    await withLog(folder, async ({ raft }) => saveEntries(raft, 20));
  },
  open: (folder, log) =>
    opened(folder, log, async (chain) => {
      const raft = await openLog(folder, chain);
      const { hardState, snapshot, entries } = raft.contents;
      raft.close();
      const indexes = entries.map(({ index, term }) => `${index}/${term}`).join();
      return { log: JSON.stringify([hardState, snapshot.index]) + indexes };
    }),
  mayDiffer: () => [],
};

type RaftLog = Awaited<ReturnType<typeof openRaftLog>>;

function openLog(folder: string, chain: OpenChain): Promise<RaftLog> {
  const store = join(folder, STORE);
  const place = { folder: store, logFolder: store, raftId: MEMBER, isJoining: false };
  return openRaftLog(chain, place);
}

async function withLog(folder: string, work: (parts: { raft: RaftLog }) => Promise<void>) {
  const chain = await openChain(folder);
  const raft = await openLog(folder, chain);
  await work({ raft });
  await chain.close();
  raft.close();
}

async function saveEntries(raft: RaftLog, from: number): Promise<void> {
  for (let index = from; index < from + 15; index++) {
    const entry = { type: 0, term: 2, index, data: new Uint8Array(100).fill(index) };
    const hardState = { term: 2, vote: 3, commit: index - 1 };
    await raft.save({ hardState, entries: [entry] });
  }
}
