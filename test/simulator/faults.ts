/** What goes wrong and when, drawn from the seed before the first event. */
import { Prng } from '../../src/core/base/prng.ts';
import type { ConsensusRules } from '../../src/core/chain/rules.ts';
import { faultyMax } from '../../src/core/consensus/bft/quorum.ts';
import { BEHAVIOURS, type Behaviour } from './byzantine.ts';

export type Fault =
  | {
      readonly kind: 'crash';
      readonly atMs: number;
      readonly node: number;
      readonly downMs: number;
    }
  | { readonly kind: 'blackout'; readonly atMs: number; readonly downMs: number }
  | { readonly kind: 'partition'; readonly atMs: number; readonly sides: readonly number[] }
  /** These links lose what is sent from one node to another; the other direction works. */
  | {
      readonly kind: 'oneWay';
      readonly atMs: number;
      readonly links: readonly (readonly [from: number, to: number])[];
    }
  /** Ends partitions. */
  | { readonly kind: 'heal'; readonly atMs: number }
  /** A crash from which the machine comes back with an empty disk. */
  | {
      readonly kind: 'diskLoss';
      readonly atMs: number;
      readonly node: number;
      readonly downMs: number;
    }
  /** A crash after which the vote file is missing. */
  | {
      readonly kind: 'voteLoss';
      readonly atMs: number;
      readonly node: number;
      readonly downMs: number;
    }
  /** Clocks are set forward or back. */
  | {
      readonly kind: 'clock';
      readonly atMs: number;
      readonly nodes: readonly number[];
      readonly byMs: number;
    }
  /** All members vote on the last member. */
  | { readonly kind: 'vote'; readonly atMs: number; readonly isAdd: boolean };

/** The engine that makes the blocks: `switch` is IBFT below `switchAt` and QBFT from there on. */
export const CHAINS = ['qbft', 'ibft', 'switch'] as const;
export type ChainKind = (typeof CHAINS)[number];
/** Kinds of chains that can be requested; `short` is QBFT with a block period below a second. */
export const ASKED_CHAINS = [...CHAINS, 'short'] as const;
export type AskedChain = (typeof ASKED_CHAINS)[number];

/** The settings of a chain that schedules vary. */
export type Settings = Pick<
  ConsensusRules,
  | 'blockPeriodMs'
  | 'emptyBlockPeriodSeconds'
  | 'requestTimeoutMs'
  | 'maxRequestTimeoutMs'
  | 'proposerPolicy'
>;

export interface Plan extends Settings {
  /** The first block of QBFT: 0 on a QBFT chain, never reached on an IBFT chain. */
  readonly switchAt: number;
  readonly nodes: number;
  /** The behaviours of the first members, which are Byzantine. */
  readonly byzantine: readonly Behaviour[];
  readonly faults: readonly Fault[];
  /** From this time on everything works except the Byzantine members. */
  readonly quietFromMs: number;
  readonly lossRate: number;
  readonly replayRate: number;
  readonly delayMsMax: number;
  readonly writeMsMax: number;
  /** Each node's clock: `offsetMs + rate * time`. */
  readonly clocks: readonly { readonly offsetMs: number; readonly rate: number }[];
  /** Other settings from this height on. */
  readonly transition?: Settings & { readonly height: number };
  readonly isRelaying: boolean;
  /** Pairs of nodes that are never connected. */
  readonly strangers: readonly (readonly [number, number])[];
  /** Nodes know each other's connections, and pass messages on only to nodes that need it. */
  readonly isInformed: boolean;
  readonly hasRealKeys: boolean;
  /** Virtual execution time; 0: nearly none. */
  readonly nanosecondsPerGas: number;
}

const FAULTS_MIN = 3;
const HARMLESS: readonly Fault['kind'][] = ['heal', 'vote', 'clock'];
const HOUR_MS = 3_600_000;
const SIZES = [4, 5, 7, 4, 4, 4, 4, 5, 6, 7];
/** The same networks and smaller ones, where f is 0. */
const ANY_SIZES = [1, 2, 3, ...SIZES.slice(3)];

