/**
 * Checks all data of a stopped node on disk, without changing them: `quorate db verify`
 * (docs/storage.md).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail, hasCode, QuorateError } from '../../../core/base/errors.ts';
import type { Kv, SlotFile } from '../../../core/base/ports.ts';
import { type Genesis, parseGenesis } from '../../../core/chain/genesis.ts';
import type { TransactionDialect } from '../../../core/chain/transaction.ts';
import { ACCOUNT_TABLES } from '../../../core/store/accounts/account-rows.ts';
import { ChainReplica } from '../../../core/store/chain-replica.ts';
import { CheckedKv } from '../../../core/store/checked-kv.ts';
import { type CheckpointMark, readMark } from '../../../core/store/checkpoint.ts';
import { checkFormat, FORMAT_VERSION, upgradedFormat } from '../../../core/store/format.ts';
import { PUBLIC_SPACE, type Space } from '../../../core/store/interface.ts';
import { TABLES } from '../../../core/store/keys.ts';
import { rewindsOf } from '../../../core/store/rewinds.ts';
import { sealedNumber } from '../../../core/store/seals.ts';
import { ACCOUNTS_FILE, AccountEntries } from '../../../core/store/verify/account-entries.ts';
import {
  type LogSummary,
  type RecordVisitor,
  verifyBlockRecords,
} from '../../../core/store/verify/block-records.ts';
import { CURE, type Finding, Findings, type Teller } from '../../../core/store/verify/finding.ts';
import { IndexRows } from '../../../core/store/verify/index-rows.ts';
import {
  verifyJournal,
  verifyRaftLog,
  verifyVotes,
} from '../../../core/store/verify/small-files.ts';
import { type StateCounts, verifyState } from '../../../core/store/verify/state.ts';
import { hasAccountIndex } from '../../../io/storage/account-folder.ts';
import { lockDirectory } from '../../../io/storage/directory-lock.ts';
import { pageFault } from '../../../io/storage/index-state.ts';
import { lmdbFault } from '../../../io/storage/lmdb-file.ts';
import { type OpenLmdb, openLmdbKv } from '../../../io/storage/lmdb-kv.ts';
import { readOnlyLogFolder } from '../../../io/storage/node-log-file.ts';
import { probeIndex } from '../../../io/storage/probe-index.ts';
import { openVotes } from '../../../io/storage/vote-files.ts';
import { firstBlockOf } from '../node/chain/first-block.ts';
import { storeFolder } from '../store/data.ts';
import { checkKept, keptGenesis } from '../store/kept-genesis.ts';

export interface VerifyReport {
  /** Whether nothing but notes was found. */
  readonly isWhole: boolean;
  readonly findings: readonly Finding[];
  /** Number of findings omitted, for files with more than a hundred. */
  readonly leftOut: readonly { readonly file: string; readonly count: number }[];
  readonly checked: {
    readonly records: number;
    readonly logBytes: number;
    /** Number of the last block; -1: there is none. */
    readonly head: number;
    readonly indexRows: number;
    /** Entries of the index of accounts; 0: the node has none. */
    readonly accountEntries: number;
    readonly accounts: number;
    readonly slots: number;
    readonly votes: number;
    readonly journalEntries: number;
    readonly raftRecords: number;
  };
}

export interface VerifyOptions {
  /** Folder that contains `raft`, if that is not the data folder. */
  readonly raftFolder?: string | undefined;
  readonly progress: Teller['progress'];
}

/**
 * Throws GENESIS_MISSING when there is no chain, STORAGE_LOCKED while its node runs,
 * STORE_FORMAT_NEWER.
 */
export async function verifyData(
  dataDirectory: string,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const folder = storeFolder(dataDirectory);
  if (!existsSync(join(folder, 'blocks'))) {
    throw fail('GENESIS_MISSING', `there is no chain in ${dataDirectory}: name a node's --datadir`);
  }
  const unlock = lockDirectory(folder);
  try {
    return await new DataLook(folder, dataDirectory, options).run();
  } finally {
    unlock();
  }
}

const NOTHING_READ = { indexRows: 0, accounts: 0, slots: 0, accountEntries: 0 };

/** Tables that can be made again from the block log. */
interface Tables {
  readonly name: string;
  /** Path below the store's folder. */
  readonly file: string;
  readonly tables: readonly string[];
  readonly cure: string;
}

const INDEX: Tables = { name: 'index', file: 'index/data.mdb', tables: TABLES, cure: CURE.index };
const ACCOUNTS: Tables = {
  ...{ name: 'accounts', file: ACCOUNTS_FILE, tables: ACCOUNT_TABLES, cure: CURE.accounts },
};

class DataLook implements Teller {
  private readonly folder: string;
  private readonly dataDirectory: string;
  private readonly raftFolder: string;
  private readonly findings = new Findings();
  readonly progress: Teller['progress'];

