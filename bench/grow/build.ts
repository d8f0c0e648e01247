/**
 * Builds the chain in a data folder, copies it before the last pieces, and exports it in pieces.
 * All of it continues where it stopped.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { CHECKPOINT_BLOCKS } from '../../src/core/consensus/bft/snapshots.ts';
import type { Topology } from '../../src/services/devnet/topology.ts';
import { ValidatorSchedule } from '../../src/services/ledger/node/consensus/validator-schedule.ts';
import { BenchChain } from '../chain.ts';
import { diskMb } from '../folders.ts';
import { OURS } from '../network.ts';
import {
  BUILT,
  GENESIS,
  LATE,
  LATE_FROM,
  type Measured,
  pieceEnds,
  pieceFile,
  transactionsOf,
  writeFigures,
} from './plan.ts';

const run = promisify(execFile);

/** True: the chain has all its blocks, and the copy exists. */
export async function build(
  topology: Topology,
  figures: Measured,
  isTimeUp: () => boolean,
): Promise<boolean> {
  const ends = pieceEnds();
  figures['our disk, MB'] ??= [];
  const sizes = figures['our disk, MB'];
  for (const [piece, end] of ends.entries()) {
    if (piece === LATE_FROM && !existsSync(LATE)) await copy(BUILT, LATE);
    if (sizes.length > piece) continue;
    if (!(await buildTo(end, topology, isTimeUp))) return false;
    sizes.push(diskMb(BUILT));
    writeFigures(figures);
  }
  return true;
}

async function buildTo(end: number, topology: Topology, isTimeUp: () => boolean): Promise<boolean> {
  const chain = await BenchChain.open(BUILT, GENESIS, topology);
  const startMs = performance.now();
  const first = chain.head().number;
  let number = first;
  try {
    while (number < end && !isTimeUp()) await chain.grow(transactionsOf(++number), 'group');
    keepSnapshots(chain, number);
  } finally {
    await chain.opened.close();
  }
  const rate = ((number - first) * 1_000) / (performance.now() - startMs);
  console.error(`built up to block ${number}: ${rate.toFixed(0)} blocks/s`);
  return number >= end;
}

/** A node keeps the validators of one in a thousand blocks as it imports them. */
function keepSnapshots({ opened: { store, genesis, folder } }: BenchChain, number: number): void {
  const { config } = genesis;
  const parts = { chain: store, config, defaults: {}, kv: folder.kv, log: () => {} };
  const schedule = new ValidatorSchedule(parts);
  for (let at = CHECKPOINT_BLOCKS; at <= number; at += CHECKPOINT_BLOCKS) schedule.snapshotAt(at);
}

async function copy(from: string, to: string): Promise<void> {
  const part = `${to}-part`;
  if (existsSync(part)) rmSync(part, { recursive: true });
  // With its times, because an index of another time is read through when it is opened.
  cpSync(from, part, { recursive: true, preserveTimestamps: true });
  renameSync(part, to);
}

/** True: the first pieces are exported, as many as given, and those from `LATE_FROM` on. */
export async function exportPieces(count: number, isTimeUp: () => boolean): Promise<boolean> {
  let first = 1;
  for (const [piece, end] of pieceEnds().entries()) {
    const file = pieceFile(piece);
    if (!existsSync(file) && (piece < count || piece >= LATE_FROM)) {
      if (isTimeUp()) return false;
      const range = [String(first), String(end)];
      const part = file.replace(/\.rlp$/, '-part.rlp');
      await run(process.execPath, [OURS, 'export', '--datadir', BUILT, part, ...range]);
      renameSync(part, file);
    }
    first = end + 1;
  }
  return true;
}
