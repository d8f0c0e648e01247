/** Files of a devnet with permission contracts. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERMISSION_CONFIG_FILE } from '../../core/permission/config.ts';
import { readText } from '../../io/host/files.ts';
import { writeWhole } from '../../io/host/whole-file.ts';
import type { DevnetDescription } from './description.ts';
import type { Topology } from './topology.ts';

/** Sets up the contracts on a running network; resolves with the text of permission-config.json. */
export type SetUpPermissions = (network: {
  readonly description: DevnetDescription;
  readonly topology: Topology;
  readonly progress: (line: string) => void;
}) => Promise<string>;

/**
 * The network's own copy is the last file of a set-up, and is written before those of the nodes.
 */
function ownCopy({ folder }: Topology): string {
  return join(folder, PERMISSION_CONFIG_FILE);
}

export function arePermissioned(topology: Topology): boolean {
  return existsSync(ownCopy(topology));
}

export function keepPermissions(topology: Topology, config: string): void {
  writeWhole(ownCopy(topology), config);
  givePermissions(topology);
}

/** Writes the permission files of each node, if the network has permissions. */
export function givePermissions(topology: Topology): void {
  if (!arePermissioned(topology)) return;
  const config = readText(ownCopy(topology));
  const enodes = JSON.stringify(
    topology.nodes.map(({ enode }) => enode),
    null,
    2,
  );
  for (const { folder } of topology.nodes) {
    writeFileSync(join(folder, PERMISSION_CONFIG_FILE), config);
    writeFileSync(join(folder, 'permissioned-nodes.json'), `${enodes}\n`);
  }
}