  constructor(folder: string, dataDirectory: string, { raftFolder, progress }: VerifyOptions) {
    this.folder = folder;
    this.dataDirectory = dataDirectory;
    this.raftFolder = raftFolder ?? folder;
    this.progress = progress;
  }

  found(finding: Finding): void {
    this.findings.add(finding);
  }

  async run(): Promise<VerifyReport> {
    const format = this.format();
    const genesis = this.genesis();
    const isChecked = format !== undefined && upgradedFormat(format) === format;
    const lmdb = isChecked ? await this.openTables(INDEX) : undefined;
    const kv = lmdb && new CheckedKv(lmdb);
    const accounts = hasAccountIndex(this.folder) ? await this.openTables(ACCOUNTS) : undefined;
    try {
      const seals = {
        votes: kv ? guarded(() => sealedNumber(kv, 'votes'), 0) : 0,
        raft: kv ? guarded(() => sealedNumber(kv, 'raft'), 0) : 0,
      };
      const { summary, counts } = this.chain(genesis, lmdb, kv, accounts);
      const votes = await this.votes(seals.votes);
      const journalEntries = this.part('journal', this.folder, (log) => verifyJournal(log, this));
      const raftRecords = this.part('raft', this.raftFolder, (log) =>
        verifyRaftLog(log, seals.raft, this),
      );
      const { list } = this.findings;
      return {
        isWhole: list.every(({ isNote }) => isNote),
        findings: list,
        leftOut: this.findings.leftOut(),
        checked: {
          ...{ records: summary.records, logBytes: summary.bytes, head: summary.head },
          ...counts,
          ...{ votes, journalEntries, raftRecords },
        },
      };
    } finally {
      await kv?.close();
      await accounts?.close();
    }
  }

  /** Undefined: the file cannot be read. */
  private format(): number | undefined {
    const path = join(this.folder, 'format');
    try {
      const version = checkFormat(existsSync(path) ? readFileSync(path, 'utf8') : '', this.folder);
      if (upgradedFormat(version) !== version) {
        const what = `data format ${version}: the rows of its index are of an older layout, and are not checked`;
        const cure = 'the next start upgrades the folder';
        this.found({ file: 'format', what, cure, isNote: true });
      }
      return version;
    } catch (error) {
      if (!hasCode(error, 'STORE_FORMAT_UNKNOWN')) throw error;
      const cure = 'delete that file; the next start writes it again';
      this.found({ file: 'format', what: 'it is missing or damaged', cure });
      return FORMAT_VERSION;
    }
  }

  private genesis(): Genesis | undefined {
    const cure = `give the genesis file of the chain again: "quorate init --datadir ${this.dataDirectory} genesis.json"`;
    const damaged = (what: string) => this.found({ file: 'genesis.json', what, cure });
    const text = keptGenesis(this.folder);
    if (text === undefined) {
      damaged('it is missing');
      return undefined;
    }
    if (!checkKept(this.folder, text).isSame) damaged('its checksum file does not match');
    try {
      return parseGenesis(text);
    } catch (error) {
      damaged((error as Error).message);
      return undefined;
    }
  }

  /** Undefined: the file is missing, or so damaged that it must not be mapped. */
  private async openTables({ name, file, tables, cure }: Tables): Promise<OpenLmdb | undefined> {
    const path = join(this.folder, file);
    if (!existsSync(path)) {
      this.found({ file, what: 'it is missing', cure, isNote: true });
      return undefined;
    }
    const index = dirname(path);
    const fault =
      lmdbFault(path) ??
      pageFault(index) ??
      (await probeIndex(index, tables, (done, of) => this.progress(name, done, of)));
    if (fault === undefined) return openLmdbKv({ path: index, tables, readOnly: true });
    this.found({ file, what: fault, cure });
    return undefined;
  }

  /** Checks the log, the rows derived from it, their state, and the blocks above the checkpoint. */
  private chain(
    genesis: Genesis | undefined,
    lmdb: OpenLmdb | undefined,
    kv: Kv | undefined,
    accounts: Kv | undefined,
  ): { summary: LogSummary; counts: typeof NOTHING_READ } {
    const blocks = readOnlyLogFolder(join(this.folder, 'blocks'));
    const dialect = genesis && !genesis.config.isQuorum ? 'ethereum' : 'quorum';
    const mark = kv && readMark(kv);
    const rewinds = rewindsOf(blocks);
    const rows =
      lmdb && kv && mark
        ? new IndexRows({ kv, bare: lmdb, mark, teller: this, rewinds })
        : undefined;
    const entries =
      accounts && new AccountEntries({ kv: new CheckedKv(accounts), rewinds, teller: this });
    const summary = verifyBlockRecords({
      ...{ folder: blocks, dialect, teller: this, checkpoint: mark?.position },
      visitor: withFirst([rows, entries], (hash) => this.first(genesis, hash)),
    });
    entries?.finish(summary.head);
    const accountEntries = entries?.count ?? 0;
    if (!rows || !kv || !mark) return { summary, counts: { ...NOTHING_READ, accountEntries } };
    if (summary.isWhole) rows.finish();
    const state: StateCounts = verifyState(kv, mark, this);
    if (summary.isWhole) this.above(kv, mark, dialect, summary, rows.rootsAtHorizon);
    const { accounts: stateAccounts, slots } = state;
    return {
      summary,
      counts: { indexRows: rows.rows, accounts: stateAccounts, slots, accountEntries },
    };
  }

