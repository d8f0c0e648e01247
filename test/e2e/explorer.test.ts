/**
 * The explorer in a real browser on a permissioned devnet: private data that parties see and
 * outsiders do not, votes, approvals, faults.
 */
import { SigningKey } from 'ethers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { demoTokenAddress } from '../../src/services/devnet/demo-token.ts';
import { accessibilityFaults } from '../support/axe.ts';
import { startTestBrowser, type TestBrowser } from '../support/browser.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { keepScreen } from '../support/screens.ts';

const NO_BROWSER = 'no Chromium for this machine: CHROMIUM names one';
/** Index of the devnet account that has all demo tokens at first. */
const RAMP_ACCOUNT = 11;
/** In private code, and nowhere else. */
const CANARY = 'c0ffee5eed'.repeat(6);
const SCRIPT = '<img src=x onerror="document.title=1">';
const PAGES = [
  '',
  '/blocks',
  '/txs',
  '/deploy',
  '/validators',
  '/permissions',
  '/node',
  '/nowhere',
];

let net: TestDevnet;
let chromium: TestBrowser | undefined;
let page: Page;
/** Every response that the present test's page received. */
let received: string[];
let asked: string[];

beforeAll(async () => {
  [net, chromium] = await Promise.all([
    startTestDevnet({ isPermissioned: true }),
    startTestBrowser(),
  ]);
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await net?.close();
});

beforeEach(async () => {
  if (!chromium) return;
  received = [];
  asked = [];
  const context = await chromium.browser.newContext({ locale: 'en-US' });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('request', (request) => asked.push(request.url()));
  page.on(
    'response',
    (response) =>
      void response
        .text()
        .then((text) => received.push(text))
        .catch(() => {}),
  );
  page.on('websocket', (socket) => {
    asked.push(socket.url());
    socket.on('framereceived', ({ payload }) => received.push(String(payload)));
  });
});
afterEach(() => page?.context().close());

const open = (path: string, node = 0) =>
  page.goto(`${net.devnet.description.nodes[node]!.rpc}/explorer${path}`);
/** Whether the whole of it is between the window's sides. */
async function isInside(element: Locator): Promise<boolean> {
  const { x, width } = (await element.boundingBox())!;
  return x >= 0 && x + width <= page.viewportSize()!.width;
}
const button = (name: string | RegExp) => page.getByRole('button', { name });
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Code that answers every call with `text` in ABI encoding, followed by `more`. */
function answering(text: string, more = ''): string {
  const length = Buffer.byteLength(text);
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const bytes = Buffer.from(text)
    .toString('hex')
    .padEnd(Math.ceil(length / 32) * 64, '0');
  const data = word(32) + word(length) + bytes;
  const runtime = returning(data.length / 2) + data + more;
  return `0x${returning(runtime.length / 2)}${runtime}`;
}

/** Returns the bytes that follow these twelve. */
function returning(length: number): string {
  const size = length.toString(16).padStart(2, '0');
  return `60${size}600c60003960${size}6000f3`;
}

it('shows a private contract to its parties, and nothing of it to others', async ({ skip }) => {
  if (!chromium) return skip(NO_BROWSER);
  await open('/deploy');
  const read = { type: 'function', name: 'name', inputs: [], outputs: [{ type: 'string' }] };
  const abi = [
    { ...read, stateMutability: 'view' },
    { ...read, name: 'touch', outputs: [], stateMutability: 'nonpayable' },
  ];
  const artifact = { contractName: 'Ledger', abi, bytecode: answering('a private name', CANARY) };
  await page.getByLabel('Or paste it').fill(JSON.stringify(artifact));
  await button('Use').click();
  await page.getByLabel(/^Private/).check();
  await page.getByLabel(/^node2/).check();
  await button('Deploy privately').click();
  await shows('Done.');
  const hash = (await page.locator('.notice a[href*="/tx/"]').getAttribute('title'))!;
  const contract = (await page.locator('.notice a[href*="/address/"]').getAttribute('title'))!;
  // The deployer's page calls the contract with its ABI.
  await open(`/address/${contract}`);
  await page.getByText('name ()').click();
  await button('Read name').click();
  await expect
    .poll(() => page.locator('output').textContent(), { timeout: 60_000 })
    .toBe('a private name');

  const write = page.locator('details', { hasText: 'touch ()' });
  await write.locator('summary').click();
  await page.getByLabel(/^Private/).check();
  await page.getByLabel(/^node2/).check();
  await button('Send touch').click();
  await write.getByText('Done.').waitFor();

  await open(`/tx/${hash}`, 1);
  await shows('the selected node is a party');
  await keepScreen(page, 'explorer-private');
  await expect.poll(() => page.locator('pre').textContent(), { timeout: 60_000 }).toContain(CANARY);
  await button('Show internal calls').click();
  await shows('No contract called another.');

  received = [];
  await open(`/tx/${hash}`, 3);
  await shows('the selected node is not a party');
  expect(await button('Show internal calls').count()).toBe(0);
  await page.getByText('Digest of the payload').waitFor();
  await keepScreen(page, 'explorer-stranger');
  await open(`/address/${contract}`, 3);
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  await open(`/tx/${hash}/log/0`, 3);
  await shows('The transaction has no such event');
  expect(received.length).toBeGreaterThan(5);
  expect(received.join().toLowerCase()).not.toContain(CANARY);
  // Choosing a node that is a party is enough.
  await open(`/tx/${hash}`, 3);
  await page.getByLabel('Selected node').selectOption('node2');
  await shows('the selected node is a party');
}, 120_000);

