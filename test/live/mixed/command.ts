/**
 * `npm run live -- mixed`: networks of two nodes of ours and two of GoQuorum, one after the other.
 */
import { parseArgs } from 'node:util';
import type { Kind } from '../../support/bft-processes.ts';
import { playForgotten, playGrants } from './permission-votes.ts';
import type { Members } from './permissioned-network.ts';
import { playPermissions } from './permissions.ts';
import { playRaft } from './raft.ts';
import { type MixedPlan, playMixed } from './scenario.ts';

const OPTIONS = {
  qbft: { type: 'string' },
  ibft: { type: 'string' },
  transition: { type: 'string' },
  raft: { type: 'string' },
  permissions: { type: 'string' },
  grants: { type: 'string' },
  forgotten: { type: 'string' },
  kinds: { type: 'string' },
} as const;
const DEFAULTS = {
  qbft: '500',
  ibft: '200',
  transition: '200,120',
  raft: '300',
  permissions: '200',
  grants: '3',
  forgotten: '20',
};
const BLOCKS_MIN = 50;
const PERMISSIONS_MIN = 100;
const VOTES_MIN = 1;
const USAGE = `usage: npm run live -- mixed [--qbft BLOCKS] [--ibft BLOCKS] [--transition IBFT,QBFT] [--raft BLOCKS] [--permissions BLOCKS] [--grants COUNT] [--forgotten BLOCKS] [--kinds qqrr]
${BLOCKS_MIN} blocks at least, of permissions ${PERMISSIONS_MIN}; --grants and --forgotten with members of both kinds`;

const LEAST: Readonly<Record<string, number>> = {
  permissions: PERMISSIONS_MIN,
  grants: VOTES_MIN,
  forgotten: VOTES_MIN,
};

type Wanted = Partial<typeof DEFAULTS>;

interface Outcome {
  readonly summary: string;
  readonly findings: readonly string[];
}

/** Resolves with the exit status. */
export async function runMixed(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const { kinds: wanted, ...named } = values;
  const networks: Wanted = Object.keys(named).length === 0 ? DEFAULTS : named;
  const reference = process.env.REFERENCE_GETH;
  const kinds = wanted ?? (reference === undefined ? 'qqqq' : 'qqrr');
  if (!Object.entries(networks).every(isLongEnough) || !/^[rq]{4}$/.test(kinds)) {
    console.error(USAGE);
    return 2;
  }
  if (kinds.includes('r') && reference === undefined) {
    console.error('REFERENCE_GETH IS NOT SET: give it the path of a GoQuorum binary');
    return 2;
  }
  if (!kinds.includes('r')) {
    const names = Object.keys(networks).join(', ');
    console.warn(`NO REFERENCE IN THESE NETWORKS, four nodes of ours: NOT RUN AS MIXED: ${names}`);
  }
  let differences = 0;
  for (const play of playsOf(networks, [...kinds] as Kind[], reference)) {
    const { summary, findings } = await play();
    console.log(`${summary}, ${findings.length} differences`);
    for (const finding of findings) console.log(`  ${finding}`);
    differences += findings.length;
  }
  return differences === 0 ? 0 : 1;
}

function isLongEnough([name, blocks]: [string, string]): boolean {
  const least = LEAST[name] ?? BLOCKS_MIN;
  return blocks.split(',').reduce((sum, part) => sum + Number(part), 0) >= least;
}

function playsOf(
  { qbft, ibft, transition, raft, permissions, grants, forgotten }: Wanted,
  kinds: readonly Kind[],
  reference: string | undefined,
): (() => Promise<Outcome>)[] {
  const plans: MixedPlan[] = [];
  if (qbft !== undefined) plans.push({ name: 'qbft', engine: 'qbft', blocks: Number(qbft) });
  if (ibft !== undefined) plans.push({ name: 'ibft', engine: 'ibft', blocks: Number(ibft) });
  if (transition !== undefined) {
    const [before, after] = transition.split(',').map(Number) as [number, number];
    const blocks = before + after;
    plans.push({ name: 'transition', engine: 'ibft', switchAt: before + 1, blocks });
  }
  const plays = plans.map((plan) => () => bft(plan, kinds, reference));
  if (raft !== undefined) plays.push(() => raftCluster(Number(raft), kinds, reference));
  if (permissions !== undefined)
    plays.push(() => permissioned(Number(permissions), { kinds, reference }));
  // They test what the two kinds of members decide differently.
  if (reference === undefined) return plays;
  const members = { kinds, reference };
  if (grants !== undefined) plays.push(() => playGrants(Number(grants), members, console.log));
  if (forgotten !== undefined)
    plays.push(() => playForgotten(Number(forgotten), members, console.log));
  return plays;
}

async function bft(
  plan: MixedPlan,
  kinds: readonly Kind[],
  reference: string | undefined,
): Promise<Outcome> {
  const { blocks, ...result } = await playMixed(plan, kinds, reference, console.log);
  const summary =
    `${plan.name}: ${blocks.ibft} IBFT and ${blocks.qbft} QBFT blocks, ${result.proposedByOurs} of them proposed by ours, ` +
    `${result.laterRounds} of QBFT in a later round; ${result.transactions} transactions; ` +
    `longest ${result.longestSeconds} s; ${result.comparisons} comparisons`;
  return { summary, findings: [...result.findings, ...lost(result)] };
}

async function raftCluster(
  blocks: number,
  kinds: readonly Kind[],
  reference: string | undefined,
): Promise<Outcome> {
  const result = await playRaft(blocks, kinds, reference, console.log);
  const summary =
    `raft: ${result.head} blocks, ${result.mintedByOurs} of them minted by ours; ` +
    `${result.transactions} transactions; ${result.comparisons} comparisons`;
  return { summary, findings: [...result.findings, ...lost(result)] };
}

async function permissioned(blocks: number, members: Members): Promise<Outcome> {
  const result = await playPermissions(blocks, members, console.log);
  const summary =
    `permissions: ${result.head} blocks, ${result.proposedByOurs} of them proposed by ours; ` +
    `${result.changes} changes; ${result.transactions} transactions; ` +
    `longest ${result.longestSeconds} s; ${result.comparisons} comparisons`;
  return { summary, findings: result.findings };
}

function lost({ sent, transactions }: { sent: number; transactions: number }): string[] {
  return sent === transactions ? [] : [`${sent} transactions were sent, ${transactions} mined`];
}
