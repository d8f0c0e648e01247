/** GoQuorum's `geth account plugin`, with its settings for HashiCorp Vault. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { ROLE, type StandInVault, standInVault } from '../../../test/support/stand-in-vault.ts';
import { asQuorate } from '../geth.ts';

const KEY = '3f46736123528ed3894ea8ca25be55161105518bfcc2ce08821cd33af27cc1d4';
const WALLET = new Wallet(`0x${KEY}`);
const BARE = WALLET.address.slice(2).toLowerCase();
const CONFIG = '--plugins.account.config';

let folder: string;
let vault: StandInVault;
let settings: readonly string[];

beforeEach(async () => {
  for (const [name, value] of Object.entries(ROLE)) vi.stubEnv(name, value);
  folder = scratchFolder('quorate-account-plugin-');
  mkdirSync(join(folder, 'accounts'));
  vault = await standInVault(new Map());
  const config = {
    vault: vault.url,
    kvEngineName: 'kv',
    accountDirectory: `file://${join(folder, 'accounts')}`,
    unlock: [BARE],
    authentication: {
      roleId: 'env://HASHICORP_ROLE_ID',
      secretId: 'env://HASHICORP_SECRET_ID',
      approlePath: 'env://MOUNT',
    },
  };
  const account = { name: 'quorum-account-plugin-hashicorp-vault', version: '0.2.0', config };
  settings = ['--plugins', `file://${file('plugins.json', { providers: { account } })}`];
});

afterEach(() => {
  vault.close();
  vi.unstubAllEnvs();
});

function file(name: string, content: object | string): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** Runs a command with geth's arguments. */
async function geth(...argv: readonly string[]) {
  const { status, lines } = await commandRun(...(await asQuorate('geth', argv)));
  return { status, text: lines.join('\n').trim() };
}

it('accounts are imported, made and listed', async () => {
  expect(await geth('account', 'plugin', 'list', ...settings)).toEqual({ status: 0, text: '' });
  const wanted = `{"secretName": "team/one", "overwriteProtection": {"currentVersion": 0}}`;
  const imported = await geth(
    ...['account', 'plugin', 'import', ...settings, CONFIG, wanted, file('key', `${KEY}\n`)],
  );
  expect(imported).toEqual({ status: 0, text: expect.stringContaining(WALLET.address) });
  expect(imported.text).toContain(`Account URL: ${vault.url}/v1/kv/data/team/one?version=1`);
  expect(vault.secrets.get('team/one')).toEqual([{ [BARE]: KEY }]);
  // Here the plugin's flags come before the command, and the new account's settings are in a file.
  const made = await geth(
    ...[...settings, 'account', 'plugin', 'new', CONFIG],
    `file://${file('wanted.json', { secretName: 'team/two' })}`,
  );
  const [, address] = /Public address of the account: {3}0x(\w{40})/.exec(made.text)!;
  const { text } = await geth('account', 'plugin', 'list', ...settings);
  expect(text.split('\n')).toEqual([
    `Account #0: {${BARE}} ${vault.url}/v1/kv/data/team/one?version=1`,
    `Account #1: {${address!.toLowerCase()}} ${vault.url}/v1/kv/data/team/two?version=1`,
  ]);
  const [first] = readdirSync(join(folder, 'accounts')).sort();
  expect(JSON.parse(readFileSync(join(folder, 'accounts', first!), 'utf8'))).toMatchObject({
    Address: BARE,
    VaultAccount: { SecretName: 'team/one', SecretVersion: 1 },
  });
  // No key was read: accounts are unlocked only for a node.
  expect(vault.asked.filter((each) => each.startsWith('GET'))).toEqual([]);
});

it('says what is wrong', async () => {
  const key = file('key', KEY);
  const one = [CONFIG, '{"secretName": "one"}'];
  const other = file('other.json', { providers: { security: {} } });
  await geth('account', 'plugin', 'import', ...settings, ...one, key);
  const rows: [readonly string[], number, string][] = [
    [['list'], 2, '--plugins required'],
    [['list', '--plugins', `file://${other}`], 1, 'there is no provider "account" in the file'],
    [['new', ...settings], 2, `--plugins and ${CONFIG} flags must be set`],
    [['new', ...settings, CONFIG, '{'], 1, `unable to parse settings of ${CONFIG}`],
    [['new', ...settings, CONFIG, '{}'], 2, `${CONFIG}: secretName must be set`],
    [['new', ...settings, ...one], 1, 'overwriteProtection names its current version'],
    [['import', ...settings, ...one], 2, 'keyfile must be given as argument'],
    [['import', ...settings, ...one, key], 1, 'account already exists'],
    [['import', ...settings, ...one, join(folder, 'x')], 1, 'Failed to load the private key: '],
    [['remove'], 2, 'unknown command "remove": one of list, new, import'],
    [[], 2, 'a command is missing: one of list, new, import'],
  ];
  for (const [argv, status, text] of rows) {
    const found = await geth('account', 'plugin', ...argv);
    expect(found, argv.join(' ')).toEqual({ status, text: expect.stringContaining(text) });
    expect(found.text).not.toContain(KEY);
  }
  vi.stubEnv('HASHICORP_SECRET_ID', 'wrong');
  const refused = await geth('account', 'plugin', 'list', ...settings);
  expect(refused).toEqual({ status: 1, text: expect.stringContaining('the AppRole login') });
});
