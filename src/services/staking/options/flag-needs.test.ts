import { expect, it } from 'vitest';
import { flagsReadBy } from '../../../../test/support/read-flags.ts';
import { flagsInVain } from '../../../io/options/needs.ts';
import { parseOptions } from '../../../io/options/options.ts';
import { stakingConfig } from '../config.ts';
import { STAKING_ROWS } from '../options.ts';
import { STAKING_NEEDS } from './flag-needs.ts';

const FROM = `0x${'11'.repeat(20)}`;
const words = (text: string) => (text === '' ? [] : text.split(' '));

function vain(line: string): string[] {
  const options = parseOptions(STAKING_ROWS, { argv: words(line) });
  return flagsInVain({ options }, STAKING_NEEDS).map(
    ({ flags, why }) => `${flags.join(' ')}: ${why}`,
  );
}

it.each([
  '',
  '--datadir d --store postgres://x',
  '--api=false --datadir d --auth.rate 5',
  `--ledger.url http://x --deposit.from ${FROM} --deposit.contract ${FROM} --deposit.fork-version 0x00000000`,
  '--api.audience a',
])('nothing to say of "%s"', (line) => expect(vain(line)).toEqual([]));

it.each([
  [
    `--api=false --deposit.from ${FROM} --ledger.url http://x`,
    'ledger.url deposit.from: they need the staking API',
  ],
  ['--ledger.url http://x', 'ledger.url: it needs --deposit.from'],
  [
    '--datadir d --store postgres://x --secret-file f',
    'datadir: it needs --store or --secret-file',
  ],
])('"%s" is told', (line, text) => {
  const [only, ...more] = vain(line);
  expect(only).toContain(text);
  expect(more).toEqual([]);
});

it('each flag is read', () => {
  const argv = ['--metrics.port', '9100'];
  const read = flagsReadBy(() => stakingConfig(parseOptions(STAKING_ROWS, { argv })));
  const elsewhere = ['config', 'pidfile', 'verbosity'];
  const unread = STAKING_ROWS.filter(({ flag }) => !read.has(flag) && !elsewhere.includes(flag));
  expect(unread.map(({ flag }) => flag)).toEqual([]);
});
