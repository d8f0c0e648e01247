/**
 * A network of four under load migrates member by member: each is stopped, migrated with the
 * commands of docs/migration.md, started as Quorate and watched; with GoQuorum's binary, two of
 * them go back with the data that they left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import type { Rpc } from '../../support/rpc-client.ts';
import { ask, complaints } from '../mixed/comparer.ts';
import { commonHead, reach } from '../mixed/progress.ts';
import { Traffic } from '../mixed/traffic.ts';
import { HeldUp } from './held-up.ts';
import { type Member, Network, type NetworkKind } from './members.ts';
import { setUpPermissions } from './permissions.ts';
import { PrivateTraffic } from './private-traffic.ts';

/** A height may wait for a round that times out: three block periods. */
const PERIODS_MAX = 3;
const PERIOD_SECONDS = 1;
/** The number of answers of each migrated member that are compared with another member's. */
const SAMPLES = '300';

/**
 * GoQuorum calls a permission contract for each transaction that it executes: 7 to 130 ms were seen
 * on a busy machine, and 15 s for a block of 111. Its miner then gives up, and leaves a backlog for
 * the first member of Quorate, whose block holds the others up for several rounds.
 */
const UNMINED_MAX = {
  none: { public: 200, private: 200 },
  files: { public: 200, private: 200 },
  contracts: { public: 2, private: 2 },
} as const;

export interface MigrationPlay extends NetworkKind {
  /** Blocks before the first member leaves. */
  readonly growth: number;
  /** The number of blocks for which each migrated member is watched. */
  readonly watched: number;
  /**
   * Members that are first checked with `--dry-run`, and whose answers are compared with another's.
   */
  readonly compared: readonly number[];
  /** Members that go back at the end. */
  readonly returning: readonly number[];
}

export interface MigrationResult {
  readonly head: number;
  readonly publicSent: number;
  readonly privateSent: number;
  readonly rootsCompared: number;
  readonly longestSeconds: number;
  /** Heights that took too long while this process got no CPU time either. */
  readonly unclear: number;
  readonly findings: readonly string[];
}

export async function playMigration(
  play: MigrationPlay,
  say: (line: string) => void,
): Promise<MigrationResult> {
  return withNetwork(play, say, async (network) => {
    if (play.permissions === 'contracts') await setUpPermissions(network, say);
    return move(network, play, say);
  });
}

