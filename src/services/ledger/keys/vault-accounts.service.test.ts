/** GoQuorum's account plugin for HashiCorp Vault: its configuration, its files, its methods. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction, Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mined, miningNode } from '../../../../test/support/mining-node.ts';
import { endAll, endings } from '../../../../test/support/proxy-server.ts';
import type { RpcNode } from '../../../../test/support/rpc-node.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { MADE_KEY, ROLE, standInVault } from '../../../../test/support/stand-in-vault.ts';
import { vaultAccountsConfig } from '../config/vault-accounts.ts';
import { openWallet } from './wallet.ts';
import '../../../../test/support/install-crypto.ts';

/** Key of the account that has funds on the test chain. */
const KEY = '09'.repeat(32);
const FROM = new Wallet(`0x${KEY}`).address.toLowerCase();
const BARE = FROM.slice(2);
const OTHER_KEY = MADE_KEY;
const OTHER = new Wallet(`0x${OTHER_KEY}`).address.toLowerCase();

let folder: string;
let secrets: Map<string, object[]>;
let asked: string[];
let url: string;

beforeEach(async () => {
  folder = scratchFolder('quorate-vault-accounts-');
  mkdirSync(join(folder, 'accounts'));
  secrets = new Map([['team/one', [{ [BARE]: KEY }]]]);
  const vault = await standInVault(secrets);
  endings.push(() => vault.close());
  ({ url, asked } = vault);
});
afterEach(endAll);

const configuration = (more: object = {}) => ({
  vault: url,
  kvEngineName: 'kv',
  accountDirectory: `file://${join(folder, 'accounts')}`,
  unlock: [BARE],
  authentication: {
    roleId: 'env://HASHICORP_ROLE_ID',
    secretId: 'env://HASHICORP_SECRET_ID',
    approlePath: 'env://MOUNT',
  },
  ...more,
});

function accountFile(address: string, SecretName: string, SecretVersion = 1): void {
  const text = JSON.stringify({
    Address: address,
    VaultAccount: { SecretName, SecretVersion },
    Version: 1,
  });
  writeFileSync(join(folder, 'accounts', `UTC--2020-06-29T19-57-11.071220000Z--${address}`), text);
}

function plugins(config: object | string): string {
  const file = join(folder, 'plugins.json');
  const account = { name: 'quorum-account-plugin-hashicorp-vault', version: '0.2.0', config };
  writeFileSync(file, JSON.stringify({ providers: { account } }));
  return `file://${file}`;
}

async function nodeWith(config: object, log: (text: string) => void = () => {}): Promise<RpcNode> {
  writeFileSync(join(folder, 'plugin.json'), JSON.stringify(config));
  const wallet = await openWallet(
    {
      ...{ folder: join(folder, 'keystore'), isLight: true, mayUnlock: true, unlocked: [] },
      ...{ passwordFile: undefined, signer: undefined },
      plugins: plugins(`file://${join(folder, 'plugin.json')}`),
    },
    {
      log: (_, text, facts) => log(`${text} ${JSON.stringify(facts)}`),
      ends: endings,
      environment: ROLE,
    },
  );
  const node = await miningNode({ wallet });
  endings.push(() => node.close());
  return node;
}

const transfer = { from: FROM, to: OTHER, value: '0x1', gas: '0x5208' };

it('accounts of the folder are listed, unlocked as configured, and sign', async () => {
  accountFile(BARE, 'team/one');
  const node = await nodeWith(configuration());
  expect(await node.call('eth_accounts')).toEqual([FROM]);
  const hash = await node.call('eth_sendTransaction', transfer);
  expect(await mined(node, hash)).toMatchObject({ from: FROM, status: '0x1' });
  expect(asked).toEqual(['POST /v1/auth/approle/login', 'GET /v1/kv/data/team/one']);
  expect('plugin@account' in (await node.call('rpc_modules'))).toBe(true);
});

it('a locked account is unlocked for a time, or signs once', async () => {
  accountFile(BARE, 'team/one');
  const node = await nodeWith(configuration({ unlock: [] }));
  await expect(node.call('eth_sendTransaction', transfer)).rejects.toThrow('account locked');
  await mined(node, await node.call('personal_sendTransaction', transfer, ''));
  await expect(node.call('eth_sendTransaction', transfer)).rejects.toThrow('account locked');
  expect(await node.call('personal_unlockAccount', FROM, '', 300)).toBe(true);
  await mined(node, await node.call('eth_sendTransaction', transfer));
  expect(await node.call('personal_lockAccount', FROM)).toBe(true);
  await expect(node.call('eth_sign', FROM, '0x12')).rejects.toThrow('account locked');
});

it('new accounts are stored in the vault, and a file says where', async () => {
  const node = await nodeWith(configuration({ unlock: [] }));
  const wanted = { secretName: 'team/two', overwriteProtection: { currentVersion: 0 } };
  const made = await node.call('plugin@account_newAccount', wanted);
  expect(made).toEqual({
    address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    url: `${url}/v1/kv/data/team/two?version=1`,
  });
  const [held] = secrets.get('team/two') as Record<string, string>[];
  expect(new Wallet(`0x${held![made.address.slice(2)]}`).address.toLowerCase()).toBe(made.address);
  const [name, ...others] = readdirSync(join(folder, 'accounts'));
  expect([name!.endsWith(`--${made.address.slice(2)}`), others]).toEqual([true, []]);
  expect(JSON.parse(readFileSync(join(folder, 'accounts', name!), 'utf8'))).toEqual({
    Address: made.address.slice(2),
    VaultAccount: { SecretName: 'team/two', SecretVersion: 1 },
    Version: 1,
  });
  const again = node.call('plugin@account_newAccount', wanted);
  await expect(again).rejects.toThrow('overwriteProtection names its current version');
  const imported = { secretName: 'three' };
  expect(await node.call('plugin@account_importRawKey', KEY, imported)).toMatchObject({
    address: FROM,
  });
  await expect(node.call('plugin@account_importRawKey', KEY, imported)).rejects.toThrow(
    'already exists',
  );
  expect(await node.call('eth_accounts')).toEqual([made.address, FROM]);
  for (const [config, text] of [
    [{}, 'secretName must be set'],
    [
      { secretName: 'x', overwriteProtection: { currentVersion: 1, insecureDisable: true } },
      'both',
    ],
  ] as const) {
    await expect(node.call('plugin@account_newAccount', config)).rejects.toThrow(text);
  }
});

