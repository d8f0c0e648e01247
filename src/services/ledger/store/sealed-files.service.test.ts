/**
 * How a data folder detects older copies and missing folders: votes and Raft log beside their chain
 * store.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { recordedChain } from '../../../../test/support/recorded-chain.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { openChain } from './data.ts';
import { openRaftLog, type RaftPlace, resetRaftLog } from './raft-log.ts';

const folder = scratchFolder('quorate-sealed-');
const whole = join(folder, 'whole');

beforeAll(async () => {
  await recordedChain(whole);
}, 60_000);

function copied(name: string): { place: string; store: string } {
  const place = join(folder, name);
  cpSync(whole, place, { recursive: true, preserveTimestamps: true });
  return { place, store: join(place, 'quorate') };
}

/** What the vote file reports after votes in `rounds` were added. */
async function voted(place: string, rounds: readonly number[]) {
  const chain = await openChain(place);
  const height = chain.store.head()!.number + 1;
  for (const round of rounds)
    await chain.votes.remember({ height, round, parts: [new Uint8Array(9)] });
  const said = { loss: chain.votes.loss, round: chain.votes.memory()?.round };
  await chain.close();
  return said;
}

it('notices that votes and votes-written were put back together', async () => {
  const { place, store } = copied('voted');
  const names = ['votes', 'votes-written'];
  await voted(place, [0]);
  for (const name of names) cpSync(join(store, name), join(folder, name));
  await voted(place, [1]);
  for (const name of names) cpSync(join(folder, name), join(store, name));
  expect(await voted(place, [])).toEqual({ loss: 'old', round: undefined });
  for (const name of names) rmSync(join(store, name));
  expect((await voted(place, [])).loss).toBe('old');
  expect(await voted(place, [4])).toEqual({ loss: undefined, round: 4 });
  expect(await voted(place, [])).toEqual({ loss: undefined, round: 4 });
}, 30_000);

/** Opens chain and Raft log, saves `terms`, and closes. Resolves with the term at opening. */
async function raftTerm(place: string, options: Partial<RaftPlace> = {}, terms: number[] = []) {
  const chain = await openChain(place);
  const store = join(place, 'quorate');
  try {
    const raft = await openRaftLog(chain, {
      ...{ folder: store, logFolder: store, raftId: 1, isJoining: false },
      ...options,
    });
    const { term } = raft.contents.hardState;
    for (const each of terms) {
      await raft.save({ hardState: { term: each, vote: 1, commit: 0 }, entries: [] });
    }
    raft.close();
    return term;
  } finally {
    await chain.close();
  }
}

it('does not begin a Raft log for a chain that has blocks, unless a flag says so', async () => {
  const { place, store } = copied('raft');
  await expect(raftTerm(place)).rejects.toMatchObject({
    code: 'RAFT_LOG_MISSING',
    message: expect.stringMatching(/its chain is at block \d+.*"quorate db reset-raft"/),
  });
  expect(existsSync(join(store, 'raft/000000.log'))).toBe(false);
  resetRaftLog(store);
  expect(await raftTerm(place, {}, [5])).toBe(0);
  expect(await raftTerm(place)).toBe(5);
  rmSync(join(store, 'raft'), { recursive: true });
  await expect(raftTerm(place)).rejects.toThrow(/this node was member 1 of its cluster before/);
  await expect(raftTerm(place, { isJoining: true })).rejects.toThrow(/was member 1/);
  expect(await raftTerm(place, { isJoining: true, raftId: 4 }, [7])).toBe(0);
  expect(await raftTerm(place, { isJoining: true, raftId: 4 })).toBe(7);
}, 30_000);

it('notices a Raft log that is an older copy or was cut off, and keeps what a reset gives up', async () => {
  const { place, store } = copied('older');
  resetRaftLog(store);
  const log = join(store, 'raft/000000.log');
  await raftTerm(place, {}, [1]);
  const older = readFileSync(log);
  await raftTerm(place, {}, [2]);
  const newer = readFileSync(log);
  for (const bytes of [older, newer.subarray(0, newer.length - 3)]) {
    writeFileSync(log, bytes);
    await expect(raftTerm(place)).rejects.toMatchObject({ code: 'RAFT_LOG_OLD' });
  }
  writeFileSync(log, newer);
  expect(await raftTerm(place)).toBe(2);
  resetRaftLog(store);
  expect(readFileSync(join(store, 'raft.before-reset/000000.log'))).toEqual(newer);
  expect(await raftTerm(place)).toBe(0);
}, 30_000);

it('refuses the note of a newer program', async () => {
  const { place, store } = copied('note');
  writeFileSync(join(store, 'raft-member'), 'quorate raft member 2, id 1\n');
  await expect(raftTerm(place)).rejects.toThrow(
    /raft-member was written by a newer Quorate: version 2/,
  );
  writeFileSync(join(store, 'raft-member'), 'quorat');
  await expect(raftTerm(place)).rejects.toThrow(/raft-member says that there was one/);
});
