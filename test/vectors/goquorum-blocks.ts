/** Blocks in GoQuorum's recordings: one JSON array, or one block per line, possibly gzipped. */
import { dirname, join } from 'node:path';
import { type Genesis, genesisFromJson } from '../../src/core/chain/genesis.ts';
import { readJson, readText } from './folders.ts';

export interface RecordedBlock {
  readonly number: number;
  readonly hash: string;
  readonly rlp: string;
  readonly stateRoot?: string;
  readonly receiptsRoot?: string;
  /** The answer of `eth_getBlockByNumber` with full transactions. */
  readonly block?: any;
  readonly signers?: { readonly author: string; readonly committers: readonly string[] };
  readonly receipts?: readonly RecordedReceipt[];
  /** By node, after this block. */
  readonly privateStateRoots?: Readonly<Record<string, string>>;
  /** By `node/PSI`. */
  readonly privateStateRootsByPSI?: Readonly<Record<string, string>>;
  readonly receiptsAtOthers?: Readonly<Record<string, readonly RecordedReceipt[]>>;
}

export type RecordedReceipt = Readonly<Record<string, any>>;

export const BLOCKS_FILE = /\/blocks\.jsonl?(\.gz)?$/;

export function readBlocks(file: string): RecordedBlock[] {
  if (!/\.jsonl(\.gz)?$/.test(file)) return readJson(file);
  return readText(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The folder of a recording, which contains its genesis. */
export function recordingOf(file: string): string {
  const folder = dirname(file);
  return folder.endsWith('/chain') ? dirname(folder) : folder;
}

export function genesisOf(recording: string): Genesis {
  return genesisFromJson(readJson(join(recording, 'genesis.json')));
}
