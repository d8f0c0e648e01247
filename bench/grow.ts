/**
 * A large state and a long chain, generated once and kept (docs/performance.md, "Large state and
 * long chains"): rates of import from the first block to the last, memory, disk, state roots, reads
 * at any height, restart, and rebuilding the index. Sizes are variables (grow/plan.ts). With
 * GROW_SECONDS a run ends after that time, and the next one continues.
 */
import { diskMb } from './folders.ts';
import { build, exportPieces } from './grow/build.ts';
import { type Import, imported, importOurs, importTheirs } from './grow/imports.ts';
import {
  BLOCKS,
  LATE,
  LATE_FROM,
  type Measured,
  PER_BLOCK,
  PIECES,
  prepare,
  readFigures,
  SECONDS,
  THEIR_PIECES,
} from './grow/plan.ts';
import { pointReads, reindex, roots } from './grow/reads.ts';
import type { Figure } from './report.ts';

/** Rate at the end, as a part of that at the start. */
const LATE_RATE = 0.7;
const MODES = ['full', 'archive'] as const;

export async function grow(): Promise<readonly Figure[]> {
  const endMs = performance.now() + SECONDS * 1_000;
  const isTimeUp = () => performance.now() > endMs;
  const topology = prepare();
  const figures = readFigures();
  const program = process.env.REFERENCE_GETH;
  const theirs = program ? THEIR_PIECES : 0;
  const isWhole =
    (await build(topology, figures, isTimeUp)) &&
    (await exportPieces(Math.max(2, theirs), isTimeUp)) &&
    (await importOurs(figures, isTimeUp));
  if (!isWhole) return unfinished();
  for (const mode of program ? MODES : []) {
    if (!(await importTheirs(program!, mode, theirs, { figures, isTimeUp }))) return unfinished();
  }
  const [first, late, later, second] = [0, LATE_FROM, LATE_FROM + 1, 1].map(
    (piece) => imported(figures, 'import', piece)!,
  );
  return [
    rate('import at the end', [late!, later!], [first!, second!]),
    cpu('import at the end: CPU', [late!, later!], [first!, second!]),
    { name: 'import at the end: peak memory', unit: 'MB', runs: [late!.peakMb, later!.peakMb] },
    ...MODES.flatMap((mode) => beside(figures, mode, theirs, [first!, second!])),
    { name: 'disk', unit: 'MB', runs: [diskMb(LATE)] },
    disk(figures),
    ...(await roots()),
    ...(await pointReads()),
    ...(await reindex()),
    { name: 'disk, index rebuilt', unit: 'MB', runs: [diskMb(LATE)] },
  ];
}

function unfinished(): readonly Figure[] {
  console.error('the time is up: run it again to continue');
  process.exit(3);
}

function rate(name: string, of: readonly Import[], beside: readonly Import[]): Figure {
  const rates = (each: readonly Import[]) => each.map(({ blocks, seconds }) => blocks / seconds);
  return figure(name, 'blocks/s', rates(of), rates(beside));
}

function cpu(name: string, of: readonly Import[], beside: readonly Import[]): Figure {
  const times = (each: readonly Import[]) => each.map(({ blocks, cpuMs }) => cpuMs / blocks);
  return figure(name, 'ms/block', times(of), times(beside));
}

function figure(name: string, unit: string, runs: number[], reference: number[]): Figure {
  const budget = unit === 'ms/block' ? reference[0]! / LATE_RATE : reference[0]! * LATE_RATE;
  return { name, unit, runs, reference: { name: 'at the start', runs: reference }, budget };
}

/** GoQuorum's imports of the first pieces, and the sizes of both folders after the same block. */
function beside(
  figures: Measured,
  mode: string,
  pieces: number,
  ours: readonly Import[],
): readonly Figure[] {
  if (pieces === 0) return [];
  const name = `geth ${mode}`;
  const theirs = Array.from({ length: pieces }, (_, at) => imported(figures, name, at)!);
  const [early, late] = [theirs.slice(0, 2), theirs.slice(-2)];
  const times = (each: readonly Import[]) => each.map(({ blocks, cpuMs }) => cpuMs / blocks);
  const sizes = [figures[`${name} disk, MB`]![pieces - 1]!];
  return [
    {
      ...{ name: 'import at the start: CPU', unit: 'ms/block', runs: times(ours) },
      reference: { name, runs: times(early) },
    },
    cpu(`${name} at the end of its pieces: CPU`, late, early),
    {
      ...{ name: `disk after ${pieces} pieces of ${PIECES}`, unit: 'MB' },
      runs: [figures['our disk, MB']![pieces - 1]!],
      reference: { name, runs: sizes },
    },
  ];
}

function disk(figures: Measured): Figure {
  const bytes = figures['our disk, MB']!.at(-1)! * 1024 ** 2;
  return { name: 'disk per transaction', unit: 'B', runs: [bytes / (BLOCKS * PER_BLOCK)] };
}