it('sends through the signing proxy, and through a wallet of the browser on this chain', async ({
  skip,
}) => {
  if (!chromium) return skip(NO_BROWSER);
  const { accounts, signer } = net.devnet.description;
  const holder = accounts[RAMP_ACCOUNT]!.address;
  const token = demoTokenAddress(holder);
  const walletCalls: string[] = [];
  await page.exposeFunction('askWallet', async ({ method, params }: any) => {
    walletCalls.push(method);
    if (method === 'eth_requestAccounts') return [holder];
    if (method === 'eth_chainId') return '0x1';
    return method === 'eth_sendTransaction' ? rpcClient(signer.rpc).call(method, ...params) : null;
  });
  await page.addInitScript(`
    const info = { uuid: '5f1e', name: '<b>Purse</b>', icon: '', rdns: 'example.purse' };
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider',
      { detail: Object.freeze({ info, provider: { request: (call) => askWallet(call) } }) }));
    addEventListener('eip6963:requestProvider', announce);
  `);
  await open(`/address/${token}`);
  await shows('Demo Dollar (DUSD)');
  const transfer = page.locator('details', { hasText: 'transfer (address, uint256)' });
  const pay = async (to: string) => {
    await transfer.getByLabel('to (address)').fill(to);
    await transfer.getByLabel('value (uint256)').fill('2500000');
    await transfer.getByRole('button', { name: 'Send transfer' }).click();
    await transfer.getByText('Done.').waitFor();
  };
  const sender = page.getByLabel('Sender');
  await transfer.locator('summary').click();
  await sender.selectOption(`signer ${holder.toLowerCase()}`);
  await pay(`0x${'a1'.repeat(20)}`);
  await button('Connect <b>Purse</b>').click();
  await sender.selectOption(`5f1e ${holder}`);
  await pay(`0x${'b2'.repeat(20)}`);
  expect(walletCalls).toEqual([
    ...['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_sendTransaction'],
  ]);
  await open(`/address/0x${'b2'.repeat(20)}`);
  // It took no part in a transaction but for its tokens.
  const moved = page.getByRole('row', { name: 'Token transfer' });
  await moved.waitFor();
  expect(await moved.count()).toBe(1);
  await page.getByRole('tab', { name: 'Tokens' }).click();
  await shows('2.5 DUSD');
}, 120_000);

