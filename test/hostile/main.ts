/**
 * `npm run hostile`: attacks four validators, case by case, then a chain with all forks and a Raft
 * cluster, and prints a report; exits with 1 when a bound was broken. With REFERENCE_GETH=FILE,
 * GoQuorum's validators are attacked instead, for comparison; nothing counts as broken then.
 * --only TEXT    cases whose name or group contains TEXT
 * --short        the short form that `npm test` runs
 * --seconds N    length of each case
 * --part 2/3     the second third of them
 * --list         only the names
 */
import { parseArgs } from 'node:util';
import { SUITES } from './cases/index.ts';
import { reportHead, reportLine, type Suite, type Verdict } from './suite.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    list: { type: 'boolean', default: false },
  },
});
type Listed = Suite['cases'][number];
const title = ({ group, name }: Listed) => `${group}: ${name}`;
const named = SUITES.flatMap(({ cases }) => cases).filter(
  (each) => title(each).includes(values.only) && (!values.short || each.isShort === true),
);
const [part, parts] = values.part.split('/').map(Number) as [number, number];
const chosen: ReadonlySet<Listed> = new Set(
  named.filter((_, at) => Math.floor((at * parts) / named.length) === part - 1),
);
const isWanted = (each: Listed) => chosen.has(each);

if (values.list) {
  for (const each of chosen) console.log(title(each));
  process.exit(0);
}
const reference = process.env.REFERENCE_GETH;
console.log(reportHead());
const verdicts: Verdict[] = [];
for (const suite of SUITES) {
  const played = await suite.play(isWanted, {
    ...(values.seconds === undefined ? {} : { seconds: Number(values.seconds) }),
    reference,
    progress: (verdict) => console.log(reportLine(verdict)),
  });
  verdicts.push(...played);
}
const failed = verdicts.filter(({ faults }) => faults.length > 0);
const unclear = verdicts.filter((each) => each.unclear.length > 0 && each.faults.length === 0);
console.log(`${verdicts.length} cases, ${failed.length} failed, ${unclear.length} unclear`);
process.exit(failed.length > 0 && reference === undefined ? 1 : 0);
