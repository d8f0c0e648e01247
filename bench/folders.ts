/** Temporary folders of a bench, removed when it ends. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Topology } from '../src/services/devnet/topology.ts';
import { benchGenesis } from './network.ts';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the genesis file of the public benches, and returns its path. */
export function writeGenesis(topology: Topology): string {
  const file = join(topology.folder, 'bench-genesis.json');
  writeFileSync(file, JSON.stringify(benchGenesis(topology, false)));
  return file;
}

/** The folder's size in MB as the disk counts it. */
export function diskMb(folder: string): number {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024;
}
