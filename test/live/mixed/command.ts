/** `npm run live -- mixed`: networks of two nodes of ours and two of the reference, one after the other. */
import { parseArgs } from 'node:util';
import type { Kind } from '../../support/bft-processes.ts';
import { type MixedPlan, playMixed } from './scenario.ts';

const OPTIONS = {
  qbft: { type: 'string' },
  ibft: { type: 'string' },
  transition: { type: 'string' },
  kinds: { type: 'string' },
} as const;
const DEFAULTS = { qbft: '500', ibft: '200', transition: '200,120' };

/** Resolves with the exit status. */
export async function runMixed(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const { kinds: wanted, ...named } = values;
  const plans = plansOf(Object.keys(named).length === 0 ? DEFAULTS : named);
  const reference = process.env.REFERENCE_GETH;
  const kinds = wanted ?? (reference === undefined ? 'qqqq' : 'qqrr');
  if (plans.some(({ blocks }) => !(blocks >= 50)) || !/^[rq]{4}$/.test(kinds)) {
    console.error(
      'usage: npm run live -- mixed [--qbft BLOCKS] [--ibft BLOCKS] [--transition IBFT,QBFT] [--kinds qqrr], 50 blocks at least',
    );
    return 2;
  }
  if (kinds.includes('r') && reference === undefined) {
    console.error('REFERENCE_GETH IS NOT SET: give it the path of a GoQuorum binary');
    return 2;
  }
  if (!kinds.includes('r')) {
    const names = plans.map(({ name }) => name).join(', ');
    console.warn(`NO REFERENCE IN THESE NETWORKS, four nodes of ours: NOT RUN AS MIXED: ${names}`);
  }
  let differences = 0;
  for (const plan of plans) {
    const result = await playMixed(plan, [...kinds] as Kind[], reference, console.log);
    const { blocks, findings, ...figures } = result;
    console.log(
      `${plan.name}: ${blocks.ibft} IBFT and ${blocks.qbft} QBFT blocks, ${figures.proposedByOurs} of them proposed by ours, ` +
        `${figures.laterRounds} of QBFT in a later round; ${figures.transactions} transactions (${figures.sent} sent); ` +
        `longest ${figures.longestSeconds} s; ${figures.comparisons} comparisons, ${findings.length} differences`,
    );
    if (figures.transactions !== figures.sent) findings.push('transactions were lost');
    for (const finding of findings) console.log(`  ${finding}`);
    differences += findings.length;
  }
  return differences === 0 ? 0 : 1;
}

function plansOf(values: { qbft?: string; ibft?: string; transition?: string }): MixedPlan[] {
  const plans: MixedPlan[] = [];
  if (values.qbft !== undefined)
    plans.push({ name: 'qbft', engine: 'qbft', blocks: Number(values.qbft) });
  if (values.ibft !== undefined)
    plans.push({ name: 'ibft', engine: 'ibft', blocks: Number(values.ibft) });
  if (values.transition !== undefined) {
    const [before, after] = values.transition.split(',').map(Number) as [number, number];
    const switchAt = before + 1;
    plans.push({ name: 'transition', engine: 'ibft', switchAt, blocks: before + after });
  }
  return plans;
}
