/**
 * Copies the state of a Raft member from GoQuorum's log into ours: term, vote, members, and every
 * entry after its snapshot. So it remains the same member, and cannot vote twice.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { readRaftState } from '../../../io/geth/raft-state.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { RAFT_FOLDER } from '../store/raft-log.ts';
import type { GethSource } from './source.ts';

export interface CarriedRaft {
  readonly term: number;
  readonly commit: number;
  readonly entries: number;
}

/**
 * `folder`: the folder of the target's store. Resolves with undefined if the node was not a member.
 * Rejects with GETH_DATA_DAMAGED and STORAGE_….
 */
export async function carryRaft(
  source: GethSource,
  folder: string,
): Promise<CarriedRaft | undefined> {
  const state = readRaftState(source.raft);
  if (!state) return undefined;
  const path = join(folder, RAFT_FOLDER);
  // This log is from an interrupted run of this migration: the target was never started.
  if (existsSync(path)) rmSync(path, { recursive: true });
  const { hardState, snapshot, entries } = state;
  const store = await RaftStore.open(nodeLogFolder(path));
  try {
    if (snapshot.index > 0) await store.save({ hardState: undefined, entries: [], snapshot });
    await store.save({ hardState, entries });
  } finally {
    store.close();
  }
  return { term: hardState.term, commit: hardState.commit, entries: entries.length };
}
