/**
 * `npm run hostile`: attacks four validators, case by case, and prints a report; exits with 1 when
 * a bound was broken.
 * --only TEXT    cases whose name or group contains TEXT
 * --short        the short form that `npm test` runs
 * --seconds N    length of each case
 */
import { parseArgs } from 'node:util';
import { CASES } from './cases/index.ts';
import { playSuite, reportHead, reportLine } from './suite.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
  },
});
const wanted = CASES.filter(
  ({ name, group, isShort }) =>
    `${group}: ${name}`.includes(values.only) && (!values.short || isShort),
);
console.log(reportHead());
const verdicts = await playSuite(wanted, {
  ...(values.seconds === undefined ? {} : { seconds: Number(values.seconds) }),
  progress: (verdict) => console.log(reportLine(verdict)),
});
const failed = verdicts.filter(({ faults }) => faults.length > 0);
const unclear = verdicts.filter((each) => each.unclear.length > 0 && each.faults.length === 0);
console.log(`${verdicts.length} cases, ${failed.length} failed, ${unclear.length} unclear`);
process.exit(failed.length > 0 ? 1 : 0);