  private first(genesis: Genesis | undefined, hash: Uint8Array): void {
    if (!genesis || equalBytes(firstBlockOf(genesis).block.hash, hash)) return;
    this.found({
      file: 'genesis.json',
      height: 0,
      what: 'block 0 of the log does not follow from it',
      cure: 'put the genesis file of this chain back: "quorate init" with it',
    });
  }

  /**
   * Checks that the write sets above the checkpoint lead to the root of the last header, and that
   * the rows of an index that was pruned lead back to its oldest states.
   */
  private above(
    kv: Kv,
    mark: CheckpointMark,
    dialect: TransactionDialect,
    { end, head }: LogSummary,
    rootsAtHorizon: IndexRows['rootsAtHorizon'],
  ): void {
    const log = readOnlyLogFolder(join(this.folder, 'blocks'));
    if (rewindsOf(log).some(({ position }) => isAt(position, mark.position))) return;
    const replica = new ChainReplica({ log, kv, dialect });
    try {
      replica.follow(end);
      this.oldest(replica, mark.horizon, rootsAtHorizon);
      const root = replica.trieAt(PUBLIC_SPACE, head).root();
      if (equalBytes(root, replica.header(head)!.stateRoot)) return;
      const what = `the changes above the index do not give the state root of block ${head}`;
      this.found({ file: 'blocks', height: head, what, cure: CURE.log });
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      this.found({ file: 'blocks', height: head, what: error.message, cure: CURE.log });
    }
  }

  private oldest(
    replica: ChainReplica,
    horizon: number | undefined,
    roots: IndexRows['rootsAtHorizon'],
  ): void {
    if (horizon === undefined) return;
    for (const [psi, root] of roots) {
      const space: Space = psi === undefined ? PUBLIC_SPACE : { kind: 'private', psi };
      try {
        if (equalBytes(replica.trieAt(space, horizon).root(), root)) continue;
      } catch (error) {
        // So many changes that leading them back would take too long.
        if (hasCode(error, 'STORE_PROOF_TOO_OLD')) continue;
        throw error;
      }
      const what = `its rows do not lead back to the oldest state, of block ${horizon}`;
      this.found({ file: INDEX.file, height: horizon, what, cure: CURE.index });
    }
  }

  private async votes(sealed: number): Promise<number> {
    const names = ['votes', 'votes-written'];
    if (!names.every((name) => existsSync(join(this.folder, name)))) {
      const one = existsSync(join(this.folder, 'votes')) ? await openVotes(this.folder) : undefined;
      const count = verifyVotes(one?.votes ?? NO_SLOTS, NO_SLOTS, sealed, this);
      one?.close();
      return count;
    }
    const { votes, votesWritten, close } = await openVotes(this.folder);
    try {
      return verifyVotes(votes, votesWritten, sealed, this);
    } finally {
      close();
    }
  }

  private part(
    name: string,
    folder: string,
    look: (log: ReturnType<typeof readOnlyLogFolder>) => number,
  ): number {
    const path = join(folder, name);
    return existsSync(path) ? look(readOnlyLogFolder(path)) : 0;
  }
}

const NO_SLOTS: SlotFile = {
  read: () => undefined,
  write: () => Promise.reject(fail('STORAGE_READ_ONLY', 'the file is opened for reading only')),
  writeUnsynced: () => {},
  close: () => {},
};

/** `visitors` are called for all records; `first` is called with the hash of block 0. */
function withFirst(
  visitors: readonly (RecordVisitor | undefined)[],
  first: (hash: Uint8Array) => void,
): RecordVisitor {
  return {
    block(replayed, position) {
      const { header, hash } = replayed.block;
      if (header.number === 0) first(hash);
      for (const each of visitors) each?.block(replayed, position);
    },
    private(record, position) {
      for (const each of visitors) each?.private(record, position);
    },
    state(part) {
      for (const each of visitors) each?.state(part);
    },
  };
}

function isAt(a: { segment: number; offset: number }, b: { segment: number; offset: number }) {
  return a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset);
}

function guarded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
