/** Temporary folders of a bench, removed when it ends. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** Megabytes on the disk of a folder's files. */
export function diskMb(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const blocks = entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks, 0);
  return blocks / 2_048;
}