/** Counts the Byzantine members, and the faults that hit the others. */
export function faultCount({ byzantine, faults }: Plan): number {
  return byzantine.length + faults.filter(({ kind }) => !HARMLESS.includes(kind)).length;
}

/** Such a node counts as one of the f faulty ones until a height is decided. */
export function isLoss({ kind }: Fault): boolean {
  return kind === 'diskLoss' || kind === 'voteLoss';
}

/** Whether validators or settings change during the schedule. */
export function isChanging({ switchAt, transition, faults }: Plan): boolean {
  const isSwitching = switchAt > 0 && switchAt < Number.MAX_SAFE_INTEGER;
  return isSwitching || transition !== undefined || faults.some(({ kind }) => kind === 'vote');
}

/** Adds crashes to a schedule with few other faults. */
export function withFaults(plan: Plan, seed: number): Plan {
  const missing = FAULTS_MIN - faultCount(plan);
  if (missing <= 0) return plan;
  const chance = new Prng(seed ^ 0x3c6ef372);
  const crashes = Array.from({ length: missing }, () =>
    drawCrash(chance, plan.nodes, plan.quietFromMs),
  );
  return { ...plan, faults: [...plan.faults, ...crashes].sort((a, b) => a.atMs - b.atMs) };
}

/**
 * In a third of the schedules, votes the last member out, and perhaps in again, if the remaining
 * members tolerate the liars.
 */
export function withVotes(plan: Plan, seed: number): Plan {
  const chance = new Prng(seed ^ 0x2545f491);
  const { nodes, byzantine, quietFromMs } = plan;
  const liars = byzantine.length + plan.faults.filter(isLoss).length;
  const isPossible = nodes > 1 && liars <= faultyMax(nodes - 1);
  if (!isPossible || !chance.chance(0.4)) return plan;
  const atMs = chance.below(quietFromMs);
  const votes: Fault[] = [{ kind: 'vote', atMs, isAdd: false }];
  if (chance.chance(0.7)) {
    votes.push({ kind: 'vote', atMs: atMs + 2000 + chance.below(15_000), isAdd: true });
  }
  return { ...plan, faults: [...plan.faults, ...votes].sort((a, b) => a.atMs - b.atMs) };
}

/** The seed's number decides the kind of chain, so that the same faults can be tried on each. */
export function chainOf(seed: number): ChainKind {
  return CHAINS[new Prng(seed ^ 0x5bd1e995).below(CHAINS.length)]!;
}

function switchAtOf(chain: ChainKind, seed: number): number {
  if (chain === 'qbft') return 0;
  return chain === 'ibft' ? Number.MAX_SAFE_INTEGER : 2 + (seed % 9);
}

export function drawPlan(seed: number, chance: Prng, chain: ChainKind, hasAnySize: boolean): Plan {
  const sizes = hasAnySize ? ANY_SIZES : SIZES;
  const nodes = sizes[chance.below(sizes.length)]!;
  const traitors = chance.below(faultyMax(nodes) + 1);
  const quietFromMs = 10_000 + chance.below(30_000);
  const isStormy = chance.chance(0.5);
  return {
    switchAt: switchAtOf(chain, seed),
    nodes,
    byzantine: Array.from({ length: traitors }, () => BEHAVIOURS[chance.below(BEHAVIOURS.length)]!),
    faults: drawFaults(chance, nodes, quietFromMs),
    quietFromMs,
    lossRate: isStormy ? chance.below(30) / 100 : 0,
    replayRate: isStormy ? chance.below(10) / 100 : 0,
    delayMsMax: isStormy ? 20 + chance.below(1500) : 40,
    writeMsMax: 1 + chance.below(40),
    clocks: Array.from({ length: nodes }, () => ({
      offsetMs: chance.below(600) - 300,
      rate: 1 + (chance.below(200) - 100) / 100_000,
    })),
    ...drawSettings(chance),
    isRelaying: chance.chance(0.3),
    strangers: [],
    isInformed: false,
    hasRealKeys: seed % 100 === 99,
    nanosecondsPerGas: 0,
  };
}

