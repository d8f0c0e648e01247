/**
 * npx tsx test/simulator/main.ts --seed N [--trace] [--canary NAME]   runs one schedule
 * npx tsx test/simulator/main.ts --minutes M [--from N]               explores
 */
import { parseArgs } from 'node:util';
import { installCrypto } from '../../src/io/host/crypto.ts';
import { CANARIES } from './canaries/index.ts';
import { type Outcome, runSeed } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string' },
    minutes: { type: 'string' },
    canary: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
await installCrypto();
const canary = values.canary ? CANARIES.find(({ name }) => name === values.canary) : undefined;
if (values.canary && !canary) throw new Error(`no canary is called ${values.canary}`);
const trace = values.trace ? (line: string) => console.log(line) : undefined;
const run = (seed: number) => runSeed(seed, { ...(canary && { canary }), ...(trace && { trace }) });

if (values.seed !== undefined) {
  const outcome = run(Number(values.seed));
  console.log(describe(outcome));
  process.exitCode = outcome.failure ? 1 : 0;
} else {
  explore(
    Number(values.from),
    Number(values.count ?? Number.POSITIVE_INFINITY),
    Number(values.minutes ?? 1),
  );
}

function explore(from: number, count: number, minutes: number): void {
  const until = Date.now() + minutes * 60_000;
  let schedules = 0;
  let events = 0;
  let heights = 0;
  let failures = 0;
  for (let seed = from; seed < from + count && Date.now() < until; seed++) {
    const outcome = run(seed);
    schedules++;
    events += outcome.events;
    heights += outcome.height;
    if (!outcome.failure) continue;
    failures++;
    console.log(describe(outcome));
  }
  console.log(`${schedules} schedules, ${heights} heights, ${events} events, ${failures} failures`);
  process.exitCode = failures > 0 ? 1 : 0;
}

function describe({ seed, failure, height, events, digest }: Outcome): string {
  return failure
    ? `seed ${seed} failed: ${failure}`
    : `seed ${seed} passed: height ${height}, ${events} events, digest ${digest}`;
}
