/** `.quorate/devnet.json`: what scripts and tests read, and how a second command finds the processes of the first. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, isAlive } from '../../io/host/process-table.ts';
import type { PreparedFiles } from './files.ts';
import { type Account, TEST_MNEMONIC, TEST_MNEMONIC_PATH } from './test-keys.ts';
import {
  CHAIN_ID,
  SIGNER_NAME,
  STAKING_CLIENT,
  STAKING_NAME,
  stakingAudience,
  type Topology,
} from './topology.ts';
import { writeWhole } from './whole-file.ts';

export interface DevnetDescription {
  readonly chainId: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly rpc: string;
    readonly ws: string;
    readonly enode: string;
    readonly address: string;
    readonly pid: number;
    /** Held by this node alone, unlocked. The second has no funds. */
    readonly accounts: readonly [rich: Account, poor: Account];
    readonly ptm: { readonly publicKey: string; readonly thirdParty: string; readonly pid: number };
  }[];
  /** Signing proxy in front of node 1, with the accounts below. */
  readonly signer: { readonly rpc: string; readonly ws: string; readonly pid: number };
  /** The staking API and the service of its tokens. */
  readonly staking: {
    readonly authUrl: string;
    readonly apiUrl: string;
    readonly audience: string;
    readonly client: { readonly clientId: string; readonly clientSecret: string };
    readonly pid: number;
  };
  /** With funds; held by node 1, unlocked, and by the signing proxy. */
  readonly accounts: readonly Account[];
  /** Where those of `accounts` behind the first three come from: `path`, then 0 to 9. */
  readonly mnemonic: { readonly phrase: string; readonly path: string };
}

/** `pidOf` takes names as node1, ptm1, signer and staking. */
export function describeDevnet(
  topology: Topology,
  files: PreparedFiles,
  pidOf: (name: string) => number,
): DevnetDescription {
  return {
    chainId: CHAIN_ID,
    nodes: topology.nodes.map((node, index) => ({
      name: node.name,
      rpc: `http://127.0.0.1:${node.ports.rpc}`,
      ws: `ws://127.0.0.1:${node.ports.rpc}`,
      enode: node.enode,
      address: node.address,
      pid: pidOf(node.name),
      accounts: [node.rich, node.poor],
      ptm: {
        publicKey: files.ptmPublicKeys[index]!,
        thirdParty: `http://127.0.0.1:${node.ports.ptmThirdParty}`,
        pid: pidOf(node.ptmName),
      },
    })),
    signer: {
      rpc: `http://127.0.0.1:${topology.signerPort}`,
      ws: `ws://127.0.0.1:${topology.signerPort}`,
      pid: pidOf(SIGNER_NAME),
    },
    staking: {
      authUrl: `http://127.0.0.1:${topology.stakingPort}`,
      apiUrl: `http://127.0.0.1:${topology.stakingPort}`,
      audience: stakingAudience(topology),
      client: { clientId: STAKING_CLIENT, clientSecret: files.stakingSecret },
      pid: pidOf(STAKING_NAME),
    },
    accounts: topology.accounts.filter(({ address }) => files.genesis.isFunded(address)),
    mnemonic: { phrase: TEST_MNEMONIC, path: TEST_MNEMONIC_PATH },
  };
}

export function writeDescription(folder: string, description: DevnetDescription): void {
  writeWhole(descriptionFile(folder), `${JSON.stringify(description, null, 2)}\n`);
}

/** undefined when no network was started from there. */
function readDescription(folder: string): DevnetDescription | undefined {
  const file = descriptionFile(folder);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as DevnetDescription)
    : undefined;
}

export function removeDescription(folder: string): void {
  rmSync(descriptionFile(folder), { force: true });
}

/** Processes of the network in `folder` that are alive. A number that the system gave to another program meanwhile is not. */
export function livingPids(folder: string): number[] {
  const description = readDescription(folder);
  if (!description) return [];
  const pids = description.nodes.flatMap((node) => [node.pid, node.ptm.pid]);
  // A file of an older version names none.
  for (const each of [description.signer, description.staking])
    if (each !== undefined) pids.push(each.pid);
  return [...new Set(pids)].filter((pid) => isAlive(pid) && isDevnetProcess(pid, folder));
}

/** By its command line: a node or manager of this folder, or a network that runs in one process. */
function isDevnetProcess(pid: number, folder: string): boolean {
  const line = commandLineOf(pid);
  return line.includes(`${folder}/`) || line.includes('in-process');
}

function descriptionFile(folder: string): string {
  return join(folder, 'devnet.json');
}
