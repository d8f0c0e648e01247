/** Imports of the pieces, each in a process of its own, ours and GoQuorum's. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { diskMb } from '../folders.ts';
import { OURS } from '../network.ts';
import { cpuSeconds, residentMb, sleep } from '../processes.ts';
import {
  FOLDER,
  GENESIS,
  LATE,
  LATE_FROM,
  type Measured,
  pieceEnds,
  pieceFile,
  writeFigures,
} from './plan.ts';

const POLL_MS = 50;
const env = { ...process.env, PRIVATE_CONFIG: 'ignore' };
const QUORATE = [process.execPath, OURS];
const EARLY = join(FOLDER, 'early');

export interface Import {
  readonly piece: number;
  readonly blocks: number;
  readonly cpuMs: number;
  readonly seconds: number;
  readonly peakMb: number;
}

/**
 * The first two pieces, into a new folder, and the late ones, in the order first, late, late,
 * first. True: all are imported. An interrupted piece is imported again.
 */
export async function importOurs(figures: Measured, isTimeUp: () => boolean): Promise<boolean> {
  const turns = [
    { piece: 0, datadir: EARLY },
    { piece: LATE_FROM, datadir: LATE },
    { piece: LATE_FROM + 1, datadir: LATE },
    { piece: 1, datadir: EARLY },
  ];
  for (const { piece, datadir } of turns) {
    if (isKnown(figures, 'import', piece)) continue;
    if (isTimeUp()) return false;
    if (piece === 0) begin(datadir, [...QUORATE, 'init', '--datadir', datadir, GENESIS]);
    const command = [...QUORATE, 'import', '--datadir', datadir, pieceFile(piece)];
    note(figures, 'import', await importPiece(command, piece));
  }
  return true;
}

/** The first pieces with GoQuorum, and the size of its folder after each. */
export async function importTheirs(
  program: string,
  mode: 'full' | 'archive',
  count: number,
  { figures, isTimeUp }: { figures: Measured; isTimeUp: () => boolean },
): Promise<boolean> {
  const name = `geth ${mode}`;
  const datadir = join(FOLDER, `geth-${mode}`);
  figures[`${name} disk, MB`] ??= [];
  for (let piece = 0; piece < count; piece++) {
    if (isKnown(figures, name, piece)) continue;
    if (isTimeUp()) return false;
    if (piece === 0) begin(datadir, [program, '--datadir', datadir, 'init', GENESIS]);
    const flags = ['--datadir', datadir, '--gcmode', mode];
    const taken = await importPiece([program, ...flags, 'import', pieceFile(piece)], piece);
    figures[`${name} disk, MB`]!.push(diskMb(datadir));
    note(figures, name, taken);
  }
  return true;
}

/** Figures of an import have the piece as their first value. */
function note(figures: Measured, name: string, taken: Import): void {
  const { piece, blocks, cpuMs, seconds, peakMb } = taken;
  figures[`${name}, piece ${piece}`] = [blocks, cpuMs, seconds, peakMb];
  writeFigures(figures);
  const rate = `${(blocks / seconds).toFixed(0)} blocks/s, ${(cpuMs / blocks).toFixed(2)} CPU ms`;
  console.error(`${name}, piece ${piece}: ${rate} a block, ${peakMb.toFixed(0)} MB`);
}

function isKnown(figures: Measured, name: string, piece: number): boolean {
  return figures[`${name}, piece ${piece}`] !== undefined;
}

/** What `note` has kept. */
export function imported(figures: Measured, name: string, piece: number): Import | undefined {
  const [blocks, cpuMs, seconds, peakMb] = figures[`${name}, piece ${piece}`] ?? [];
  if (blocks === undefined) return undefined;
  return { piece, blocks, cpuMs: cpuMs!, seconds: seconds!, peakMb: peakMb! };
}

function begin(datadir: string, command: readonly string[]): void {
  if (existsSync(datadir)) rmSync(datadir, { recursive: true });
  execFileSync(command[0]!, command.slice(1), { env, stdio: 'ignore' });
}

async function importPiece(command: readonly string[], piece: number): Promise<Import> {
  const ends = pieceEnds();
  const blocks = ends[piece]! - (ends[piece - 1] ?? 0);
  return { piece, blocks, ...(await measured(command)) };
}

export async function measured(command: readonly string[]) {
  const startMs = performance.now();
  const child = spawn(command[0]!, command.slice(1), { env, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  let [cpuMs, peakMb] = [0, 0];
  while (child.exitCode === null && child.signalCode === null) {
    try {
      cpuMs = cpuSeconds([child.pid!]) * 1_000;
      // Without the pages of the index's file that are mapped: the system takes these back.
      peakMb = Math.max(peakMb, residentMb(child.pid!, 'RssAnon'));
    } catch {
      // It has just ended.
    }
    await Promise.race([ended, sleep(POLL_MS)]);
  }
  if ((await ended) !== 0) throw new Error(`${command.join(' ')}: exit ${child.exitCode}`);
  return { cpuMs, peakMb, seconds: (performance.now() - startMs) / 1_000 };
}
