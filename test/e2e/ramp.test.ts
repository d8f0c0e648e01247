/**
 * The devnet's on-ramp as documented: an aggregator asks, a customer pays, and the coin is on the
 * chain.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Interface } from 'ethers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestBrowser, type TestBrowser } from '../support/browser.ts';
import { until } from '../support/conditions.ts';
import { openCustomer } from '../support/customer.ts';
import { MAIN, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { startFakeLedger } from '../support/fake-ledger.ts';
import { at, BUY, buy, idOf, openWidget, placeOrder, startTestRamp } from '../support/ramp.ts';
import { keepScreen } from '../support/screens.ts';
import { ask } from '../support/staking.ts';

const WALLET = `0x${'e7'.repeat(20)}`;

const ERC20 = new Interface([
  'function transfer(address,uint256)',
  'function balanceOf(address) view returns (uint256)',
]);

/** The examples of docs/ramp-widget.md, for this ramp. */
function examples(ramp: { url: string; partnerAccountId: string }): string[] {
  const page = readFileSync(new URL('../../docs/ramp-widget.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(([, html]) =>
    html!
      .replace('http://127.0.0.1:8560', ramp.url)
      .replace('https://aggregator.example/', ramp.partnerAccountId),
  );
}

/** The findings of `quorate ramp reconcile` on the devnet. */
async function reconciled(): Promise<string[]> {
  const { signer } = net.devnet.description;
  const { stdout } = await runProgram(process.execPath, [
    ...[MAIN, 'ramp', 'reconcile', '--datadir', join(net.folder, 'ramp')],
    ...['--ledger.url', signer.rpc, '--ledger.from', account!, '--json'],
  ]).catch((error: { stdout: string }) => error);
  const sections: Record<string, { differences: { code: string; text: string }[] }> =
    JSON.parse(stdout);
  const found = Object.values(sections).flatMap(({ differences }) => differences);
  return found.map(({ code, text }) => `${code}: ${text}`);
}

/** Tables that scroll sideways on this screen. */
function widerThanShown(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.table-scroll')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((table) => table.getAttribute('aria-label'))`);
}

const runProgram = promisify(execFile);
/** The account that pays crypto out. */
let account: string | undefined;
let net: TestDevnet;
let chromium: TestBrowser | undefined;
beforeAll(async () => {
  [net, chromium] = await Promise.all([startTestDevnet(), startTestBrowser()]);
});
afterAll(async () => {
  await chromium?.close();
  await net?.close();
});

it('sells the minimum of the first offer, and pays it out through the signing proxy', async () => {
  const { ramp } = net.devnet.description;
  const { body: configuration } = await ask(`${ramp.url}/configuration`);
  const [fiat] = configuration.fiat;
  const [limits] = fiat.paymentLimits;
  const query = {
    ...{ region: configuration.countries[0].id, payment: limits.id, amount: limits.min },
    ...{ crypto: configuration.crypto[0].id, fiat: fiat.id, walletAddress: WALLET },
    ...{ partnerAccountId: ramp.partnerAccountId, redirectUrl: 'https://example.org/done' },
  };
  const quote = await ask(at(ramp.url, '/quote', query));
  expect(quote.status).toBe(200);
  const card = '4242424242424242';
  const id = idOf(await placeOrder(ramp, await openWidget(ramp, query), { card }));
  const order = await until('it is paid out', async () => {
    const { body } = await ask(at(ramp.url, `/orders/${id}`, { walletAddress: WALLET }));
    return body.status === 'COMPLETED' ? body : undefined;
  });
  expect(order.cryptoAmountOut).toBe(quote.body.amountOut);
  const balance = BigInt(await net.rpc[2]!.call<string>('eth_getBalance', WALLET, 'latest'));
  const [whole, fraction = ''] = order.cryptoAmountOut.split('.');
  expect(balance).toBe(BigInt(whole + fraction.padEnd(18, '0')));
  const receipt = await net.rpc[1]!.call<any>('eth_getTransactionReceipt', order.transactionHash);
  expect([receipt.status, receipt.to]).toEqual(['0x1', WALLET]);
  const all = { start: '2020-01-01', end: '2090-01-01', skip: '0', limit: '10' };
  const bearer = { authorization: `Bearer ${ramp.token}` };
  const list = await ask(at(ramp.url, '/orders', all), { headers: bearer });
  expect(list.body.map((each: any) => each.id)).toEqual([id]);
  expect((await ask(at(ramp.url, '/orders', all))).status).toBe(401);
  account = receipt.from;
  expect(await reconciled()).toEqual([]);
});

it('is operated in a browser: orders found and held, buying or selling switched off', async ({
  skip,
}) => {
  if (!chromium) return skip('no Chromium for this machine: CHROMIUM names one');
  const folder = mkdtempSync(join(tmpdir(), 'quorate-operator-'));
  const token = randomBytes(32).toString('hex');
  writeFileSync(join(folder, 'token'), token);
  const ledger = await startFakeLedger();
  const argv = ['--ledger.url', ledger.url, '--operator.token-file', join(folder, 'token')];
  const ramp = await startTestRamp(argv);
  try {
    const id = await buy(ramp);
    const { page, faults, step, open } = await openCustomer(chromium, ramp.url);
    await open('/operator', {});
    await page.getByRole('textbox', { name: 'Operator token' }).fill('x'.repeat(64));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await step('the wrong token', page.getByRole('alert'));
    await page.getByRole('textbox', { name: 'Operator token' }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await step('the overview', page.getByRole('table', { includeHidden: false }));
    await keepScreen(page, 'ramp-operator');
    await page.getByRole('button', { name: 'Orders' }).click();
    await page.getByRole('textbox', { name: 'Search' }).fill(WALLET);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No matching orders.').waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill(id);
    await page.getByRole('button', { name: 'Search' }).click();
    await step('the order found', page.getByText('pending payout'));
    expect(await widerThanShown(page)).toEqual([]);
    await page.getByRole('button', { name: id }).click();
    await page.getByRole('button', { name: 'Hold', exact: true }).click();
    await page.getByRole('textbox', { name: 'Why' }).fill('checking the wallet');
    await page.getByRole('button', { name: 'Hold order' }).click();
    await step('the order held', page.getByText('pending review'));
    expect(await widerThanShown(page)).toEqual([]);
    await page.getByRole('button', { name: 'Balances' }).click();
    await step('the balances', page.getByText('100.00 USD'));
    expect(await widerThanShown(page)).toEqual([]);
    await page.getByRole('button', { name: 'Switches' }).click();
    expect(await widerThanShown(page)).toEqual([]);
    await page.getByRole('button', { name: 'Switch off All buys' }).click();
    await page.getByRole('button', { name: 'Switch off', exact: true }).click();
    await step('a switch', page.getByRole('button', { name: 'Switch on All buys' }));
    expect((await openWidget(ramp)).page.body.code).toBe('paused');
    // After a reload, the operator is still signed in; after signing out, not.
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(faults).toEqual([]);
  } finally {
    await ramp.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  }
});

it('a recurring buy is ended on its page, immediately or later, with the keyboard only', async ({
  skip,
}) => {
  if (!chromium) return skip('no Chromium for this machine: CHROMIUM names one');
  const ledger = await startFakeLedger();
  const ramp = await startTestRamp([
    ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
  ]);
  const states = async () =>
    (await ramp.running.database.query('SELECT state FROM recurrence')).map(({ state }) => state);
  try {
    const { page, faults, step, open, copied } = await openCustomer(chromium, ramp.url);
    await open('/buy', { ...BUY, recurringFrequency: 'weekly' });
    await step('the recurring offer', page.getByText('repeats every week'));
    await keepScreen(page, 'ramp-buy');
    await page.getByRole('textbox', { name: 'Card number' }).fill('4242424242424242');
    await page.getByRole('button', { name: 'Pay $100.00' }).click();
    await page.waitForURL(/\/widget\?.*#./);
    const link = page.url();
    await until('it is paid out', async () => {
      const rows = await ramp.running.database.query('SELECT code FROM ramp_order');
      return rows.some(({ code }) => code === 'PROVIDER-COMPLETED-ORDER');
    });
    // The page returns to the partner by itself, unless it is told to stay.
    const reopen = () =>
      until('the page stays', async () => {
        await page.goto('about:blank');
        await page.goto(link);
        const stay = page.getByRole('button', { name: 'Stay here' });
        return stay.click({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      });
    await reopen();
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    const end = page.getByRole('button', { name: 'End the recurring buys' });
    await step('the recurring order', end);
    expect(await copied('Link to this page')).toBe(link);
    await end.focus();
    await page.keyboard.press('Enter');
    await step('the question', page.getByRole('heading', { name: 'End the recurring buys?' }));
    // Neither Escape nor the first button ends anything; the focus returns to the button that
    // opened the question.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until('the button has the focus', () =>
      end.evaluate('document.activeElement?.textContent === "End the recurring buys"'),
    );
    expect(await states()).toEqual(['active']);
    // Later, through the link that the page showed.
    await reopen();
    await end.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'End the recurring buys' }).focus();
    await page.keyboard.press('Enter');
    await step('the end of it', page.getByText('The recurring buys have ended.'));
    expect(await states()).toEqual(['ended']);
    await reopen();
    await page.getByText('The recurring buys have ended.').waitFor();
    expect(await end.count()).toBe(0);
    expect(faults).toEqual([]);
  } finally {
    await ramp.close();
    await ledger.close();
  }
});

it('buys and sells in a browser: paid in the sandbox, visible on the chain, sold back', async ({
  skip,
}) => {
  if (!chromium) return skip('no Chromium for this machine: CHROMIUM names one');
  const { ramp } = net.devnet.description;
  const [rpc] = net.rpc;
  const wallet = net.accounts[3]!.address.toLowerCase();
  const { body: configuration } = await ask(`${ramp.url}/sell-configuration`);
  const token = configuration.crypto.find(({ id }: any) => id === 'dusd');
  const balanceOf = async (owner: string) => {
    const data = ERC20.encodeFunctionData('balanceOf', [owner]);
    return BigInt(await rpc!.call<string>('eth_call', { to: token.address, data }, 'latest'));
  };
  const customer = await openCustomer(chromium, ramp.url);
  const { page, step } = customer;
  const query = {
    ...{ region: 'us-ny', payment: 'debit-credit-card', crypto: 'dusd', fiat: 'EUR' },
    ...{ walletAddress: wallet, amount: '50', partnerAccountId: ramp.partnerAccountId },
    redirectUrl: 'https://example.org/done?x=1',
  };

  const [link, frame] = examples(ramp);
  await customer.visit(link!);
  await page.getByRole('link').click();
  await page.getByRole('heading', { name: 'Buy ETH' }).waitFor();
  await customer.visit(frame!);
  const framed = page.frameLocator('iframe');
  await framed.getByRole('heading', { name: 'ETH verkaufen' }).waitFor();
  expect(await framed.locator('html').getAttribute('data-theme')).toBe('dark');

  await customer.open('/buy', { ...query, amount: '1' });
  await step('the fault', page.getByText('The problem: amount'));
  await customer.open('/buy', query);
  await step('the offer', page.getByRole('heading', { name: 'Buy DUSD' }));
  await page.getByRole('textbox', { name: 'Card number' }).fill('5555555555554444');
  await page.getByRole('button', { name: 'Pay €50.00' }).click();
  await step('the wrong card', page.getByRole('alert'));
  await page.getByRole('button', { name: 'Asks for approval' }).click();
  await page.getByRole('button', { name: 'Pay €50.00' }).click();
  await step('the approval', page.getByRole('heading', { name: 'Approve the payment' }));
  // After a reload, the page finds its order again.
  await page.reload();
  await page.getByRole('button', { name: 'Yes, approve' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await step('the end', page.getByRole('heading', { name: 'Done' }));
  const back = page.getByRole('link', { name: 'Go back to' });
  const buyId = new URL((await back.getAttribute('href'))!).searchParams.get('orderId')!;
  const bought = await ask(at(ramp.url, `/orders/${buyId}`, { walletAddress: wallet }));
  const { cryptoAmountOut, transactionHash, status } = bought.body;
  expect(status).toBe('COMPLETED');
  expect(await balanceOf(wallet)).toBe(BigInt(cryptoAmountOut.replace('.', '')));
  await page.getByText(transactionHash).waitFor();
  await back.click();
  await page.waitForURL(`https://example.org/done?x=1&orderId=${buyId}`);

  await customer.open('/sell', { ...query, amount: '20', payment: 'sepa-bank-transfer' });
  await step('the offer of a sell', page.getByRole('heading', { name: 'Sell DUSD' }));
  await page.getByRole('button', { name: 'Sell 20 DUSD' }).click();
  await step('the address', page.getByRole('img', { name: 'QR code' }));
  const id = await customer.copied('Order');
  const depositWallet = await customer.copied('Deposit address');
  const read = async () =>
    (await ask(at(ramp.url, `/sell-orders/${id}`, { walletAddress: wallet }))).body;
  expect(await read()).toMatchObject({ status: 'CREATED', cryptoAmountIn: '20', depositWallet });
  expect(await rpc!.call('eth_getCode', depositWallet, 'latest')).toBe('0x');
  const data = ERC20.encodeFunctionData('transfer', [depositWallet, 20_000_000n]);
  const hash = await rpc!.call('eth_sendTransaction', {
    ...{ from: wallet, to: token.address, data, gas: '0x186a0' },
  });
  await page.getByText('has been paid out to you').waitFor();
  expect(await read()).toMatchObject({ status: 'COMPLETED', transactionHash: hash });
  // The page goes back without any click.
  await page.waitForURL(`https://example.org/done?x=1&orderId=${id}`);
  expect(customer.faults).toEqual([]);
  await until('it is collected', async () => (await balanceOf(depositWallet)) === 0n);
  expect(await rpc!.call('eth_getCode', depositWallet, 'latest')).toBe('0x');
  // Books, ledger and sandbox agree; a transfer that belongs to no order is reported.
  await until('nothing differs', async () => (await reconciled()).length === 0);
  await rpc!.call('eth_sendTransaction', {
    ...{ from: wallet, to: token.address, gas: '0x186a0' },
    data: ERC20.encodeFunctionData('transfer', [account, 1n]),
  });
  await until('it is named', async () => {
    const [found] = await reconciled();
    return found?.startsWith('balance_unexplained') && found.includes('has 1 more');
  });
});
