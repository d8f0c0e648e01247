/**
 * One Raft cluster of both kinds: traffic, members that stop and return in turn, and one that
 * joins, is promoted and removed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kind } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { RaftCluster, type RaftNode } from '../../support/raft-cluster.ts';
import { Comparer, complaints } from './comparer.ts';
import { commonHead, reach } from './progress.ts';
import { Traffic } from './traffic.ts';

const AWAY_BLOCKS = 10;
/** Elections are random: stop minters of the other kind this many times at most. */
const ELECTIONS_MAX = 12;

export interface RaftResult {
  readonly head: number;
  readonly mintedByOurs: number;
  readonly sent: number;
  readonly transactions: number;
  readonly comparisons: number;
  readonly findings: string[];
}

export async function playRaft(
  blocks: number,
  kinds: readonly Kind[],
  reference: string | undefined,
  say: (line: string) => void,
): Promise<RaftResult> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-mixed-'));
  const cluster = await RaftCluster.prepare(folder, {
    ...{ count: kinds.length + 1, initial: kinds.length, reference },
    kinds: [...kinds, 'q'],
    flagsOf: (number) => [
      ...['--gcmode', 'archive', '--verbosity', '3'],
      ...(number > kinds.length ? ['--raftjoinexisting', String(number)] : []),
    ],
  });
  say(`raft: ${kinds.join('')}, ${blocks} blocks, logs in ${folder}`);
  const end = () => void cluster.stopAll();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let isKept = true;
  try {
    await cluster.initReference();
    await cluster.startAll();
    const members = cluster.nodes.slice(0, kinds.length);
    const traffic = new Traffic(members);
    traffic.start();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const)
      for (const node of members) await beAway(cluster, node, signal, say);
    for (const kind of new Set(kinds)) await electOneOf(kind, cluster, say);
    await joinAndLeave(cluster, say);
    await reach(members, blocks);
    const sent = await traffic.settle();
    const head = await commonHead(members);
    const comparer = new Comparer(members);
    const all = await comparer.blocks(head);
    const transactions = await comparer.receipts(all);
    const ours = members.filter(({ kind }) => kind === 'q').map(({ number }) => number);
    const minters = all.map(({ extraData }) => minterOf(extraData));
    const findings = [...comparer.findings, ...complaints(members)];
    isKept = findings.length > 0 || process.env.LIVE_KEEP !== undefined;
    const mintedByOurs = minters.filter((minter) => ours.includes(minter)).length;
    const { comparisons } = comparer;
    return { head, mintedByOurs, sent, transactions, comparisons, findings };
  } finally {
    await cluster.stopAll();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

async function beAway(
  cluster: RaftCluster,
  node: RaftNode,
  signal: 'SIGTERM' | 'SIGKILL',
  say: (line: string) => void,
): Promise<void> {
  await reach(cluster.running, (await commonHead(cluster.running)) + AWAY_BLOCKS);
  const role = await node.rpc.call('raft_role');
  await node.stop(signal);
  const others = cluster.running;
  const left = await commonHead(others);
  await reach(others, left + AWAY_BLOCKS);
  await node.start();
  const back = await commonHead(others);
  await reach(cluster.running, back + AWAY_BLOCKS);
  say(`  ${node.name} (${node.kind}, ${role}) away by ${signal} from ${left} to ${back}`);
}

/** Stops minters of the other kind until one of `kind` is elected, and lets it mint some blocks. */
async function electOneOf(
  kind: Kind,
  cluster: RaftCluster,
  say: (line: string) => void,
): Promise<void> {
  for (let left = ELECTIONS_MAX; left > 0; left--) {
    const minter = await cluster.minter();
    if (minter.kind === kind) {
      await reach(cluster.running, (await commonHead(cluster.running)) + AWAY_BLOCKS);
      say(`  ${minter.name} (${kind}) mints`);
      return;
    }
    await beAway(cluster, minter, 'SIGTERM', say);
  }
  throw new Error(`no node of kind ${kind} was elected in ${ELECTIONS_MAX} elections`);
}

/** A new node of ours is added by the last member: a learner, then a peer, then removed. */
async function joinAndLeave(cluster: RaftCluster, say: (line: string) => void): Promise<void> {
  const members = cluster.running;
  const [newcomer, asked] = [cluster.nodes.at(-1)!, members.at(-1)!];
  await asked.rpc.call('raft_addLearner', newcomer.enode);
  await newcomer.start();
  await reach([newcomer], await commonHead(members));
  await asked.rpc.call('raft_promoteToPeer', newcomer.number);
  const everywhere = (what: string, isTrue: (ids: string[]) => boolean) =>
    until(what, async () => {
      const clusters = await Promise.all(
        members.map(({ rpc }) => rpc.call<{ raftId: number; role: string }[]>('raft_cluster')),
      );
      return clusters.every((each) => isTrue(each.map(({ raftId, role }) => `${raftId} ${role}`)));
    });
  const id = newcomer.number;
  await everywhere('the newcomer is a peer', (ids) =>
    ids.some((each) => each === `${id} verifier` || each === `${id} minter`),
  );
  await members[0]!.rpc.call('raft_removePeer', id);
  await everywhere('the newcomer is gone', (ids) => !ids.some((each) => each.startsWith(`${id} `)));
  await newcomer.stop();
  say(`  ${newcomer.name} joined through ${asked.name} (${asked.kind}), promoted, removed`);
}

/** Extra data: 32 bytes of vanity, then an RLP list of the Raft id as text and a signature. */
function minterOf(extraData: string): number {
  const text = Buffer.from(extraData.slice(2 + 64), 'hex');
  const [, , first] = text;
  const id = first! < 0x80 ? text.subarray(2, 3) : text.subarray(3, 3 + first! - 0x80);
  return Number.parseInt(id.toString(), 16);
}
