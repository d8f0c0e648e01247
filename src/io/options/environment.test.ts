/** Options from environment variables. */
import { expect, it } from 'vitest';
import { helpText } from './help-text.ts';
import { type OptionRow, parseOptions } from './options.ts';

const group = 'Test';
const ROWS: readonly OptionRow[] = [
  { flag: 'http.port', type: 'integer', unit: 'port', default: 1, about: 'Port', group },
  { flag: 'datadir', type: 'string', about: 'Folder', group, aliases: ['data-dir'] },
  { flag: 'mine', type: 'boolean', about: 'Mine', group },
  { flag: 'port', type: 'integer', unit: 'port', default: 30303, about: 'Peers', group },
  { flag: 'dev', type: 'boolean', about: 'Dev', group, refused: 'run "quorate devnet"' },
];
const prefixes = ['GETH_', 'OURS_'];
const parse = (env: Record<string, string>, argv: string[] = []) =>
  parseOptions(ROWS, { argv, env, prefixes });

it('each option has a variable; ours is stronger than geth, and flags than both', () => {
  const env = { GETH_HTTP_PORT: '2', GETH_MINE: 'true', OURS_DATA_DIR: 'x' };
  const found = parse(env);
  expect(found.number('http.port')).toBe(2);
  expect(found.boolean('mine')).toBe(true);
  expect(found.string('datadir')).toBe('x');
  expect(found.source('http.port')).toBe('environment');
  expect(parse({ ...env, OURS_HTTP_PORT: '3' }).number('http.port')).toBe(3);
  expect(parse(env, ['--http.port=4']).number('http.port')).toBe(4);
  expect(parse({ GETH_HTTP_PORT: '' }).number('http.port')).toBe(1);
});

it('overrides the configuration file', () => {
  const file = { name: 'a.toml', text: '"http.port" = 7\nmine = true' };
  const found = parseOptions(ROWS, { argv: [], env: { GETH_HTTP_PORT: '2' }, prefixes, file });
  expect(found.number('http.port')).toBe(2);
  expect(found.boolean('mine')).toBe(true);
});

it('a bad value, and a refused option, name their variable', () => {
  expect(() => parse({ GETH_HTTP_PORT: 'x' })).toThrow(
    'invalid value "x" for environment variable GETH_HTTP_PORT: expected a whole number',
  );
  expect(() => parse({ GETH_DEV: '1' })).toThrow(
    'environment variable GETH_DEV is not supported: run "quorate devnet"',
  );
});

it('a variable that names no option is reported; those that Kubernetes sets are ignored', () => {
  const found = parse({
    ...{ GETH_PORT: 'tcp://10.0.0.7:8545', GETH_SERVICE_HOST: '10.0.0.7' },
    ...{ GETH_PORT_8545_TCP: 'tcp://10.0.0.7:8545', GETH_HTTP_PROT: '1', PATH: 'x' },
  });
  expect(found.number('port')).toBe(30_303);
  expect([...found.ignored()]).toEqual([['no option has this name', ['GETH_HTTP_PROT']]]);
});

it('without prefixes only the rows own count', () => {
  expect(parseOptions(ROWS, { argv: [], env: { GETH_HTTP_PORT: '2' } }).number('http.port')).toBe(
    1,
  );
});

it('the help says how they are called', () => {
  const page = { command: 'quorate test', about: 'A test.', examples: [], rows: ROWS };
  expect(helpText({ ...page, variables: prefixes })).toContain('--http.port is OURS_HTTP_PORT');
  expect(helpText(page)).not.toContain('OURS_');
});
