/** Every client that is tried: where it comes from, and how its program is run. */

export type Scheme = 'http' | 'ws';

export interface Client {
  /** Of its folder here. */
  readonly folder: string;
  /** As people call it. */
  readonly title: string;
  /** The package that has its version. */
  readonly versionOf: string;
  readonly schemes: readonly Scheme[];
  /** False: it subscribes to nothing. */
  readonly hears?: false;
  /** The command line in its installed folder, for a file with the task. */
  command(task: string): readonly string[];
}

const BOTH: readonly Scheme[] = ['http', 'ws'];
const program = (task: string) => ['node', 'run.mjs', task];

/** Installed with the project: they run in `npm test`. */
export const LIGHT: readonly Client[] = [
  { folder: 'ethers6', title: 'ethers', versionOf: 'ethers', schemes: BOTH, command: program },
  { folder: 'viem', title: 'viem', versionOf: 'viem', schemes: BOTH, command: program },
  { folder: 'web3-4', title: 'web3', versionOf: 'web3', schemes: BOTH, command: program },
];
