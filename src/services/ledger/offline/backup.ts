/** Snapshots of a running node's data folder, and restoring one (docs/manager.md). */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import { parseGenesis } from '../../../core/chain/genesis.ts';
import { headerHash } from '../../../core/chain/header.ts';
import { memoryFrom } from '../../../core/consensus/bft/memory-loss.ts';
import { BlockLog } from '../../../core/store/block-log.ts';
import { checkFormat } from '../../../core/store/format.ts';
import { RECORD_KIND } from '../../../core/store/log-record.ts';
import { decodeHeaderOf, decodeRewindRecord } from '../../../core/store/record-bodies.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';
import { isThere } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import type { SnapshotReader } from '../../../io/snapshot/reader.ts';
import type { SnapshotWriter } from '../../../io/snapshot/writer.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { openVotes } from '../../../io/storage/vote-files.ts';
import { storeFolder } from '../store/data.ts';
import { keptGenesis } from '../store/kept-genesis.ts';
import { resetRaftLog } from '../store/raft-log.ts';

const PART = 'node';
const STORE = 'quorate';
const BLOCKS = 'blocks';
/**
 * Left out: rebuilt from the blocks, or belongs to the running process; or votes of a Raft member,
 * which a restored one must not repeat.
 */
const LEFT_OUT = /^(index.*|raft.*|LOCK.*|votes-written|.*\.new)$/;
/** Files outside the store that a node reads from its data folder. */
const BESIDE = /^(nodekey|.*\.json|.*\.toml)$/;
const KEYSTORE = 'keystore';
/** Folder in which GoQuorum stores these files. */
const OLDER_FOLDER = 'geth';
/** Number of latest blocks whose hashes are kept, in case a rewind follows. */
const HASHES_KEPT = 1_000;
const RESTORING = '.restoring';
/** Maximum size of a file other than blocks; larger ones do not belong to Quorate. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

export interface NodeSnapshot {
  readonly head: number;
  readonly hash: string;
}

/** Total size of the blocks, which are nearly all of a snapshot; 0: there are none. */
export function blockBytes(dataDirectory: string): number {
  const folder = join(storeFolder(dataDirectory), BLOCKS);
  const names = isThere(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/**
 * Copies blocks last, up to the last complete record, so that everything else copied is older.
 * Checks every record. Throws GENESIS_MISSING, STORE_FORMAT_…, STORE_CORRUPT or SNAPSHOT_….
 */
export async function backupNode(
  dataDirectory: string,
  writer: SnapshotWriter,
): Promise<NodeSnapshot> {
  const store = storeFolder(dataDirectory);
  if (!isThere(join(store, 'format'))) {
    throw fail(
      'GENESIS_MISSING',
      `there is no chain in ${dataDirectory}: name the node's --datadir`,
    );
  }
  const dataFormat = checkFormat(readFileSync(join(store, 'format'), 'utf8'), store);
  const kept = readdirSync(store).filter((name) => !LEFT_OUT.test(name) && name !== BLOCKS);
  for (const name of kept) await copyTree(writer, join(store, name), `${PART}/${STORE}/${name}`);
  await copyTree(writer, join(dataDirectory, KEYSTORE), `${PART}/${KEYSTORE}`);
  for (const folder of ['', `${OLDER_FOLDER}/`]) {
    const full = join(dataDirectory, folder);
    const names = existsSync(full) ? readdirSync(full) : [];
    for (const name of names.filter((one) => BESIDE.test(one))) {
      await copyTree(writer, join(full, name), `${PART}/${folder}${name}`);
    }
  }
  const head = await copyBlocks(writer, join(store, BLOCKS));
  writer.part(PART, { ...head, dataFormat });
  return head;
}

async function copyBlocks(writer: SnapshotWriter, folder: string): Promise<NodeSnapshot> {
  const segments = nodeLogFolder(folder).segments();
  const nameOf = (segment: number) => `${String(segment).padStart(6, '0')}.log`;
  const pathOf = (segment: number) => `${PART}/${STORE}/${BLOCKS}/${nameOf(segment)}`;
  const last = segments.at(-1);
  for (const segment of segments) {
    const from = join(folder, nameOf(segment));
    const isOpen = segment === last;
    await writer.copy(from, pathOf(segment), { limit: statSync(from).size, isOpen });
  }
  if (last === undefined) throw fail('GENESIS_MISSING', `there are no blocks in ${folder}`);
  // Scanning cuts off a record that was incomplete during the copy.
  const log = new BlockLog(nodeLogFolder(writer.pathOf(`${PART}/${STORE}/${BLOCKS}`)));
  let head: NodeSnapshot | undefined;
  try {
    const hashes = new Map<number, string>();
    for (const { kind, body } of log.scan({ segment: segments[0]!, offset: 0 })) {
      if (kind === RECORD_KIND.block) {
        const header = decodeHeaderOf(body);
        if (!header) throw fail('STORE_CORRUPT', 'a block in the log has no header');
        head = { head: header.number, hash: toHex(headerHash(header)) };
        hashes.set(head.head, head.hash);
        hashes.delete(head.head - HASHES_KEPT);
      } else if (kind === RECORD_KIND.rewind) {
        const { to, psi } = decodeRewindRecord(body);
        if (psi === undefined) head = { head: to, hash: hashes.get(to) ?? '' };
      }
    }
  } finally {
    log.close();
  }
  await writer.note(pathOf(last));
  if (!head) throw fail('GENESIS_MISSING', `there are no blocks in ${folder}`);
  return head;
}

async function copyTree(writer: SnapshotWriter, from: string, path: string): Promise<void> {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    for (const name of readdirSync(from)) {
      if (!LEFT_OUT.test(name)) await copyTree(writer, join(from, name), `${path}/${name}`);
    }
    return;
  }
  if (!found?.isFile() || found.size > FILE_BYTES_MAX) return;
  try {
    await writer.copy(from, path);
  } catch (error) {
    // The journal deletes its old file when it is rewritten.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Call it before anything is restored. Throws RESTORE_TARGET_NOT_EMPTY, SNAPSHOT_PART_MISSING or
 * STORE_FORMAT_….
 */
export function checkNodeTarget(snapshot: SnapshotReader, dataDirectory: string): void {
  const files = snapshot.below(PART);
  if (files.length === 0) {
    throw fail('SNAPSHOT_PART_MISSING', `${snapshot.folder} holds no node: omit --datadir`);
  }
  const names = new Set(files.map(({ path }) => inside(path).split('/')[0]!));
  const taken = [...names].find((name) => existsSync(join(dataDirectory, name)));
  if (taken !== undefined) {
    throw fail(
      'RESTORE_TARGET_NOT_EMPTY',
      `${join(dataDirectory, taken)} exists already: restore into a new folder, or move the old one away`,
    );
  }
  const stamp = files.find(({ path }) => path === `${PART}/${STORE}/format`);
  if (stamp) checkFormat(readFileSync(snapshot.pathOf(stamp), 'utf8'), snapshot.folder);
}

/**
 * Restores into a folder without a chain, which checkNodeTarget has checked. Throws
 * SNAPSHOT_DAMAGED.
 */
export async function restoreNode(
  snapshot: SnapshotReader,
  dataDirectory: string,
  onBytes: (count: number) => void,
): Promise<void> {
  const files = snapshot.below(PART);
  // Files get their final names only after everything is complete; the store comes last.
  const partial = join(dataDirectory, RESTORING);
  rmSync(partial, { recursive: true, force: true });
  makeFolder(partial, 0o700);
  for (const file of files) await snapshot.extract(file, join(partial, inside(file.path)), onBytes);
  await restoreVotes(join(partial, STORE), snapshot);
  restoreRaft(join(partial, STORE));
  for (const name of [...readdirSync(partial).filter((one) => one !== STORE), STORE]) {
    renameSync(join(partial, name), join(dataDirectory, name));
  }
  rmSync(partial, { recursive: true });
}

/**
 * A network that is restored as a whole must be able to vote again, although the votes since the
 * snapshot are unknown.
 */
async function restoreVotes(store: string, { manifest }: SnapshotReader): Promise<void> {
  const head = Number(manifest.parts[PART]?.head);
  const { votes, votesWritten, close } = await openVotes(store);
  const file = new VoteFile(votes, votesWritten);
  try {
    const memory = file.memory();
    if (!memory || memory.height <= head) await file.remember(memoryFrom(head + 1));
  } finally {
    close();
  }
}

/** A cluster that is restored as a whole starts with a new Raft log. */
function restoreRaft(store: string): void {
  const kept = keptGenesis(store);
  if (kept !== undefined && engineAt(parseGenesis(kept).config, 1) === 'raft') resetRaftLog(store);
}

function inside(path: string): string {
  return path.slice(PART.length + 1);
}
