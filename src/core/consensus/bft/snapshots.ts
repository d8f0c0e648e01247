/**
 * Snapshots of any block, computed from the nearest stored one (GoQuorum
 * consensus/istanbul/backend/snapshot.go): the latest in memory, one in 1024 in the store.
 */
import { type Address, type Hash32, keyOf } from '../../base/bytes.ts';
import { fail, hasCode } from '../../base/errors.ts';
import { Lru } from '../../base/lru.ts';
import { type RlpReader, RlpWriter, readList } from '../../base/rlp.ts';
import type { BftEngine, ConsensusRules } from '../../chain/consensus-rules.ts';
import { blockAuthor, validatorsOf, voteOf } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import { genesisSnapshot, nextSnapshot, type Snapshot, unnamedSnapshot } from './snapshot.ts';
import { sortedValidators } from './validators.ts';
import { Tally } from './votes.ts';

const SNAPSHOTS_KEPT_MAX = 128;
/** Blocks between two snapshots in the store. */
export const CHECKPOINT_BLOCKS = 1024;

export interface SnapshotStore {
  header(number: number, hash: Hash32): Header | undefined;
  rulesAt(number: number): ConsensusRules;
  load(hash: Hash32): Uint8Array | undefined;
  save(hash: Hash32, bytes: Uint8Array): void;
  /**
   * The validators that the contract names after block `number`. Throws when it cannot be called.
   */
  contractValidators(number: number, contract: Address): readonly Address[];
}

interface Position {
  readonly number: number;
  readonly hash: Hash32;
}

interface Stretch {
  /** Newest first. */
  readonly missing: { readonly header: Header; readonly hash: Hash32 }[];
  /** Of the parent of the last of `missing`. */
  readonly known?: Snapshot;
  readonly start?: Position;
}

export class Snapshots {
  private readonly store: SnapshotStore;
  private readonly recent = new Lru<string, Snapshot>(SNAPSHOTS_KEPT_MAX);

  constructor(store: SnapshotStore) {
    this.store = store;
  }

  /**
   * Validators and votes after a block. Throws CONSENSUS_UNKNOWN_ANCESTOR when a header is missing,
   * and STORE_STATE_NOT_MIGRATED or STORE_STATE_PRUNED where a contract named the validators in a
   * state that this node lacks.
   */
  at(number: number, hash: Hash32): Snapshot {
    const ends: Position[] = [{ number, hash }];
    for (;;) {
      const { known, missing, start } = this.stretch(ends.at(-1)!);
      if (known === undefined) {
        ends.push(start!);
        continue;
      }
      let snapshot = known;
      for (let next = missing.pop(); next; next = missing.pop()) {
        snapshot = this.keep(this.after(snapshot, next.header, next.hash));
      }
      ends.pop();
      if (ends.length > 0) continue;
      // Throws, unless the contract's state has arrived since.
      if (snapshot.validators.length === 0) this.named(number, this.store.rulesAt(number), true);
      return snapshot;
    }
  }

  /**
   * Takes one that was computed elsewhere from the one before: it is stored if it is due, so that a
   * chain whose headers are all checked in order is not read again.
   */
  note(snapshot: Snapshot): void {
    if (snapshot.number % CHECKPOINT_BLOCKS === 0) this.keep(snapshot);
  }

  /**
   * The headers from `end` back to the nearest known snapshot. If there is none down to where the
   * next one should be stored, the snapshot of that `start` is needed first: without any, a walk of
   * a long chain would hold all its headers.
   */
  private stretch(end: Position): Stretch {
    const missing: Stretch['missing'] = [];
    let { number, hash } = end;
    for (;;) {
      const known = this.kept(number, hash);
      if (known) return { known, missing };
      const isFull = missing.length > 0 && number % CHECKPOINT_BLOCKS === 0;
      if (isFull && number > 0) return { missing, start: { number, hash } };
      const header = this.store.header(number, hash);
      if (!header) throw fail('CONSENSUS_UNKNOWN_ANCESTOR', 'unknown ancestor');
      if (number === 0) return { known: this.keep(this.first(header, hash)), missing };
      missing.push({ header, hash });
      hash = header.parentHash;
      number--;
    }
  }

  private keep(snapshot: Snapshot): Snapshot {
    this.recent.set(keyOf(snapshot.hash), snapshot);
    if (snapshot.number % CHECKPOINT_BLOCKS === 0) {
      this.store.save(snapshot.hash, encodeSnapshot(snapshot));
    }
    return snapshot;
  }

