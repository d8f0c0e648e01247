/** Blocks as GoQuorum's recordings hold them: one JSON array, or one block a line, perhaps gzipped. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Genesis, genesisFromJson } from '../../src/core/chain/genesis.ts';
import { readJson } from './folders.ts';

export interface RecordedBlock {
  readonly number: number;
  readonly hash: string;
  readonly rlp: string;
  readonly stateRoot?: string;
  readonly receiptsRoot?: string;
  readonly receipts?: readonly RecordedReceipt[];
  /** Of each node, after this block. */
  readonly privateStateRoots?: Readonly<Record<string, string>>;
  /** By `node/PSI`. */
  readonly privateStateRootsByPSI?: Readonly<Record<string, string>>;
  readonly receiptsAtOthers?: Readonly<Record<string, readonly RecordedReceipt[]>>;
}

export type RecordedReceipt = Readonly<Record<string, any>>;

export const BLOCKS_FILE = /\/blocks\.jsonl?(\.gz)?$/;

export function readBlocks(file: string): RecordedBlock[] {
  if (!/\.jsonl(\.gz)?$/.test(file)) return readJson(file);
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The folder of a recording: where its genesis is. */
export function recordingOf(file: string): string {
  const folder = dirname(file);
  return folder.endsWith('/chain') ? dirname(folder) : folder;
}

export function genesisOf(recording: string): Genesis {
  const file = join(recording, 'genesis.json');
  if (!existsSync(file)) throw new Error(`no genesis.json in ${recording}`);
  return genesisFromJson(readJson(file));
}
