/**
 * What `quorate migrate datadir --dry-run` finds in a source. It writes only to a scratch folder,
 * which it removes.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { decodeHeader } from '../../../core/chain/header.ts';
import { copyTrie } from '../../../core/state/trie-copy.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import { readRaftState } from '../../../io/geth/raft-state.ts';
import { readText } from '../../../io/host/files.ts';
import { readGenesis } from '../store/data.ts';
import { newestState } from './copy-chain.ts';
import { migratedGenesis } from './genesis.ts';
import { openSource } from './migrate-datadir.ts';
import type { GethSource } from './source.ts';

/** A megabyte of 10^6 bytes. */
const MB = 1_000_000;

/** Resolves with lines of text for the operator. Rejects with GETH_… and GENESIS_…. */
export async function lookAtSource(source: GethSource): Promise<readonly string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'quorate-migrate-'));
  try {
    const database = await openSource(source, join(scratch, 'leveldb'));
    try {
      return lines(source, database);
    } finally {
      await database.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function lines(source: GethSource, database: ChainDatabase): readonly string[] {
  const { head, frozen } = database;
  const { text, isFileOlder } = migratedGenesis(readText(source.genesisFile), {
    path: source.genesisFile,
    stored: database.storedConfig(),
    hash: database.hashOf(0),
  });
  const { isMps } = readGenesis(text, source.genesisFile).config;
  const base = newestState(database, isMps);
  const found = [
    `Chain: blocks 0 to ${head.number} (0x${bareHex(head.hash)}), ${frozen} of them in the ancient store.`,
    `Size: ${size(source.chaindata)} MB of LevelDB, ${size(source.ancient)} MB of ancient store.`,
    `Genesis file: ${source.genesisFile}${isFileOlder ? ", older than the database's configuration, which counts" : ''}`,
    statesText(database, base),
  ];
  if (base < head.number) {
    found.push(
      `Its node was killed: blocks ${base + 1} to ${head.number} have no state there, and will be executed (with --ptm.url, if they contain private transactions).`,
    );
  }
  if (!hasPreimages(database, base)) {
    found.push(
      'There are only hashes of addresses and slots (--cache.preimages=false): the copied state can be read, but not listed.',
    );
  }
  if (isMps) found.push('Several private states (isMPS): all of them are migrated.');
  const raft = readRaftState(source.raft);
  if (raft) {
    const { hardState, entries } = raft;
    found.push(
      `Raft member: term ${hardState.term}, ${entries.length} entries after its snapshot, committed up to ${hardState.commit}: it remains the same member.`,
    );
  }
  if (source.pending !== undefined) {
    found.push(
      `Migrated: transactions of its clients in ${source.pending} that no block has (${size(source.pending)} MB of journal).`,
    );
  }
  return [
    ...found,
    ...source.files.map(({ to }) => `Comes over: ${to}`),
    ...source.left.map(({ name, why }) => `Stays: ${name} (${why})`),
    'Nothing was written, and its files were not searched for damage: a migration does that before it copies anything.',
  ];
}

function statesText(database: ChainDatabase, base: number): string {
  const root = (number: number) => decodeHeader(database.header(number)).stateRoot;
  const isArchive = base > 1 && database.node(root(Math.floor(base / 2))) !== undefined;
  const others = isArchive
    ? 'those of older blocks exist too (--gcmode archive), and are migrated with --execute only'
    : 'those of older blocks do not exist (--gcmode full): --execute creates them';
  return `States: of block ${base} (root ${toHex(root(base))}), copied; ${others}.`;
}

function hasPreimages(database: ChainDatabase, base: number): boolean {
  const { stateRoot } = decodeHeader(database.header(base));
  for (const item of copyTrie(stateRoot, (hash) => database.node(hash), undefined)) {
    if (item.kind === 'leaf') return database.preimage(item.key) !== undefined;
  }
  return true;
}

/** The size of a file, or of the files directly in a folder. */
function size(folder: string): number {
  let bytes = 0;
  try {
    if (statSync(folder).isFile()) return Math.ceil(statSync(folder).size / MB);
    for (const name of readdirSync(folder)) {
      const found = statSync(join(folder, name));
      if (found.isFile()) bytes += found.size;
    }
  } catch {
    return 0;
  }
  return Math.ceil(bytes / MB);
}
