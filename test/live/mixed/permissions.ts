/**
 * A mixed QBFT network under version 2 of permissions: set up while it runs, changed in every way
 * under load, and compared. Who sends keeps its rights: a member with GoQuorum refuses blocks of
 * senders that a change in its own pool forbids.
 */
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
import { type Agreement, compareAll } from './agreement.ts';
import { Comparer, complaints, type Json } from './comparer.ts';
import { PermissionChanges } from './permission-changes.ts';
import { commonHead, reach } from './progress.ts';
import { Traffic } from './traffic.ts';

const API = 'admin,debug,eth,istanbul,miner,net,personal,quorumPermission,txpool,web3';
const CONFIG = 'permission-config.json';
/** The contracts are up before it, and all nodes know them. */
const IN_FORCE_AT = 50;
/** Of the traffic. */
const SENDERS = [0x11, 0x12, 0x13, 0x14].map((number) => addressOf(number));
/** Whose rights change. */
const IDLE = [0x31, 0x32, 0x33, 0x34].map((number) => addressOf(number));
/** Network administrators: of the first node, ours, and of the last one. */
const ADMINS = [0x21, 0x22] as const;
const LISTS = ['orgList', 'nodeList', 'roleList', 'acctList'] as const;

export interface PermissionsResult extends Agreement {
  readonly sent: number;
  readonly head: number;
  readonly changes: number;
}

function addressOf(number: number): string {
  return new Wallet(testSecretKey(number)).address;
}

export async function playPermissions(
  blocks: number,
  kinds: readonly Kind[],
  reference: string | undefined,
  say: (line: string) => void,
): Promise<PermissionsResult> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-mixed-permissions-'));
  const network = await BftProcesses.prepare({
    ...{ folder, kinds, reference, api: API },
    flags: ['--gcmode', 'archive', '--permissioned', '--allow-insecure-unlock', '--lightkdf'],
    genesis: (validators) =>
      genesisFile({ engine: 'qbft', validators, config: { qip714Block: IN_FORCE_AT } }),
  });
  say(`permissions: ${kinds.join('')}, ${blocks} blocks, logs in ${folder}`);
  const end = () => void network.stopAll();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let isKept = true;
  try {
    await begin(network);
    await setUp(network, say);
    const changes = new PermissionChanges(network.nodes, admins(network));
    await changes.permit([...SENDERS, ...IDLE]);
    await reach(network.nodes, IN_FORCE_AT + 2);
    const traffic = new Traffic(network.nodes);
    traffic.start();
    while ((await headOf(network.node(1).rpc)) < blocks) await changes.next(IDLE);
    await changes.settle();
    const sent = await traffic.settle();
    say(`  ${changes.count} changes of permissions under load`);
    const head = await commonHead(network.nodes);
    const result = await compareAll(network.nodes, head);
    const others = await comparePermissions(network.nodes);
    // A member with GoQuorum asks its own pending state, and calls blocks bad for a while.
    const ours = complaints(network.nodes.filter(({ kind }) => kind === 'q'));
    const findings = [...result.findings, ...others.findings, ...ours];
    isKept = findings.length > 0 || process.env.LIVE_KEEP !== undefined;
    const comparisons = result.comparisons + others.comparisons;
    return { ...result, comparisons, findings, sent, head, changes: changes.count };
  } finally {
    await network.stopAll();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** Who administers, and through which node. */
function admins({ nodes }: BftProcesses) {
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

async function unlock(network: BftProcesses): Promise<void> {
  for (const { node, from } of admins(network))
    await node.rpc.call('personal_unlockAccount', from, 'x', 0);
}

/** By the command, as an operator does it; then each node starts with the file. */
async function setUp(network: BftProcesses, say: (line: string) => void): Promise<void> {
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

type Admin = ReturnType<typeof admins>[number];

/** Lists, details of every organisation, and what each account may do. */
async function comparePermissions(nodes: readonly BftNode[]): Promise<Comparer> {
  const comparer = new Comparer(nodes);
  const [orgs, , , accounts] = (await comparer.everywhere(
    LISTS.map((list) => [`quorumPermission_${list}`]),
    sorted,
  )) as Json[][];
  await comparer.everywhere(
    orgs!.map(({ fullOrgId }) => ['quorumPermission_getOrgDetails', fullOrgId]),
    sorted,
  );
  const to = `0x${'f1'.repeat(20)}`;
  const kinds = [{ to, value: '0x1' }, { to, data: '0x01' }, { data: '0x01' }];
  await comparer.everywhere(
    accounts!.flatMap(({ acctId }) =>
      kinds.map(
        (kind) => ['quorumPermission_transactionAllowed', { from: acctId, ...kind }] as const,
      ),
    ),
  );
  return comparer;
}

/** GoQuorum's lists have no order, and it forgets children of an organisation that changes. */
function sorted(answer: unknown): unknown {
  if (Array.isArray(answer)) {
    const texts = answer.map((each) => [JSON.stringify(sorted(each)), sorted(each)] as const);
    return texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }
  if (answer === null || typeof answer !== 'object') return answer;
  const fields = Object.entries(answer).filter(([name]) => name !== 'subOrgList');
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([n, v]) => [n, sorted(v)]),
  );
}
