/**
 * One mixed network from its first block to its last: traffic, nodes that stop and return in turn,
 * members voted out and in.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BftNode, BftProcesses, type Kind } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import { genesisFile, TIMEOUT_CAP } from '../../support/genesis-file.ts';
import { addressWords, BY_CONTRACT, contractOf } from '../../support/validator-contract.ts';
import { type Agreement, compareAll } from './agreement.ts';
import { complaints } from './comparer.ts';
import { commonHead, reach, STALLED_MS } from './progress.ts';
import { Traffic } from './traffic.ts';

const BENEFICIARY = `0x${'fe'.repeat(20)}`;

/** The answer of `/ready`. */
interface Ready {
  readonly reasons: readonly { readonly reason: string }[];
}

/** A node that is stopped from one block to another. */
interface Absence {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** It returns with an empty disk, with only its key. */
  readonly isDiskLost?: boolean;
}

export interface MixedPlan {
  readonly name: string;
  readonly engine: 'qbft' | 'ibft';
  /** The first block of QBFT on a chain that begins with IBFT. */
  readonly switchAt?: number;
  readonly blocks: number;
}

export interface MixedResult extends Agreement {
  readonly sent: number;
  readonly head: number;
  readonly folder: string;
}

export async function playMixed(
  plan: MixedPlan,
  kinds: readonly Kind[],
  reference: string | undefined,
  say: (line: string) => void,
): Promise<MixedResult> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-mixed-'));
  const { engine, switchAt } = plan;
  const network = await BftProcesses.prepare({
    ...{ folder, kinds, reference, flags: ['--gcmode', 'archive'] },
    genesis: (validators) => {
      const transitions = switchAt === undefined ? [] : transitionsFrom(switchAt);
      const alloc = contractOf(addressWords(validators));
      return genesisFile({ engine, validators, transitions, alloc });
    },
  });
  say(`${plan.name}: ${kinds.join('')}, ${plan.blocks} blocks, logs in ${folder}`);
  const end = () => void network.stopAll();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let isKept = true;
  try {
    for (const node of network.nodes) await network.init(node);
    network.introduce(network.nodes);
    await network.startAll();
    const traffic = new Traffic(network.nodes);
    traffic.start();
    for (const absence of absencesOf(plan)) await beAway(network, absence, say);
    for (const number of [4, 1]) await voteOutAndIn(network, number, say);
    await reach(network.nodes, plan.blocks);
    const sent = await traffic.settle();
    const head = await commonHead(network.nodes);
    const result = await compareAll(network.nodes, head);
    const findings = [...result.findings, ...complaints(network.nodes)];
    isKept = findings.length > 0 || process.env.LIVE_KEEP !== undefined;
    return { ...result, findings, sent, head, folder };
  } finally {
    await network.stopAll();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** The transition to QBFT, then all other settings that a chain may change while it runs. */
function transitionsFrom(block: number): object[] {
  return [
    { block, algorithm: 'qbft', ...TIMEOUT_CAP },
    { block: block + 4, blockReward: '20', miningBeneficiary: BENEFICIARY },
    { block: block + 8, 'miner.gaslimit': 900_000_000, contractsizelimit: 48 },
    { block: block + 12, blockperiodseconds: 2, beneficiaryMode: 'validators' },
    { block: block + 16, blockperiodseconds: 1, transactionSizeLimit: 64 },
    { block: block + 20, ...BY_CONTRACT },
    { block: block + 32, validatorselectionmode: 'blockheader', blockReward: '0xa' },
  ];
}

/**
 * Each node in turn: first stopped as an operator does, the last one during the transition if there
 * is one; then killed, and the second and the third lose their disks.
 */
function absencesOf({ blocks, switchAt }: MixedPlan): Absence[] {
  const away = Math.max(4, Math.round(blocks / 25));
  const from = (share: number) => Math.round(blocks * share);
  const before = (switchAt ?? blocks) / blocks;
  const stopped = [1, 2, 3].map((number) => {
    const first = from(((number - 0.5) / 4) * Math.min(before, 0.6));
    return { number, from: first, to: first + away, signal: 'SIGTERM' as const };
  });
  const last = switchAt === undefined ? from(0.5) : switchAt - Math.ceil(away / 2);
  const killed = [1, 2, 3, 4].map((number, at) => {
    const first = Math.max(from(0.6 + at * 0.06), last + away + 1 + at * (away + 1));
    const isDiskLost = number > 1 && number < 4;
    return { number, from: first, to: first + away, signal: 'SIGKILL' as const, isDiskLost };
  });
  return [...stopped, { number: 4, from: last, to: last + away, signal: 'SIGTERM' }, ...killed];
}

async function beAway(
  network: BftProcesses,
  { number, from, to, signal, isDiskLost }: Absence,
  say: (line: string) => void,
): Promise<void> {
  await reach(network.nodes, from);
  const node = network.node(number);
  await node.stop(signal);
  const others = network.running;
  const left = await headOf(others[0]!.rpc);
  await reach(others, Math.max(to, left + 2));
  if (isDiskLost) await network.forget(node);
  await node.start();
  const back = await headOf(others[0]!.rpc);
  await reach(network.nodes, back + 4);
  // The next one may stop only now: a network of four does not tolerate two that are stopped or do
  // not vote.
  if (node.kind === 'q') await untilVoting(node);
  say(
    `  ${node.name} (${node.kind}) away by ${signal} from ${left} to ${back}${isDiskLost ? ', its disk lost' : ''}, takes part again`,
  );
}

/** A node that lost its disk abstains until it has seen a height decided. */
async function untilVoting({ name, url }: BftNode): Promise<void> {
  await until(
    `${name} votes`,
    async () => {
      const { reasons } = (await (await fetch(`${url}/ready`)).json()) as Ready;
      return !reasons.some(({ reason }) => reason === 'votes');
    },
    STALLED_MS,
  );
}

async function voteOutAndIn(
  network: BftProcesses,
  number: number,
  say: (line: string) => void,
): Promise<void> {
  const member = network.node(number);
  const voters = network.nodes.filter((node) => node !== member);
  for (const isIn of [false, true]) {
    for (const { rpc } of voters) await rpc.call('istanbul_propose', member.address, isIn);
    for (const { rpc, name } of network.nodes) {
      await until(
        `${name} sees ${member.name} voted ${isIn ? 'in' : 'out'}`,
        async () => {
          const members = await rpc.call<string[]>('istanbul_getValidators', 'latest');
          return members.includes(member.address) === isIn;
        },
        STALLED_MS,
      );
    }
    for (const { rpc } of voters) await rpc.call('istanbul_discard', member.address);
    await reach(network.nodes, (await headOf(voters[0]!.rpc)) + 6);
  }
  say(`  ${member.name} (${member.kind}) voted out and in`);
}
