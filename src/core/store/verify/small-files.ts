/** Checks the vote file, the transaction journal and the Raft log. Cuts and writes nothing. */
import type { LogFolder, SlotFile } from '../../base/ports.ts';
import { journalFile, readJournalSegment } from '../journal-segment.ts';
import { parseRecord, RECORD_HEADER_BYTES } from '../log-record.ts';
import { decodeBase, findRecord, RAFT_KIND, raftFile, replay } from '../raft-records.ts';
import { decodeVoteNote, decodeVoteSlot, VOTE_SLOTS } from '../vote-file.ts';
import { CURE, type Teller } from './finding.ts';

const VOTES_CURE =
  'the validator abstains until it has seen a decided height; if the others wait for it: "quorate db reset-votes --height N"';
const RAFT_CURE =
  'restore the folder "raft" together with the chain from one backup, or remove this member, add it again and start it with the new id (docs/raft.md)';

/**
 * `sealed`: the last vote that the index knows of. Returns how many slots hold a vote. Throws
 * STORE_FORMAT_NEWER.
 */
export function verifyVotes(
  votes: SlotFile,
  written: SlotFile,
  sealed: number,
  teller: Teller,
): number {
  const slots = Array.from({ length: VOTE_SLOTS }, (_, slot) => votes.read(slot));
  const found = slots.map((bytes) => decodeVoteSlot(bytes));
  const latest = Math.max(0, ...found.map((slot) => slot?.sequence ?? 0));
  const newest = Math.max(sealed, decodeVoteNote(written.read(0)));
  for (const [at, bytes] of slots.entries()) {
    if (bytes === undefined || found[at]) continue;
    const isLost = newest > latest || latest === 0;
    teller.found({
      file: 'votes',
      what: isLost
        ? `slot ${at}, with the newest vote, is damaged`
        : `slot ${at} is torn: its vote was never sent`,
      cure: isLost ? VOTES_CURE : CURE.none,
      ...(isLost ? {} : { isNote: true }),
    });
  }
  const isGone = slots.every((bytes) => bytes === undefined);
  const isRead = slots.every((bytes, at) => bytes === undefined || found[at]);
  if (isGone && newest === 0) {
    teller.found({ file: 'votes', what: 'it is missing or empty', cure: VOTES_CURE, isNote: true });
  } else if (latest < newest && isRead) {
    const what = isGone
      ? `it is missing or empty, but vote number ${newest} was written`
      : `it is an older copy: its newest vote is number ${latest}, but number ${newest} was written`;
    teller.found({ file: 'votes', what, cure: VOTES_CURE });
  }
  return found.filter(Boolean).length;
}

/** Returns how many entries are whole. Throws STORE_FORMAT_NEWER. */
export function verifyJournal(folder: LogFolder, teller: Teller): number {
  let entries = 0;
  for (const segment of folder.segments()) {
    const file = folder.open(segment);
    const read = readJournalSegment(segment, file.read(0, file.size()));
    file.close();
    entries += read.entries.length;
    for (const { from, to, isEnd } of read.damage) {
      teller.found({
        file: journalFile(segment),
        offset: from,
        what: `${to - from} bytes are ${isEnd ? 'torn or damaged' : 'damaged'} and hold no intact entry`,
        cure: isEnd
          ? CURE.none
          : 'the next start sends the intact entries again and rewrites the journal; the senders of the lost entries may have to send them again',
        ...(isEnd ? { isNote: true } : {}),
      });
    }
  }
  return entries;
}

/**
 * `sealed`: the last save that the index knows of. Returns how many records are whole. Throws
 * STORE_FORMAT_NEWER.
 */
export function verifyRaftLog(folder: LogFolder, sealed: number, teller: Teller): number {
  const segment = folder.segments().at(-1);
  if (segment === undefined) return 0;
  const file = folder.open(segment);
  const bytes = file.read(0, file.size());
  file.close();
  const damaged = (offset: number, what: string) =>
    teller.found({ file: raftFile(segment), offset, what, cure: RAFT_CURE });
  const base = parseRecord(bytes, 0, { segment, offset: 0 });
  if (base?.kind !== RAFT_KIND.base) {
    // A crash cut the new segment: the previous one is still valid.
    if (folder.segments().length === 1) damaged(0, 'its first record is damaged');
    return 0;
  }
  let { memory, sequence } = decodeBase(base, segment);
  let at = RECORD_HEADER_BYTES + base.body.length;
  let records = 1;
  while (at < bytes.length) {
    const record = parseRecord(bytes, at, { segment, offset: at });
    if (record) {
      ({ memory, sequence } = replay(memory, record, sequence));
      at += RECORD_HEADER_BYTES + record.body.length;
      records++;
      continue;
    }
    const next = findRecord(bytes, at + 1, segment);
    if (next !== undefined)
      damaged(at, `no good record begins here; the next one is at byte ${next}`);
    if (next === undefined) {
      const what = 'the last record is torn, as a crash leaves it: nothing relied on it';
      teller.found({ file: raftFile(segment), offset: at, what, cure: CURE.none, isNote: true });
      break;
    }
    at = next;
  }
  if (sequence < sealed) {
    damaged(
      bytes.length,
      `it is an older copy, or truncated: it ends with save ${sequence}, but ${sealed} was written`,
    );
  }
  return records;
}
