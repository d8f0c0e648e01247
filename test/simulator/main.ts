/**
 * npm run sim -- --seed N [--trace] [--canary NAME]
 *   runs one schedule
 * npm run sim -- --minutes M [--from N]
 *   explores schedules; with these options:
 *   --chain qbft|ibft|switch|short   this kind of chain instead of the seed's, with one to seven
 *                                    members that stay
 *   --raft                           Raft clusters
 *   --privacy                        nodes and their private transaction managers
 * npm run sim -- --scale [--validators N] [--relaying] [--link MS] [--period MS]
 *   prints the cost of a block by the number of validators
 */
import { parseArgs } from 'node:util';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { CANARIES } from './canaries/index.ts';
import { ASKED_CHAINS } from './faults.ts';
import { PRIVACY_CANARIES } from './privacy/canaries.ts';
import { type PrivacyOutcome, runPrivacySeed } from './privacy/world.ts';
import { RAFT_CANARIES } from './raft/canaries.ts';
import { type RaftOutcome, runRaftSeed } from './raft/world.ts';
import { type Outcome, runSeed } from './run.ts';
import { printScale, SCALE_SIZES } from './scale.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string' },
    minutes: { type: 'string' },
    canary: { type: 'string' },
    chain: { type: 'string' },
    trace: { type: 'boolean', default: false },
    raft: { type: 'boolean', default: false },
    privacy: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    validators: { type: 'string' },
    relaying: { type: 'boolean', default: false },
    link: { type: 'string' },
    period: { type: 'string' },
  },
});
await installCrypto();
const chain = ASKED_CHAINS.find((each) => each === values.chain);
if (values.chain && !chain) throw new Error(`no chain is called ${values.chain}`);
const trace = values.trace ? (line: string) => console.log(line) : undefined;
const run = profile();

function profile(): (seed: number) => Promise<Outcome | RaftOutcome | PrivacyOutcome> {
  if (values.raft) return runner(RAFT_CANARIES, runRaftSeed);
  if (values.privacy) return runner(PRIVACY_CANARIES, runPrivacySeed);
  return runner(CANARIES, async (seed, options) =>
    runSeed(seed, { ...options, ...(chain && { chain }) }),
  );
}

/** Runs one seed with the chosen canary and trace. */
function runner<C extends { readonly name: string }, O>(
  canaries: readonly C[],
  runOne: (seed: number, options: { canary?: C; trace?: (line: string) => void }) => Promise<O>,
): (seed: number) => Promise<O> {
  const canary = canaries.find(({ name }) => name === values.canary);
  if (values.canary && !canary) throw new Error(`no canary is called ${values.canary}`);
  return (seed) => runOne(seed, { ...(canary && { canary }), ...(trace && { trace }) });
}

if (values.scale) {
  const sizes = values.validators === undefined ? SCALE_SIZES : [Number(values.validators)];
  printScale(sizes, values.relaying, {
    ...(values.link && { linkMs: Number(values.link) }),
    ...(values.period && { blockPeriodMs: Number(values.period) }),
  });
} else if (values.seed !== undefined) {
  const outcome = await run(Number(values.seed));
  console.log(describe(outcome));
  process.exitCode = outcome.failure ? 1 : 0;
} else {
  await explore(
    Number(values.from),
    Number(values.count ?? Number.POSITIVE_INFINITY),
    Number(values.minutes ?? 1),
  );
}

async function explore(from: number, count: number, minutes: number): Promise<void> {
  const until = Date.now() + minutes * 60_000;
  const sum = {
    schedules: 0,
    heights: 0,
    events: 0,
    changing: 0,
    realKeys: 0,
    stuck: 0,
    failed: 0,
  };
  for (let seed = from; seed < from + count && Date.now() < until; seed++) {
    const outcome = await run(seed);
    const {
      isStuck = false,
      isChanging = false,
      hasRealKeys = false,
    } = 'chain' in outcome ? outcome : {};
    sum.schedules++;
    sum.events += outcome.events;
    sum.heights += heightOf(outcome);
    if (isChanging) sum.changing++;
    if (hasRealKeys) sum.realKeys++;
    if (isStuck) sum.stuck++;
    if (outcome.failure) sum.failed++;
    if (outcome.failure || isStuck) console.log(describe(outcome));
  }
  const { schedules, heights, events, failed, changing, realKeys, stuck } = sum;
  const bft =
    changing === 0
      ? ''
      : `; ${changing} with votes or transitions, ${realKeys} with real keys; IBFT stalled because of its locks in ${stuck}`;
  console.log(
    `${schedules} schedules, ${heights} heights, ${events} events, ${failed} failures${bft}`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

/** The number of blocks, or of entries in the Raft log. */
function heightOf(outcome: Outcome | RaftOutcome | PrivacyOutcome): number {
  return 'height' in outcome ? outcome.height : outcome.entries;
}

function describe(outcome: Outcome | RaftOutcome | PrivacyOutcome): string {
  const { seed, failure, events, digest } = outcome;
  const name = 'chain' in outcome ? `${seed} (${outcome.chain})` : seed;
  return failure
    ? `seed ${name} failed: ${failure}`
    : `seed ${name} ${'isStuck' in outcome && outcome.isStuck ? 'stalled because of its locks' : 'passed'}: height ${heightOf(outcome)}, ${events} events, digest ${digest}`;
}
