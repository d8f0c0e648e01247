/** Flags in start scripts of GoQuorum: accepted, or refused with advice on what to do instead. */
import { expect, it } from 'vitest';
import { isUsageError, parseOptions } from '../../io/options/options.ts';
import { NODE_ROWS } from './options.ts';

const parse = (argv: string[], text?: string) =>
  parseOptions(NODE_ROWS, {
    argv,
    ...(text === undefined ? {} : { file: { name: 'node.toml', text } }),
  });

it('tuning of caches, tries, indexes and logs is taken without effect', () => {
  const found = parse([
    ...['--privatetriecache.enable', '--cache', '1024', '--cache.gc', '25', '--cache.trie', '15'],
    ...['--txlookuplimit', '0', '--txpool.journal', 'x', '--maxpendpeers', '5', '--ethstats', 'x'],
    ...['--vmodule', 'eth/*=5', '--nousb'],
  ]);
  expect(found.boolean('privatetriecache.enable')).toBe(true);
});

it('what would be unsafe to leave out is refused, with what to do', () => {
  const refused = (argv: string[], text?: string): unknown => {
    try {
      parse(argv, text);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const cases = [
    [refused(['--qlight.client']), 'flag --qlight.client is not supported: run a full node'],
    [refused(['--catalyst']), 'run "quorate node --dev" or "quorate devnet"'],
    [refused([], '"qlight.client" = true'), 'node.toml: qlight.client is not supported'],
  ] as const;
  for (const [error, text] of cases) {
    expect((error as Error).message).toContain(text);
    expect(isUsageError(error)).toBe(true);
  }
  expect(refused(['--qlight.client=false'])).toBeUndefined();
});

it.each([
  ['--rpc.async-callback', 'flat', 'both, ledger, goquorum'],
  ['--rpc.raft-timestamps', 'minutes', 'nanoseconds, seconds'],
])('%s names its choices', (flag, value, choices) => {
  const text = `invalid value "${value}" for flag ${flag}: expected one of ${choices}`;
  expect(() => parse([flag, value])).toThrow(text);
  expect(parse([flag, choices.split(', ').at(-1)!]).string(flag.slice(2))).toBe(
    choices.split(', ').at(-1),
  );
});
