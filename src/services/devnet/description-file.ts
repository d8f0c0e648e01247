/** `.quorate/devnet.json`: how a second command finds the processes of the first. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, isAlive } from '../../io/host/process-table.ts';
import { writeWhole } from '../../io/host/whole-file.ts';
import type { DevnetDescription } from './description.ts';

export function writeDescription(folder: string, description: DevnetDescription): void {
  writeWhole(descriptionFile(folder), `${JSON.stringify(description, null, 2)}\n`);
}

/** Undefined when no network was started in this folder. */
function readDescription(folder: string): DevnetDescription | undefined {
  const file = descriptionFile(folder);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as DevnetDescription)
    : undefined;
}

export function removeDescription(folder: string): void {
  rmSync(descriptionFile(folder), { force: true });
}

/**
 * Processes of the network in `folder` that are alive. A pid reused by another program does not
 * count.
 */
export function livingPids(folder: string): number[] {
  const description = readDescription(folder);
  if (!description) return [];
  const pids = description.nodes.flatMap((node) => [node.pid, node.ptm.pid]);
  // Files of older versions do not have these services.
  for (const each of [description.signer, description.staking, description.ramp])
    if (each !== undefined) pids.push(each.pid);
  return [...new Set(pids)].filter((pid) => isAlive(pid) && isDevnetProcess(pid, folder));
}

/**
 * Judges by the command line: a node or manager of this folder, or a network inside one process.
 */
function isDevnetProcess(pid: number, folder: string): boolean {
  const line = commandLineOf(pid);
  return line.includes(`${folder}/`) || line.includes('in-process');
}

function descriptionFile(folder: string): string {
  return join(folder, 'devnet.json');
}
