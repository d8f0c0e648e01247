/**
 * A GoQuorum data folder: the locations of its parts, and whether a node still runs on it. Never
 * writes to it.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { lockHolder } from '../../../io/geth/held-lock.ts';
import { journaledTransactions } from '../../../io/geth/pending-transactions.ts';
import { isThere } from '../../../io/host/files.ts';

export interface GethSource {
  readonly folder: string;
  readonly chaindata: string;
  readonly ancient: string;
  readonly genesisFile: string;
  /** Folder of `raft-wal` and `raft-snap`, if the node was a Raft member. */
  readonly raft: string;
  /** Journal of local transactions; undefined: there is none. */
  readonly pending: string | undefined;
  /** Files that a node reads beside its chain, and where they belong in a Quorate data folder. */
  readonly files: readonly { readonly from: string; readonly to: string }[];
  /** Files that are not migrated, with the reason. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

interface SourceOptions {
  readonly genesisFile: string | undefined;
  readonly ancient: string | undefined;
  /** If it was not in the data folder (--raftlogdir). */
  readonly raftFolder?: string | undefined;
  /** If it was not at the default location (--txpool.journal). */
  readonly pendingFile?: string | undefined;
}

/** Files beside `geth/`, which keep their names. */
const BESIDE = [
  'static-nodes.json',
  'trusted-nodes.json',
  'permissioned-nodes.json',
  'disallowed-nodes.json',
  'permission-config.json',
];
const LEFT: Readonly<Record<string, string>> = {
  'quorum-raft-state': 'which entries a Raft member applied; here the chain says it',
  'activeExtensions.json': 'extensions that wait are read from the chain',
  privateTransactionManager: 'a plugin or manager beside the node: "quorate migrate manager"',
};

/** Throws GETH_DATA_MISSING, GETH_DATA_IN_USE or GENESIS_MISSING. */
export function findSource(
  folder: string,
  { genesisFile, ancient, raftFolder, pendingFile }: SourceOptions,
): GethSource {
  const geth = join(folder, 'geth');
  const chaindata = join(geth, 'chaindata');
  if (!existsSync(join(chaindata, 'CURRENT'))) throw notThere(folder, chaindata);
  for (const path of [join(geth, 'LOCK'), join(chaindata, 'LOCK')]) {
    const pid = lockHolder(path);
    if (pid === undefined) continue;
    throw fail(
      'GETH_DATA_IN_USE',
      `process ${pid} runs on ${folder} (it holds ${path}): stop that node first, or migrate a copy of its folder`,
      { data: { pid, path: folder } },
    );
  }
  const genesis = genesisFile ?? join(folder, 'genesis.json');
  if (!isThere(genesis)) {
    throw fail(
      'GENESIS_MISSING',
      `the accounts of block 0 are not in GoQuorum's database: name the genesis file that its "geth init" was given (--genesis genesis.json)`,
    );
  }
  if (raftFolder !== undefined && !existsSync(join(raftFolder, 'raft-wal'))) {
    throw fail(
      'GETH_DATA_MISSING',
      `there is no log of a Raft member in ${raftFolder}: name the folder that contains raft-wal (--raftlogdir), or omit it`,
      { data: { path: raftFolder } },
    );
  }
  if (pendingFile !== undefined) checkJournal(pendingFile);
  const journal = pendingFile ?? join(geth, 'transactions.rlp');
  return {
    folder,
    chaindata,
    ancient: ancient ?? join(chaindata, 'ancient'),
    genesisFile: genesis,
    raft: raftFolder ?? folder,
    pending: existsSync(journal) ? journal : undefined,
    files: filesOf(folder, geth),
    left: Object.entries(LEFT)
      .filter(([name]) => existsSync(join(folder, name)))
      .map(([name, why]) => ({ name, why })),
  };
}

/** Throws unless the journal that an option names exists and is a journal. */
function checkJournal(path: string): void {
  const isFile = isThere(path) && statSync(path).isFile();
  const first = isFile ? journaledTransactions(path).next() : undefined;
  if (first && !(first.done && first.value.damagedAt === 0)) return;
  const fault = isFile ? `${path} holds no transactions` : `there is no file ${path}`;
  throw fail(
    'GETH_DATA_MISSING',
    `${fault}: name the journal that the node's --txpool.journal names, or omit it`,
    { data: { path } },
  );
}

function notThere(folder: string, chaindata: string): Error {
  const looked = `there is no chain of GoQuorum in ${folder}: ${chaindata} has no CURRENT.`;
  const inside = existsSync(join(folder, 'chaindata', 'CURRENT'))
    ? ` It is the folder "geth" of a data folder: name the one above it.`
    : existsSync(join(folder, 'quorate'))
      ? ` It holds a chain of Quorate already.`
      : ` Name the folder that the node's --datadir names.`;
  return fail('GETH_DATA_MISSING', looked + inside, { data: { path: folder } });
}

function filesOf(folder: string, geth: string): GethSource['files'] {
  const files = [];
  for (const nodekey of [join(geth, 'nodekey'), join(folder, 'nodekey')]) {
    if (!existsSync(nodekey)) continue;
    files.push({ from: nodekey, to: join('quorate', 'nodekey') });
    break;
  }
  for (const name of BESIDE) {
    for (const from of [join(folder, name), join(geth, name)]) {
      if (!existsSync(from)) continue;
      files.push({ from, to: name });
      break;
    }
  }
  const keystore = join(folder, 'keystore');
  if (existsSync(keystore)) {
    for (const name of readdirSync(keystore)) {
      const from = join(keystore, name);
      if (statSync(from).isFile()) files.push({ from, to: join('keystore', name) });
    }
  }
  return files;
}
