/**
 * Messages and state of the members of a Raft cluster as text; `2/4` is the entry of term 2 at
 * index 4, as etcd writes it.
 */
import {
  CONF_CHANGE,
  decodeConfChange,
  ENTRY_TYPE,
  type Entry,
  MESSAGE_TYPE,
  type RaftMessage,
} from '../../src/core/consensus/raft/messages.ts';

/** Of a longer list, only the first and the last entry are printed. */
const ENTRIES_SHOWN_MAX = 4;

const TYPE_NAMES: Readonly<Record<number, string>> = {
  [MESSAGE_TYPE.propose]: 'PROPOSE',
  [MESSAGE_TYPE.append]: 'APPEND',
  [MESSAGE_TYPE.appendResponse]: 'APPEND-RESPONSE',
  [MESSAGE_TYPE.vote]: 'VOTE',
  [MESSAGE_TYPE.voteResponse]: 'VOTE-RESPONSE',
  [MESSAGE_TYPE.snapshot]: 'SNAPSHOT',
  [MESSAGE_TYPE.heartbeat]: 'HEARTBEAT',
  [MESSAGE_TYPE.heartbeatResponse]: 'HEARTBEAT-RESPONSE',
  [MESSAGE_TYPE.preVote]: 'PRE-VOTE',
  [MESSAGE_TYPE.preVoteResponse]: 'PRE-VOTE-RESPONSE',
};

export const typeName = ({ type }: RaftMessage): string => TYPE_NAMES[type]!;

export function textOf(message: RaftMessage): string {
  const head = `${message.from} to ${message.to}: ${typeName(message)}`;
  if (message.type === MESSAGE_TYPE.propose) return `${head} ${entriesText(message.entries)}`;
  return `${head} term ${message.term}${detailsOf(message)}`;
}

function detailsOf(message: RaftMessage): string {
  const { type, index, logTerm, entries, commit, snapshot, reject, rejectHint } = message;
  switch (type) {
    case MESSAGE_TYPE.preVote:
    case MESSAGE_TYPE.vote:
      return `, log ends at ${logTerm}/${index}`;
    case MESSAGE_TYPE.preVoteResponse:
    case MESSAGE_TYPE.voteResponse:
      return reject ? ', refused' : ', granted';
    case MESSAGE_TYPE.append:
      return `, after ${logTerm}/${index}: ${entriesText(entries)}, committed ${commit}`;
    case MESSAGE_TYPE.appendResponse:
      return reject
        ? `, refuses what follows ${index}, log ends at ${rejectHint}`
        : `, has ${index}`;
    case MESSAGE_TYPE.heartbeat:
      return `, committed ${commit}`;
    case MESSAGE_TYPE.snapshot:
      return ` up to ${snapshot.term}/${snapshot.index}`;
    default:
      return '';
  }
}

export function entriesText(entries: readonly Entry[]): string {
  if (entries.length === 0) return 'no entries';
  if (entries.length <= ENTRIES_SHOWN_MAX) return entries.map(entryText).join(', ');
  return `${entryText(entries[0]!)} to ${entryText(entries.at(-1)!)}`;
}

export function entryText({ type, term, index, data }: Entry): string {
  // A proposed entry has no index yet.
  const place = term === 0 ? '' : `${term}/${index} `;
  if (type === ENTRY_TYPE.confChange) return `${place}${changeText(data)}`;
  return data.length === 0 ? `${place}(empty)` : `${place}${new TextDecoder().decode(data)}`;
}

const CHANGE_NAMES: Readonly<Record<number, string>> = {
  [CONF_CHANGE.addNode]: 'add',
  [CONF_CHANGE.removeNode]: 'remove',
  [CONF_CHANGE.addLearner]: 'add-learner',
};

function changeText(data: Uint8Array): string {
  const { type, nodeId } = decodeConfChange(data);
  return `(${CHANGE_NAMES[type]} ${nodeId})`;
}

/** Throws for an unknown name. */
export function changeNamed(name: string): number {
  const found = Object.entries(CHANGE_NAMES).find(([, each]) => each === name);
  if (!found) throw new Error(`no change ${name}`);
  return Number(found[0]);
}
