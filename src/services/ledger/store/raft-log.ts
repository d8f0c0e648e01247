/**
 * The Raft log of a data folder. A member that lost it no longer knows its votes, so it does not
 * create a new one by itself: the file `raft-member`, or a chain with blocks, shows that there was
 * one.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, QuorateError } from '../../../core/base/errors.ts';
import { newerVersion } from '../../../core/base/newer-version.ts';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { sealedNumber } from '../../../core/store/seals.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import type { OpenChain } from './data.ts';

const NOTE = 'raft-member';
const NOTE_VERSION = 1;
const NOTE_PATTERN = /^quorate raft member (\d{1,9}), id (\d{1,9})\n$/;
/** Name of the folder, inside the folder of the logs. */
export const RAFT_FOLDER = 'raft';
/** No member has this raft id: the next start creates a log. */
const NO_ID = 0;

export interface RaftPlace {
  /** The folder of the node's store. */
  readonly folder: string;
  /** Folder that contains the folder `raft`. */
  readonly logFolder: string;
  readonly raftId: number;
  /** Whether its raft id came from a cluster rather than from static-nodes.json. */
  readonly isJoining: boolean;
}

/** Throws RAFT_LOG_… or STORE_FORMAT_NEWER. */
export async function openRaftLog(
  { store, folder, seals }: OpenChain,
  place: RaftPlace,
): Promise<RaftStore> {
  const mustBeThere = reasonFor(place, store.head()?.number ?? 0);
  const sealed = sealedNumber(folder.kv, 'raft');
  const path = join(place.logFolder, RAFT_FOLDER);
  const raft = await RaftStore.open(nodeLogFolder(path), { mustBeThere, sealed }).catch(
    (cause: unknown) => {
      if (!(cause instanceof QuorateError)) throw cause;
      throw fail(cause.code, `${path}: ${cause.message}`, { cause });
    },
  );
  seals.follow('raft', () => raft.lastWritten);
  // The recorded number belongs to an abandoned log: the new one must not be mistaken for an older
  // copy.
  if (sealed > raft.lastWritten) await seals.writeNow(folder.kv);
  writeNote(place.folder, place.raftId);
  return raft;
}

/** For an operator who restarts the cluster. Keeps the old log as `raft.before-reset`. */
export function resetRaftLog(folder: string, logFolder: string = folder): void {
  const path = join(logFolder, RAFT_FOLDER);
  const kept = `${path}.before-reset`;
  if (existsSync(path)) {
    rmSync(kept, { recursive: true, force: true });
    renameSync(path, kept);
  }
  writeNote(folder, NO_ID);
}

/** Why a log must already exist; undefined: a new one may be created. */
function reasonFor({ folder, raftId, isJoining }: RaftPlace, head: number): string | undefined {
  const noted = readNote(folder);
  if (noted === 'unreadable') return `${join(folder, NOTE)} says that there was one`;
  if (noted === NO_ID) return undefined;
  if (noted === raftId) return `this node was member ${raftId} of its cluster before`;
  return !isJoining && head > 0 ? `its chain is at block ${head}` : undefined;
}

/** Throws STORE_FORMAT_NEWER. */
function readNote(folder: string): number | 'unreadable' | undefined {
  const path = join(folder, NOTE);
  if (!existsSync(path)) return undefined;
  const found = NOTE_PATTERN.exec(readFileSync(path, 'utf8'));
  if (!found) return 'unreadable';
  const version = Number(found[1]);
  if (version > NOTE_VERSION) {
    throw newerVersion('STORE_FORMAT_NEWER', path, { found: version, known: NOTE_VERSION });
  }
  return Number(found[2]);
}

function writeNote(folder: string, raftId: number): void {
  const path = join(folder, NOTE);
  const text = `quorate raft member ${NOTE_VERSION}, id ${raftId}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
