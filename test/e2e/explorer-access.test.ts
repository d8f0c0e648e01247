/**
 * The explorer in a real browser, in front of a node that asks for tokens and has a private state
 * for each of two tenants; and on a Raft cluster.
 */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { parseOptions } from '../../src/io/options/options.ts';
import { explorerSettings } from '../../src/services/explorer/config.ts';
import { EXPLORER_ROWS } from '../../src/services/explorer/options.ts';
import { startExplorer } from '../../src/services/explorer/start.ts';
import { startTestBrowser, type TestBrowser } from '../support/browser.ts';
import { overHttp } from '../support/callers.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { startTenants, type Tenants } from '../support/tenants.ts';

const NO_BROWSER = 'no Chromium for this machine: CHROMIUM names one';
const PATIENCE_MS = 120_000;
/** In the payload of the private transaction, and nowhere else. */
const CANARY = 'c0ffee5eed'.repeat(6);

let chromium: TestBrowser | undefined;
let page: Page;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startTestBrowser();
}, PATIENCE_MS);
afterAll(() => chromium?.close());

beforeEach(async () => {
  if (!chromium) return;
  const context = await chromium.browser.newContext({ locale: 'en-US' });
  endings.push(() => context.close());
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, PATIENCE_MS);

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** The hash of a marker whose private transaction only PS1 knows, and a token of PS1. */
async function privateOfPs1({ api, from, token }: Tenants): Promise<{ hash: string; own: string }> {
  const own = await token(`psi://PS1?node.eoa=${from}&self.eoa=0x0`);
  const tenant = overHttp(api.httpUrl!, { authorization: `Bearer ${own}` });
  const call = async (method: string, ...params: unknown[]) =>
    JSON.parse(await tenant.ask(method, params)).result;
  const data = `0x600060005560${CANARY}`;
  const hash = await call('eth_sendTransaction', { from, gas: '0x200000', data, privateFor: [] });
  await until(
    'it is mined',
    async () => (await call('eth_getTransactionReceipt', hash)) ?? undefined,
  );
  return { hash, own };
}

async function give(token: string, psi: string): Promise<void> {
  await page.getByRole('button', { name: /^Access/ }).click();
  await page.getByLabel('Access token').fill(token);
  await page.getByLabel('Private state').fill(psi);
  await page.getByRole('dialog').getByRole('button', { name: 'Use', exact: true }).click();
}

it(
  'shows the private half of a marker to the tenant whose token and private state are given',
  async ({ skip }) => {
    if (!chromium) return skip(NO_BROWSER);
    const tenants = await startTenants(['--http.corsdomain', '*', '--privacymarker.enable']);
    endings.push(() => tenants.close());
    const { hash, own } = await privateOfPs1(tenants);
    const other = await tenants.token('psi://PS2?node.eoa=0x0&self.eoa=0x0');
    const argv = ['--http.port', '0', '--node', `both=${tenants.api.httpUrl}`];
    const explorer = await startExplorer(
      explorerSettings(parseOptions(EXPLORER_ROWS, { argv })),
      () => {},
    );
    endings.push(() => explorer.close());

    await page.goto(`${explorer.url}/tx/${hash}`);
    await shows(/both does not answer|missing access token|HTTP 401/);
    await give(other, 'PS2');
    await shows('the selected node is not a party');
    expect(await page.content()).not.toContain(CANARY);
    await give(own, 'PS1');
    await shows('the selected node is a party');
    await expect
      .poll(() => page.locator('pre').textContent(), { timeout: 60_000 })
      .toContain(CANARY);
    // Token and private state stay in the tab, and end with it.
    await page.reload();
    await shows('the selected node is a party');
    expect(await page.context().cookies()).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  'shows the members of a Raft cluster, and its leader',
  async ({ skip }) => {
    if (!chromium) return skip(NO_BROWSER);
    const net = await startTestDevnet({ consensus: 'raft' });
    endings.push(() => net.close());
    const { nodes } = net.devnet.description;
    const count = nodes.length;
    await page.goto(`${nodes[1]!.rpc}/explorer/validators`);
    const rows = page.locator('table tbody tr');
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(count);
    await expect
      .poll(() => rows.filter({ hasText: 'leader' }).count(), { timeout: 60_000 })
      .toBe(1);
    await expect
      .poll(() => rows.filter({ hasText: 'reachable' }).count(), { timeout: 60_000 })
      .toBe(count);
    expect(await page.getByRole('button', { name: 'Vote in' }).count()).toBe(0);
  },
  PATIENCE_MS,
);