it('votes, approves, and searches', async ({ skip }) => {
  if (!chromium) return skip(NO_BROWSER);
  const [rpc] = net.rpc;
  const { nodes, accounts } = net.devnet.description;
  await open('/validators');
  const candidate = `0x${'ab'.repeat(20)}`;
  await page.getByLabel('New validator').fill('0x12');
  await button('Vote in').click();
  await shows('This is not a valid address');
  await page.getByLabel('New validator').fill(candidate);
  await button('Vote in').click();
  await button('Withdraw').waitFor();
  expect(await rpc!.call('istanbul_candidates')).toEqual({ [candidate]: true });
  await button('Withdraw').click();
  await shows('This node casts no vote');
  await button('Vote out').first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await rpc!.call('istanbul_candidates')).toEqual({});

  const [admin] = accounts;
  const { publicKey } = new SigningKey(accounts[6]!.privateKey);
  const node = nodes[0]!.enode.replace(/enode:\/\/\w+/, `enode://${publicKey.slice(4)}`);
  await rpc!.call('quorumPermission_addOrg', 'HARBOUR', node, `0x${'66'.repeat(20)}`, {
    from: admin!.address,
  });
  await open('/permissions');
  await shows('New organisation');
  await button('Approve').click();
  await shows('There is nothing to approve');
  const orgs = await rpc!.call<any[]>('quorumPermission_orgList');
  expect(orgs.find(({ orgId }) => orgId === 'HARBOUR').status).toBe(2);

  const find = async (text: string) => {
    await page.getByRole('searchbox').fill(text);
    await page.getByRole('searchbox').press('Enter');
  };
  await find('1');
  await page.getByRole('heading', { name: 'Block 1', exact: true }).waitFor();
  const { hash } = await rpc!.call<any>('eth_getBlockByNumber', '0x1', false);
  await find(hash);
  await page.waitForURL(`**/block/${hash}`);
  await find('multicall3');
  await page.waitForURL(/\/address\/0xca11bde0/);
  await find(`0x${'77'.repeat(32)}`);
  await shows('Nothing with this number, hash or name was found');
  await open(`/address/0x${'99'.repeat(20)}`);
  await shows('This chain has nothing at this address');
  await open('');
  const ramp = page.locator('a', { hasText: net.devnet.description.ramp.url });
  // It leads to an offer, and on to the payment of a test card.
  const [shop] = await Promise.all([page.context().waitForEvent('page'), ramp.click()]);
  shop.setDefaultTimeout(60_000);
  await shop.getByRole('heading', { name: 'Buy ETH' }).waitFor();
  await shop.getByRole('textbox', { name: 'Card number' }).fill('4242424242424242');
  await shop.getByRole('button', { name: /^Pay / }).click();
  await shop.getByRole('heading', { name: 'Done' }).waitFor();
}, 120_000);

it('updates live, continues after a node was down, and runs no script from texts', async ({
  skip,
}) => {
  if (!chromium) return skip(NO_BROWSER);
  const [rpc] = net.rpc;
  await open('');
  const height = async () =>
    Number((await page.locator('.tile-value').first().textContent())!.replace(/\D/g, ''));
  const first = await until('a height is shown', async () => (await height()) || undefined);
  await until('a block came', async () => (await height()) > first || undefined);
  expect(asked.some((url) => url.startsWith('ws://'))).toBe(true);
  await page.context().setOffline(true);
  await shows('node1 does not answer');
  await page.context().setOffline(false);
  await page.getByText('node1 does not answer').waitFor({ state: 'detached' });
  await open('/node');
  await shows(/^Private state (up to date|\d+ blocks behind)$/);

  const from = net.accounts[0]!.address;
  const data = answering(SCRIPT);
  const hash = await rpc!.call<string>('eth_sendTransaction', { from, data, gas: '0x100000' });
  const { contractAddress } = await untilMined(rpc!, hash);
  await open(`/address/${contractAddress}`);
  await shows(SCRIPT);
  await button('Use another ABI').click();
  const abi = [
    { type: 'function', name: SCRIPT, inputs: [], outputs: [], stateMutability: 'view' },
  ];
  await page.getByLabel('Or paste it').fill(JSON.stringify(abi));
  await button('Use').click();
  await shows(SCRIPT);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
}, 120_000);

it('can be used by everybody: keyboard, screen reader, phone, in three languages', async ({
  skip,
}) => {
  if (!chromium) return skip(NO_BROWSER);
  const hash = await net.rpc[0]!.call<any>('eth_getBlockByNumber', '0x2', false);
  const paths = [...PAGES, `/block/${hash.hash}`, `/address/${net.accounts[0]!.address}`];
  const looks = [
    { colorScheme: 'light', size: { width: 1280, height: 900 } },
    { colorScheme: 'dark', size: { width: 360, height: 740 } },
  ] as const;
  for (const [at, { colorScheme, size }] of looks.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    for (const [place, path] of paths.entries()) {
      await open(path);
      await page.locator('main h1').waitFor();
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 60_000 }).toBe(0);
      if (path === '' && at === 0) await keepScreen(page, 'explorer-overview');
      if (path === '/validators' && at === 1) await keepScreen(page, 'explorer-phone');
      const tab = page.locator('nav [aria-current]');
      if ((await tab.count()) > 0) await expect.poll(() => isInside(tab)).toBe(true);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([path, isWide]).toEqual([path, false]);
      // Colours are the same on all pages, so each page is checked in only one of the two themes.
      if (place % 2 === at) expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
    }
  }
  await open('/validators');
  for (const [language, word] of [
    ['de', 'Validatoren'],
    ['es', 'Validadores'],
  ] as const) {
    await page.locator('select').last().selectOption(language);
    await page.getByRole('heading', { name: word, level: 1 }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
  }
  const own = net.devnet.description.nodes.map(({ rpc }) => new URL(rpc).host);
  own.push(new URL(net.devnet.description.signer.rpc).host);
  expect(asked.filter((url) => !own.includes(new URL(url).host))).toEqual([]);
}, 120_000);
