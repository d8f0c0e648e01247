/** A mixed QBFT network whose permission contracts are set up while it runs. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Wallet } from 'ethers';
import { type BftNode, BftProcesses, type Kind } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { headOf, MAIN } from '../../support/devnet.ts';
import { genesisFile, testSecretKey } from '../../support/genesis-file.ts';

const API = 'admin,debug,eth,istanbul,miner,net,personal,quorumPermission,txpool,web3';
export const CONFIG = 'permission-config.json';
/** The contracts are set up before this block, and all nodes know them. */
export const IN_FORCE_AT = 50;
/** Network administrators: one at the first node (ours), one at the last. */
const ADMINS = [0x21, 0x22] as const;

export type Say = (line: string) => void;

export interface Members {
  readonly kinds: readonly Kind[];
  readonly reference: string | undefined;
}

export interface Admin {
  readonly node: BftNode;
  readonly from: string;
}

export function addressOf(number: number): string {
  return new Wallet(testSecretKey(number)).address;
}

/**
 * Runs `play` on such a network and then stops it. The folder is kept when `play` returns findings
 * or throws. `changes`: transitions of the chain.
 */
export async function onPermissionedNetwork<T extends { readonly findings: readonly string[] }>(
  { kinds, reference }: Members,
  changes: readonly object[],
  say: Say,
  play: (network: BftProcesses) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-mixed-permissions-'));
  const network = await BftProcesses.prepare({
    ...{ folder, kinds, reference, api: API },
    flags: ['--gcmode', 'archive', '--permissioned', '--allow-insecure-unlock', '--lightkdf'],
    genesis: (validators) =>
      genesisFile({
        ...{ engine: 'qbft', validators, config: { qip714Block: IN_FORCE_AT } },
        ...(changes.length > 0 ? { transitions: changes } : {}),
      }),
  });
  say(`  ${kinds.join('')}, logs in ${folder}`);
  const end = () => void network.stopAll();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let isKept = true;
  try {
    await begin(network);
    await setUp(network, say);
    const result = await play(network);
    isKept = result.findings.length > 0 || process.env.LIVE_KEEP !== undefined;
    return result;
  } finally {
    await network.stopAll();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** The administrators, each with the node that they use. */
export function admins({ nodes }: BftProcesses): Admin[] {
  return [nodes[0]!, nodes.at(-1)!].map((node, at) => ({ node, from: addressOf(ADMINS[at]!) }));
}

async function begin(network: BftProcesses): Promise<void> {
  for (const node of network.nodes) await network.init(node);
  for (const file of ['static-nodes.json', 'permissioned-nodes.json'])
    network.introduce(network.nodes, file);
  await network.startAll();
  for (const [at, { node }] of admins(network).entries()) {
    await node.rpc.call('personal_importRawKey', testSecretKey(ADMINS[at]!).slice(2), 'x');
  }
  await unlock(network);
}

export async function unlock(network: BftProcesses): Promise<void> {
  for (const { node, from } of admins(network))
    await node.rpc.call('personal_unlockAccount', from, 'x', 0);
}

/**
 * Sets up the contracts with the command, as an operator does, and restarts each node with the
 * file.
 */
async function setUp(network: BftProcesses, say: Say): Promise<void> {
  const [{ node, from }, other] = admins(network) as [Admin, Admin];
  const file = join(network.node(1).folder, '..', CONFIG);
  await promisify(execFile)(process.execPath, [
    ...[MAIN, 'permission', 'init', '--ledger.url', node.url, '--permission-config', file],
    ...['--from', from, '--accounts', `${from},${other.from}`],
    ...['--static-nodes', join(node.folder, 'static-nodes.json')],
  ]);
  say(`  set up at block ${await headOf(node.rpc)}`);
  await network.stopAll('SIGTERM');
  for (const each of network.nodes) copyFileSync(file, join(each.folder, CONFIG));
  await network.startAll();
  await unlock(network);
  await until('all nodes know the contracts', async () => {
    const lists = await Promise.all(
      network.nodes.map(({ rpc }) => rpc.call<unknown[]>('quorumPermission_nodeList')),
    );
    return lists.every((list) => list.length === network.nodes.length);
  });
  say(`  all started with it at block ${await headOf(node.rpc)}, in force from ${IN_FORCE_AT} on`);
}