/** Starts four members; their folder is kept when `act` returns findings or fails. */
export async function withNetwork<T extends { readonly findings: readonly string[] }>(
  kind: NetworkKind,
  say: (line: string) => void,
  act: (network: Network) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-moving-'));
  const network = await Network.prepare(folder, kind);
  const { engine, permissions } = kind;
  say(`${engine}, permissions: ${permissions}: four members of GoQuorum, logs in ${folder}`);
  let isKept = true;
  try {
    await network.init();
    await network.startManagers();
    await Promise.all(network.members.map((member) => network.startOld(member)));
    for (const member of network.members) await enter(network, member);
    const result = await act(network);
    isKept = result.findings.length > 0 || process.env.LIVE_KEEP !== undefined;
    return result;
  } finally {
    await network.stopAll();
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

async function move(
  network: Network,
  { growth, watched, compared, returning }: MigrationPlay,
  say: (line: string) => void,
): Promise<MigrationResult> {
  const nodes = network.members.map((member) => ({
    get rpc(): Rpc {
      return member.running!.rpc;
    },
    get isRunning(): boolean {
      return member.running?.isRunning === true;
    },
  }));
  const heldUp = new HeldUp();
  const most = UNMINED_MAX[network.permissions];
  const traffic = new Traffic(nodes, most.public);
  traffic.start();
  const secret = new PrivateTraffic(network, most.private);
  await secret.begin();
  await reach(nodes, growth);
  const first = await commonHead(nodes);
  const plan = await network.quorate('migrate', 'plan', ...network.rpcs.map(({ url }) => url));
  const findings = plan.includes('Step 4 of 4') ? [] : [`migrate plan: ${plan}`];
  for (const member of network.members) {
    const isCompared = compared.includes(member.number);
    await goOver(network, member, say, { isLookedAt: isCompared });
    await watch(network, member, watched);
    if (isCompared) findings.push(...(await comparePublic(network, member)));
  }
  for (const number of returning) await goBack(network, network.member(number), watched, say);
  const publicSent = await traffic.settle();
  const privateSent = await secret.settle();
  const head = await commonHead(nodes);
  const roots = await compareRoots(network, first, head);
  heldUp.end();
  const gaps = await gapsOf(network, first, head);
  // The test must pass on any machine, so it does not assert times.
  const isTimed = network.reference !== undefined;
  const long = gaps.filter(({ seconds }) => isTimed && seconds > PERIODS_MAX * PERIOD_SECONDS);
  const late = long.filter(({ atMs, seconds }) => !heldUp.between(atMs - 1_000 * seconds, atMs));
  for (const { number, seconds } of late) findings.push(`block ${number} came after ${seconds} s`);
  const clear = gaps.filter((gap) => !long.includes(gap) || late.includes(gap));
  const longestSeconds = Math.max(0, ...clear.map(({ seconds }) => seconds));
  findings.push(...roots.findings, ...complaints(network.logs()));
  return {
    ...{ head, publicSent, privateSent, rootsCompared: roots.count, longestSeconds, findings },
    unclear: long.length - late.length,
  };
}

/** Stops it, migrates it with the commands of docs/migration.md, and starts it as Quorate. */
export async function goOver(
  network: Network,
  member: Member,
  say: (line: string) => void,
  { isLookedAt = true, isExecuted = false } = {},
): Promise<void> {
  const { folder, target, number } = member;
  await leave(member);
  const left = Math.max(...(await Promise.all(network.rpcs.map(headOf))));
  await network.settle(member);
  const began = performance.now();
  const command = ['migrate', 'datadir', folder, '--genesis', network.genesisFile];
  if (isLookedAt) await network.quorate(...command, '--dry-run');
  const way = isExecuted ? ['--execute', '--ptm.url', member.managerUrl] : [];
  const output = await network.quorate(...command, '--datadir', target, ...way);
  const seconds = (performance.now() - began) / 1_000;
  if (!output.includes('Start it:'))
    throw new Error(`member ${number} was not migrated: ${output}`);
  await network.startNew(member);
  await enter(network, member);
  say(`  member ${number} went over at block ${left}, migrated in ${seconds.toFixed(1)} s`);
}

/** Resolves with the answers in which it differs from another member, about data that both have. */
function comparePublic(network: Network, member: Member): Promise<string[]> {
  const other = network.members.findLast((each) => each !== member)!;
  const urls = [other, member].map(({ running }) => running!.url);
  return network.quorate('migrate', 'compare', ...urls, '--samples', SAMPLES, '--public').then(
    () => [],
    ({ stdout }: { stdout: string }) =>
      stdout.split('\n').filter((line) => /DIFF| {2}(old|new):/.test(line)),
  );
}

async function goBack(
  network: Network,
  member: Member,
  watched: number,
  say: (line: string) => void,
): Promise<void> {
  await leave(member);
  const left = Math.max(...(await Promise.all(network.rpcs.map(headOf))));
  if (network.engine === 'raft') await network.rejoin(member);
  await network.startOld(member);
  const known = await sentBy(member, member.running!.rpc);
  await enter(network, member);
  await watch(network, member, watched);
  const sent = await sentBy(member, network.rpcs.at(-1)!);
  say(
    `  member ${member.number} went back at block ${left}; it knew ${known} transactions of its account when it began, of ${sent}`,
  );
}

export async function leave(member: Member): Promise<void> {
  member.isInUse = false;
  await member.running!.stop();
}

/** The number of transactions of its account, on the chain of this node. */
async function sentBy({ account }: Member, rpc: Rpc): Promise<number> {
  return Number(await rpc.call('eth_getTransactionCount', account, 'latest'));
}

/**
 * Clients use it only once it has the others' blocks and its account is unlocked: until then
 * GoQuorum takes nonces from its old state, and those transactions are lost when it catches up.
 */
async function enter(network: Network, member: Member): Promise<void> {
  const { rpc } = member.running!;
  await reach([{ rpc }], Math.max(...(await Promise.all(network.rpcs.map(headOf)))));
  await until('its account is unlocked', () =>
    rpc.call('eth_sign', member.account, '0x00').then(() => true),
  );
  member.isInUse = true;
}

/** Waits until it takes part: it has the others' blocks, and so many more. */
async function watch(network: Network, member: Member, blocks: number): Promise<void> {
  const { rpc } = member.running!;
  const from = Math.max(...(await Promise.all(network.rpcs.map(headOf))));
  await reach([{ rpc }], from + blocks);
  if (network.engine === 'raft') return;
  await until('it proposes', async () => {
    const own = await rpc.call('istanbul_nodeAddress');
    const { sealerActivity } = await rpc.call<{ sealerActivity: Record<string, number> }>(
      'istanbul_status',
      `0x${from.toString(16)}`,
      `0x${(await headOf(rpc)).toString(16)}`,
    );
    return (sealerActivity[own] ?? 0) > 0;
  });
}

/** Checks every block that a node has: it may lack states from before its migration. */
async function compareRoots(network: Network, first: number, head: number) {
  const numbers = Array.from({ length: head - first + 1 }, (_, at) => first + at);
  const all = await Promise.all(
    network.members.map(({ running, number }) =>
      ask(
        { name: `member ${number}`, url: running!.url },
        numbers.map((n) => ['debug_privateStateRoot', `0x${n.toString(16)}`] as const),
      ),
    ),
  );
  const findings: string[] = [];
  let count = 0;
  for (const [at, number] of numbers.entries()) {
    const roots = all.map((answers) => answers[at]).filter((root) => typeof root === 'string');
    count += roots.length;
    if (new Set(roots).size > 1) findings.push(`private state roots of block ${number} differ`);
  }
  if (all.some((answers) => typeof answers.at(-1) !== 'string')) {
    findings.push(`a node tells no private state root of block ${head}`);
  }
  return { count, findings };
}

interface Gap {
  readonly number: number;
  readonly atMs: number;
  /** Since the block before. */
  readonly seconds: number;
}

/** A Raft cluster mints no block when there is nothing to mine. */
async function gapsOf({ engine, rpcs }: Network, first: number, head: number): Promise<Gap[]> {
  if (engine === 'raft') return [];
  const numbers = Array.from({ length: head - first + 1 }, (_, at) => first + at);
  const calls = numbers.map((n) => ['eth_getBlockByNumber', `0x${n.toString(16)}`, false] as const);
  const node = { name: 'one', url: rpcs[0]!.url };
  const blocks = (await ask(node, calls)) as { timestamp: string }[];
  const times = blocks.map(({ timestamp }) => Number(timestamp));
  return times.slice(1).map((time, at) => ({
    ...{ number: numbers[at + 1]!, atMs: 1_000 * time, seconds: time - times[at]! },
  }));
}