function drawSettings(chance: Prng): Settings {
  return {
    blockPeriodMs: 1000 * (1 + chance.below(2)),
    emptyBlockPeriodSeconds: chance.chance(0.25) ? 4 : 0,
    requestTimeoutMs: 1000 + chance.below(3) * 1000,
    maxRequestTimeoutMs: chance.chance(0.5) ? 8000 : 0,
    proposerPolicy: chance.chance(0.2) ? 'sticky' : 'roundRobin',
  };
}

/**
 * Adds links that work in one direction only, a lost disk, members that are not all connected,
 * oversized messages, and changed settings.
 */
export function withExtras(plan: Plan, seed: number): Plan {
  const chance = new Prng(seed ^ 0x6a09e667);
  const { nodes, quietFromMs } = plan;
  const faults = [...plan.faults];
  if (chance.chance(0.3)) faults.push(...drawOneWay(chance, nodes, quietFromMs));
  const byzantine = plan.byzantine.map((behaviour) =>
    behaviour === 'garbage' && chance.chance(0.5) ? 'oversized' : behaviour,
  );
  // The lost disk may have held a vote, so its node counts as a liar. It is the first node that
  // does not lie.
  if (chance.chance(0.3) && byzantine.length < faultyMax(nodes)) {
    const { atMs, downMs } = drawCrash(chance, nodes, quietFromMs);
    const kind = new Prng(seed ^ 0x1f83d9ab).chance(0.5) ? 'diskLoss' : 'voteLoss';
    faults.push({ kind, atMs, downMs, node: byzantine.length });
  }
  const transition = chance.chance(0.2)
    ? { ...drawSettings(chance), height: 2 + chance.below(16) }
    : undefined;
  const strangers = chance.chance(0.15) ? drawStrangers(chance, plan) : [];
  const isRelaying = plan.isRelaying || strangers.length > 0;
  const isInformed = isRelaying && chance.chance(0.7);
  const liars = byzantine.length + faults.filter(isLoss).length;
  const isWrong = liars < faultyMax(nodes) && chance.chance(0.3);
  const clocks = isWrong ? withWrongClock(chance, plan, liars) : plan.clocks;
  faults.sort((a, b) => a.atMs - b.atMs);
  const mesh = { strangers, isRelaying, isInformed };
  return { ...plan, byzantine, faults, clocks, ...mesh, ...(transition && { transition }) };
}

/**
 * Lets blocks take time to execute, up to half a round, and some liars propose blocks that take
 * minutes.
 */
export function withSlowness(plan: Plan, seed: number): Plan {
  const chance = new Prng(seed ^ 0x510e527f);
  if (!chance.chance(0.4)) return plan;
  const byzantine = plan.byzantine.map((behaviour) =>
    chance.chance(0.6) ? ('slowBlocks' as const) : behaviour,
  );
  return { ...plan, byzantine, nanosecondsPerGas: 10 + chance.below(150) };
}

/**
 * Clocks jump by an hour: all of them, one after the other, or the clock of one node. A node whose
 * clock is ahead proposes blocks that others refuse; one whose clock is behind is late after a
 * restart: both are no better than a liar. In IBFT, a block with a time in the future that some
 * nodes are locked on waits until the clocks reach it, since the others do not learn of the lock.
 */
export function withClockJumps(plan: Plan, seed: number): Plan {
  const chance = new Prng(seed ^ 0x3f84d5b5);
  if (!chance.chance(0.3)) return plan;
  const { nodes, byzantine, quietFromMs } = plan;
  const liars = byzantine.length + plan.faults.filter(isLoss).length;
  const isFree = liars < faultyMax(nodes) && plan.clocks.every(isNearlyRight);
  const all = Array.from({ length: nodes }, (_, index) => index);
  const one = [nodes - 1];
  const atMs = chance.below(quietFromMs);
  const back = { kind: 'clock', byMs: -HOUR_MS } as const;
  const forth = { kind: 'clock', byMs: HOUR_MS } as const;
  const apart = () => all.map((node) => ({ nodes: [node], atMs: atMs + chance.below(2000) }));
  const ways: (() => Fault[])[] = [
    () => apart().map((each) => ({ ...back, ...each })),
    () => [
      ...apart().map((each) => ({ ...forth, ...each })),
      { ...back, nodes: all, atMs: atMs + 5000 },
    ],
    ...(isFree
      ? [() => [{ ...back, nodes: one, atMs }], () => [{ ...forth, nodes: one, atMs }]]
      : []),
  ];
  const jumps = ways[plan.switchAt > 0 ? 0 : chance.below(ways.length)]!();
  return { ...plan, faults: [...plan.faults, ...jumps].sort((a, b) => a.atMs - b.atMs) };
}

