/**
 * `quorate import` of a chain of transfers, in a process of its own: transactions per second and
 * CPU per transaction, including start and stop. With REFERENCE_GETH=FILE, GoQuorum's `import` of
 * the same file, in turn.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import type { Figure } from './report.ts';
import { buildTransfers } from './transfers.ts';

const BLOCKS = 200;
const TRANSACTIONS_PER_BLOCK = 250;
const RUNS = 3;
const PORT = 27_600;
const MAIN = join(import.meta.dirname, '../dist/bundle/cli/main.js');

const run = promisify(execFile);

interface Measured {
  readonly perSecond: number[];
  readonly cpuMs: number[];
}

export async function importBench(): Promise<readonly Figure[]> {
  const folder = temporaryFolder();
  const topology = topologyOf(folder, PORT);
  const genesis = writeGenesis(topology);
  const file = join(folder, 'blocks.rlp');
  await buildTransfers(join(folder, 'built'), genesis, topology, {
    blocks: BLOCKS,
    perBlock: TRANSACTIONS_PER_BLOCK,
  });
  await run(process.execPath, [MAIN, 'export', '--datadir', join(folder, 'built'), file]);
  const ours: Measured = { perSecond: [], cpuMs: [] };
  const theirs: Measured = { perSecond: [], cpuMs: [] };
  const reference = process.env.REFERENCE_GETH;
  for (let i = 0; i < RUNS; i++) {
    const datadir = join(folder, `taken-${i}`);
    await run(process.execPath, [MAIN, 'init', '--datadir', datadir, genesis]);
    await measure(ours, [process.execPath, MAIN, 'import', '--datadir', datadir, file]);
    rmSync(datadir, { recursive: true });
    if (reference === undefined) continue;
    await run(reference, ['--datadir', datadir, 'init', genesis], { env: WITHOUT_MANAGER });
    const archive = ['--datadir', datadir, '--gcmode', 'archive', 'import', file];
    await measure(theirs, [reference, ...archive]);
    rmSync(datadir, { recursive: true });
  }
  return [
    figure('import of transfers', 'tx/s', ours.perSecond, theirs.perSecond),
    figure('import: CPU', 'ms/tx', ours.cpuMs, theirs.cpuMs),
  ];
}

const WITHOUT_MANAGER = { ...process.env, PRIVATE_CONFIG: 'ignore' };

/** The last line of the shell's output has the CPU seconds of the command. */
async function measure(into: Measured, command: readonly string[]): Promise<void> {
  const startMs = performance.now();
  const { stdout } = await run('bash', ['-c', '"$@" && times', 'bash', ...command], {
    env: WITHOUT_MANAGER,
  });
  const seconds = (performance.now() - startMs) / 1000;
  const transactions = BLOCKS * TRANSACTIONS_PER_BLOCK;
  into.perSecond.push(transactions / seconds);
  const times = [
    ...stdout
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ];
  const cpuSeconds = times.reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  into.cpuMs.push((cpuSeconds * 1000) / transactions);
}

function figure(name: string, unit: string, runs: number[], reference: number[]): Figure {
  return {
    name,
    unit,
    runs,
    ...(reference.length > 0 ? { reference: { name: 'geth import', runs: reference } } : {}),
  };
}