it('the engine quorum-signer signs there: keys never leave the vault', async () => {
  const { unlock: _, kvEngineName: __, ...shared } = configuration();
  const node = await nodeWith({ ...shared, quorumSignerEngineName: 'qs' });
  const made = await node.call('plugin@account_importRawKey', KEY, { secretName: 'inside' });
  expect(made).toEqual({ address: FROM, url: `${url}/v1/qs/accounts/inside?version=0` });
  await mined(node, await node.call('eth_sendTransaction', transfer));
  const { raw } = await node.call('eth_signTransaction', {
    ...transfer,
    gasPrice: '0x0',
    nonce: '0x9',
  });
  expect(Transaction.from(raw).from!.toLowerCase()).toBe(FROM);
  expect(asked.filter((each) => each === 'GET /v1/qs/sign/inside')).toHaveLength(2);
});

it('what the vault does not have, or has wrong, is named; no key is in any text', async () => {
  accountFile(BARE, 'team/one');
  const cases: [object[] | undefined, string][] = [
    [undefined, 'reading team/one: status 404'],
    [[{ [BARE]: KEY, more: 'x' }], 'only one key/value pair'],
    [[{ [OTHER.slice(2)]: OTHER_KEY }], 'does not contain data for account address'],
    [[{ [BARE]: OTHER_KEY }], 'does not hold the key'],
    [[{ [BARE]: 'nonsense' }], 'does not hold the key'],
  ];
  const said: string[] = [];
  secrets.delete('team/one');
  const node = await nodeWith(configuration(), (text) => said.push(text));
  expect(said[0]).toContain('unable to unlock account');
  for (const [held, text] of cases) {
    if (held) secrets.set('team/one', held);
    const failed = await node.call('personal_unlockAccount', FROM, '', 0).catch((error) => error);
    expect(failed.message).toContain(text);
    expect(failed.message).not.toContain(OTHER_KEY);
  }
  const [name] = readdirSync(join(folder, 'accounts'));
  writeFileSync(join(folder, 'accounts', name!), '{"Address":"12"}');
  await expect(nodeWith(configuration())).rejects.toThrow('"Address" is not an address');
  writeFileSync(join(folder, 'accounts', name!), '{');
  await expect(nodeWith(configuration())).rejects.toThrow("is not an account's file");
});

describe('the configuration', () => {
  const valid = () => configuration() as Record<string, unknown>;
  const { MOUNT: _, ...noMount } = ROLE;
  it.each([
    ['vault', { vault: 'nowhere' }, 'vault must be a valid HTTP/HTTPS url'],
    ['no engine', { kvEngineName: '' }, 'either kvEngineName or quorumSignerEngineName'],
    ['two engines', { quorumSignerEngineName: 'x' }, 'either kvEngineName or quorumSigner'],
    [
      'a folder',
      { accountDirectory: 'accounts' },
      'accountDirectory must be a valid absolute file',
    ],
    ['unlock', { unlock: ['0x12'] }, '"0x12" is not an address'],
    ['unlock there', { kvEngineName: '', quorumSignerEngineName: 'x' }, 'unlock is not supported'],
    ['no login', { authentication: {} }, 'authentication must contain'],
    [
      'an unset variable',
      { authentication: { token: 'env://NONE' } },
      'authentication must contain',
    ],
    ['tls', { tls: { caCert: 'ca.pem' } }, 'caCert must be a valid absolute file url'],
  ])('%s', (_, change, text) => {
    expect(() => vaultAccountsConfig({ ...valid(), ...change }, ROLE)).toThrow(text);
  });

  it('takes a token, a mount by name, and keys in any case, as Go does', () => {
    const token = { authentication: { token: 'env://T' } };
    const read = (fields: object, environment: Record<string, string>) =>
      vaultAccountsConfig(fields as never, environment);
    expect(read({ ...valid(), ...token }, { T: 'x' }).login).toEqual({ kind: 'token', token: 'x' });
    const { vault, ...others } = valid();
    const { authentication } = configuration();
    const login = { ...authentication, approlePath: 'approle' };
    const found = read({ ...others, Vault: vault, Authentication: login }, noMount);
    expect(found.login).toMatchObject({ kind: 'approle', mount: 'approle' });
  });

  it('other account plugins are refused by name', async () => {
    const file = join(folder, 'plugins.json');
    writeFileSync(file, '{"providers":{"account":{"name":"another","config":{}}}}');
    const opened = openWallet(
      {
        ...{ folder, isLight: true, mayUnlock: true, unlocked: [], passwordFile: undefined },
        ...{ signer: undefined, plugins: `file://${file}` },
      },
      { log: () => {}, ends: endings, environment: {} },
    );
    await expect(opened).rejects.toThrow('account plugin "another": plugins are not supported');
  });
});