const SHORT_PERIODS_MS = [50, 100, 130, 200, 200, 300, 500, 999];

/** QBFT only: a block period below one second, from the first block or from a transition on. */
export function withShortPeriod(plan: Plan, seed: number): Plan {
  const chance = new Prng(seed ^ 0x27d4eb2f);
  if (plan.switchAt > 0 || !chance.chance(0.4)) return plan;
  return shortened(plan, chance);
}

export function shortened(plan: Plan, chance: Prng): Plan {
  const { transition } = plan;
  const shorten = <S extends Settings>(settings: S): S => ({
    ...settings,
    blockPeriodMs: SHORT_PERIODS_MS[chance.below(SHORT_PERIODS_MS.length)]!,
    requestTimeoutMs: 200 + chance.below(10) * 100,
  });
  const isLater = transition !== undefined && chance.chance(0.5);
  return {
    ...(isLater ? plan : shorten(plan)),
    ...(transition && { transition: isLater ? shorten(transition) : transition }),
  };
}

function isNearlyRight({ offsetMs }: Plan['clocks'][number]): boolean {
  return Math.abs(offsetMs) < 1000;
}

/** One more faulty node: its clock is seconds wrong, and drifts by up to a hundredth. */
function withWrongClock(chance: Prng, { clocks }: Plan, index: number): Plan['clocks'] {
  const offsetMs = chance.below(16_000) - 8000;
  const rate = 1 + (chance.below(200) - 100) / 10_000;
  return clocks.map((clock, at) => (at === index ? { offsetMs, rate } : clock));
}

function drawOneWay(chance: Prng, nodes: number, untilMs: number): Fault[] {
  const atMs = chance.below(untilMs);
  const links = Array.from(
    { length: 1 + chance.below(nodes) },
    () => [chance.below(nodes), chance.below(nodes)] as const,
  );
  return [
    { kind: 'oneWay', atMs, links },
    { kind: 'heal', atMs: atMs + chance.below(10_000) },
  ];
}

/**
 * Honest nodes stay connected in a ring; the last node, which may be voted out, is connected with
 * all.
 */
function drawStrangers(chance: Prng, { nodes, byzantine }: Plan): (readonly [number, number])[] {
  const first = byzantine.length;
  const last = nodes - 1;
  const strangers: (readonly [number, number])[] = [];
  for (let a = 0; a < last; a++) {
    for (let b = a + 1; b < last; b++) {
      const isInRing = a >= first && (b === a + 1 || (a === first && b === last - 1));
      if (!isInRing && chance.chance(0.7)) strangers.push([a, b]);
    }
  }
  return strangers;
}

function drawCrash(
  chance: Prng,
  nodes: number,
  untilMs: number,
): Extract<Fault, { kind: 'crash' }> {
  const node = chance.below(nodes);
  const atMs = chance.below(untilMs);
  return { kind: 'crash', atMs, node, downMs: 10 + chance.below(8000) };
}

function drawFaults(chance: Prng, nodes: number, untilMs: number): Fault[] {
  const faults: Fault[] = [];
  const crashes = chance.below(6);
  for (let i = 0; i < crashes; i++) {
    faults.push(drawCrash(chance, nodes, untilMs));
  }
  if (chance.chance(0.15)) {
    faults.push({ kind: 'blackout', atMs: chance.below(untilMs), downMs: chance.below(5000) });
  }
  const partitions = chance.below(4);
  for (let i = 0; i < partitions; i++) {
    const atMs = chance.below(untilMs);
    const sides = Array.from({ length: nodes }, () => chance.below(2));
    faults.push({ kind: 'partition', atMs, sides });
    faults.push({ kind: 'heal', atMs: atMs + chance.below(10_000) });
  }
  return faults.sort((a, b) => a.atMs - b.atMs);
}
