/** Commands for accounts, compared with recordings of GoQuorum: their output and exit status. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { decryptKey } from '../../io/keys/keystore.ts';
import { asQuorate } from '../geth.ts';
import { PasswordPrompt } from '../prompt.ts';

const root = scratchFolder('quorate-account-');
const ks = join(root, 'ks');
const file = (name: string, content: string) => {
  writeFileSync(join(root, name), content);
  return join(root, name);
};
const KEY = '3f46736123528ed3894ea8ca25be55161105518bfcc2ce08821cd33af27cc1d4';
const ADDRESS = '4ab6914888a1506aa49875524ac1556f335b916f';
const IMPORT = ['--keystore', ks, '--lightkdf', 'account', 'import', '--password'];

/** Runs a command with geth's arguments. */
async function geth(...argv: string[]) {
  const { status, lines } = await commandRun(...(await asQuorate('geth', argv)));
  return { status, text: lines.join('\n').trimEnd() };
}

it('new, import, list', async () => {
  const password = file('pw', 'test password\n');
  const made = await geth('--keystore', ks, '--lightkdf', 'account', 'new', '--password', password);
  expect(made.status).toBe(0);
  expect(made.text).toContain('Your new key was generated');
  expect(made.text).toMatch(/Public address of the key: {3}0x[0-9a-fA-F]{40}\n/);
  const imported = await geth(...IMPORT, password, file('priv', `${KEY}\n`));
  expect(imported).toEqual({ status: 0, text: `Address: {${ADDRESS}}` });
  expect(await geth(...IMPORT, password, join(root, 'priv'))).toEqual({
    status: 1,
    text: 'Fatal: Could not create the account: account already exists',
  });
  const { text } = await geth('--keystore', ks, 'account', 'list');
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toMatch(
    new RegExp(`^Account #1: {${ADDRESS}} keystore://${ks}/UTC--.*--${ADDRESS}$`, 'm'),
  );
});

it.each<[string, () => string, string]>([
  ['a bad key', () => file('bad', 'xyz'), 'key file too short, want 64 hex characters'],
  ['a missing file', () => join(root, 'none'), 'Failed to load the private key: '],
])('import of %s', async (_, path, why) => {
  const { status, text } = await geth(...IMPORT, file('pw', 'x'), path());
  expect([status, text]).toEqual([1, expect.stringContaining(why)]);
});

it('a missing password file', async () => {
  const { status, text } = await geth('account', 'new', '--password', join(root, 'none'));
  expect([status, text]).toEqual([1, expect.stringContaining('Failed to read password file: ')]);
});

it('update: another password, a wrong one, and a damaged file, each told apart', async () => {
  const update = ['--keystore', ks, '--lightkdf', 'account', 'update', '--password'];
  const both = file('both', 'test password\nchanged password\n');
  expect((await geth(...update, both, ADDRESS)).status).toBe(0);
  const path = join(ks, readdirSync(ks).find((name) => name.endsWith(ADDRESS))!);
  const key = await decryptKey(JSON.parse(readFileSync(path, 'utf8')), 'changed password');
  expect(Buffer.from(key).toString('hex')).toBe(KEY);
  expect(await geth(...update, both, ADDRESS)).toEqual({
    status: 1,
    text: `Fatal: Failed to unlock account ${ADDRESS} (could not decrypt key with given password)`,
  });
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 100));
  const damaged = await geth(...update, both, ADDRESS);
  expect(damaged).toEqual({
    status: 1,
    text: expect.stringContaining(`the key file ${path} is damaged: no password opens it`),
  });
  const unknown = await geth(...update, both, '00'.repeat(20));
  expect(unknown.text).toContain('no key for given address or file');
});

it('passwords are asked for one after another', async () => {
  const talk = (...lines: string[]) => new PasswordPrompt(Readable.from([lines.join('\n')]));
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const both = talk('old', 'new', 'new', '');
  expect([await both.ask('Password'), await both.askNew()]).toEqual(['old', 'new']);
  await expect(both.ask('Password')).rejects.toThrow('nothing was entered; give --password FILE');
  both.close();
  await expect(talk('one', 'two', '').askNew()).rejects.toThrow('Passwords do not match');
  vi.restoreAllMocks();
});

it('dumpgenesis and license', async () => {
  const genesis = new URL(
    '../../../test/vectors/data/goquorum/public-chain/genesis.json',
    import.meta.url,
  );
  const data = join(root, 'data');
  expect((await geth('--datadir', data, 'init', genesis.pathname)).status).toBe(0);
  const { status, text } = await geth('--datadir', data, 'dumpgenesis');
  expect([status, JSON.parse(text)]).toEqual([0, JSON.parse(readFileSync(genesis, 'utf8'))]);
  const empty = await geth('--datadir', join(root, 'empty'), 'dumpgenesis');
  expect([empty.status, empty.text]).toEqual([1, expect.stringContaining('create one with')]);
  expect((await geth('license')).text).toContain('Apache License');
});

it.each<[readonly string[], readonly string[]]>([
  [[], ['node']],
  [['--version'], ['version']],
  [
    ['--datadir', 'd', '--http', '--mine'],
    ['node', '--datadir', 'd', '--http', '--mine'],
  ],
  [
    ['--datadir=d', 'init', 'g.json'],
    ['init', '--datadir=d', 'g.json'],
  ],
  [
    ['--datadir', 'init', 'init', 'g.json'],
    ['init', '--datadir', 'init', 'g.json'],
  ],
  [
    ['--http', '--verbosity', '5', 'account', 'list'],
    ['account', 'list'],
  ],
  [['nosuch'], ['nosuch']],
])('geth %j is quorate %j', async (argv, expected) => {
  expect(await asQuorate('/usr/bin/geth', argv)).toEqual(expected);
  expect(await asQuorate('/usr/bin/quorate', ['geth', ...argv])).toEqual(expected);
  expect(await asQuorate('/usr/bin/quorate', argv)).toEqual(argv);
});