  private kept(number: number, hash: Hash32): Snapshot | undefined {
    const recent = this.recent.get(keyOf(hash));
    if (recent || number % CHECKPOINT_BLOCKS !== 0) return recent;
    const bytes = this.store.load(hash);
    return bytes && decodeSnapshot(bytes);
  }

  private first(header: Header, hash: Hash32): Snapshot {
    const rules = this.store.rulesAt(0);
    return genesisSnapshot(hash, this.named(0, rules) ?? validatorsOf(header), rules);
  }

  /**
   * The validators that a contract names; undefined: there is no such contract. Empty, unless
   * `isNeeded`: the contract's state after the block was not migrated, or was pruned.
   */
  private named(
    number: number,
    { validatorContract }: ConsensusRules,
    isNeeded = false,
  ): readonly Address[] | undefined {
    if (!validatorContract) return undefined;
    try {
      return this.store.contractValidators(number, validatorContract);
    } catch (error) {
      const isLacking =
        hasCode(error, 'STORE_STATE_NOT_MIGRATED') || hasCode(error, 'STORE_STATE_PRUNED');
      if (isNeeded || !isLacking) throw error;
      return [];
    }
  }

  private after(before: Snapshot, header: Header, hash: Hash32): Snapshot {
    const { number } = header;
    const rules = this.store.rulesAt(number);
    const engine: BftEngine = rules.engine === 'ibft' ? 'ibft' : 'qbft';
    const author = blockAuthor(engine, header);
    if (!author) throw fail('CONSENSUS_UNAUTHORIZED', 'unauthorized');
    const voting = { number, hash, author, vote: voteOf(engine, header) };
    // If the contract's validators are unknown, the header may list the set that made it.
    const validators =
      before.validators.length > 0 ? before.validators : sortedValidators(validatorsOf(header));
    const named = this.named(number, rules);
    return validators.length === 0
      ? unnamedSnapshot(before, voting, rules, named)
      : nextSnapshot({ ...before, validators }, voting, rules, named);
  }
}

const FORMAT = 1;

export function encodeSnapshot(snapshot: Snapshot): Uint8Array {
  const writer = new RlpWriter(512);
  writer.list((w) => {
    w.number(FORMAT).number(snapshot.epoch).number(snapshot.number).string(snapshot.hash);
    w.boolean(snapshot.proposerPolicy === 'sticky');
    w.list((list) => {
      for (const validator of snapshot.validators) list.string(validator);
    });
    w.list((list) => {
      for (const { validator, block, candidate, isAdd } of snapshot.votes) {
        list.list((vote) => {
          vote.string(validator).number(block).string(candidate).boolean(isAdd);
        });
      }
    });
    w.list((list) => {
      for (const [candidate, line] of snapshot.tally.entries()) {
        list.list((entry) => {
          entry.string(candidate).boolean(line.isAdd).number(line.votes);
        });
      }
    });
  });
  return writer.finish();
}

/** Throws SNAPSHOT_UNKNOWN_FORMAT or RLP_INVALID. */
export function decodeSnapshot(bytes: Uint8Array): Snapshot {
  const list = readList(bytes);
  const format = list.number();
  if (format !== FORMAT) {
    throw fail('SNAPSHOT_UNKNOWN_FORMAT', `validator snapshot: format ${format} is unknown`);
  }
  const epoch = list.number();
  const number = list.number();
  const hash = list.fixed(32);
  const proposerPolicy = list.boolean() ? 'sticky' : 'roundRobin';
  const validators = readAll(list, (reader) => reader.fixed(20));
  const votes = readAll(list, readVote);
  const lines = readAll(list, readLine);
  list.finish();
  return { epoch, number, hash, proposerPolicy, validators, votes, tally: new Tally(lines) };
}

function readVote(reader: RlpReader) {
  const list = reader.enter();
  const validator = list.fixed(20);
  const block = list.number();
  const candidate = list.fixed(20);
  return { validator, block, candidate, isAdd: list.boolean() };
}

function readLine(reader: RlpReader) {
  const list = reader.enter();
  const candidate = list.fixed(20);
  const isAdd = list.boolean();
  return [keyOf(candidate), { isAdd, votes: list.number() }] as const;
}

function readAll<T>(reader: RlpReader, read: (reader: RlpReader) => T): T[] {
  const list = reader.enter();
  const items: T[] = [];
  while (!list.done) items.push(read(list));
  return items;
}
