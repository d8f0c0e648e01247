/**
 * `npm run hostile`: attacks four validators, case by case, then a chain with all forks and a Raft
 * cluster, and prints a report; exits with 1 when a bound was broken. With REFERENCE_GETH=FILE,
 * GoQuorum's validators are attacked instead, for comparison; nothing counts as broken then.
 * --only TEXT    cases whose name or group contains TEXT
 * --short        the short form that `npm test` runs
 * --seconds N    length of each case
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
    list: { type: 'boolean', default: false },
  },
});
const title = ({ group, name }: Suite['cases'][number]) => `${group}: ${name}`;
const isWanted = (each: Suite['cases'][number]) =>
  title(each).includes(values.only) && (!values.short || each.isShort === true);

if (values.list) {
  for (const each of SUITES.flatMap(({ cases }) => cases).filter(isWanted))
    console.log(title(each));
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
