/**
 * The conformance command finds nothing wrong with our own provider, and every fault of a wrong
 * one.
 */

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  API_KEY,
  buy,
  orderOf,
  PARTNER,
  sell,
  startTestRamp,
  type TestRamp,
  WALLET,
} from '../../../test/support/ramp.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { ask } from '../../../test/support/staking.ts';
import { parseFor } from '../command.ts';
import { rampConformanceCommand } from './conformance.ts';

const folder = scratchFolder('quorate-conformance-');
let ramp: TestRamp | undefined;
let ledger: FakeLedger | undefined;
let proxy: Server | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  proxy?.closeAllConnections();
  await new Promise<unknown>((resolve) => (proxy ? proxy.close(resolve) : resolve(undefined)));
  await ramp?.close();
  await ledger?.close();
  [ramp, ledger, proxy] = [undefined, undefined, undefined];
});

async function conformance(url: string, ...flags: string[]) {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  const argv = [url, '--partner', PARTNER, '--wallet', WALLET, '--json', ...flags];
  const status = await rampConformanceCommand.run(parseFor(rampConformanceCommand, argv));
  const findings: any[] = JSON.parse(lines.join(''));
  const of = (wanted: string) => findings.filter(({ outcome }) => outcome === wanted);
  return { status, ok: of('ok'), differs: of('differs'), skipped: of('not run') };
}

async function started(): Promise<TestRamp> {
  ledger = await startFakeLedger();
  const flags = ['--ledger.url', ledger.url, '--ledger.from', ledger.account];
  ramp = await startTestRamp([...flags, '--sell.collector', 'deploy']);
  ledger.nowMs = () => ramp!.clock.nowMs();
  await until('it is ready', async () => (await ask(`${ramp!.url}/ready`)).status === 200);
  return ramp;
}

/** A proxy of the provider, which changes the answers that `change` returns. */
async function changed(
  url: string,
  change: (path: string, text: string) => { status?: number; text?: string } | undefined,
): Promise<string> {
  proxy = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const method = request.method!;
    const answer = await fetch(`${url}${request.url}`, {
      ...{ method, headers, redirect: 'manual' },
      ...(method === 'POST' ? { body } : {}),
    });
    const given = await answer.text();
    const { status = answer.status, text = given } = change(request.url!, given) ?? {};
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*' });
    response.end(text);
  });
  await new Promise<void>((resolve) => proxy!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Advances the clock first, so that the next order has a later time. */
function later<T>(what: () => Promise<T>): Promise<T> {
  ramp!.clock.offsetMs += 1_000;
  return what();
}

it('finds nothing to say of ours', async () => {
  const { url } = await started();
  const id = await buy(ramp!, { orderCustomId: 'k'.repeat(64) });
  await until('it is paid out', async () => (await orderOf(ramp!, id)).status === 'COMPLETED');
  await later(() => buy(ramp!));
  await sell(ramp!);
  await later(() => sell(ramp!));
  writeFileSync(join(folder, 'key'), API_KEY);
  const signed = await conformance(url, '--api-key-file', join(folder, 'key'));
  expect(signed.differs).toEqual([]);
  expect(signed.skipped).toEqual([]);
  expect(signed.status).toBe(0);
  expect(signed.ok.length).toBeGreaterThan(45);
  const bare = await conformance(url, '--order', id);
  expect(bare.differs).toEqual([]);
  const skipped = bare.skipped.map(({ check }) => check);
  expect(skipped).toEqual([
    'orders.list',
    'sell-orders.list',
    'sell-orders.record',
    'verify.answer',
  ]);
}, 60_000);

it('names what differs', async () => {
  const { url } = await started();
  const id = await buy(ramp!);
  const wrong = await changed(url, (path, text) => {
    if (path.startsWith('/configuration')) {
      const config = JSON.parse(text);
      config.fiat[0].paymentLimits[0] = { id: 'debit-credit-card', min: '10', max: '0' };
      config.fiat[1].paymentLimits[0].id = 'debit_credit_card';
      config.crypto[0].network = '0x1';
      config.updatedAt = 'yesterday';
      return { text: JSON.stringify(config) };
    }
    if (path.startsWith('/quote')) {
      if (!text.includes('amountOut')) return { status: 200 };
      return {
        text: JSON.stringify({ ...JSON.parse(text), amountOut: 0.5, processingFee: '1.234' }),
      };
    }
    if (path.startsWith('/buy')) return { status: 200, text: decodeURIComponent(path) };
    if (path.startsWith(`/orders/${id}`)) {
      const order = JSON.parse(text);
      return {
        status: 200,
        text: JSON.stringify({ ...order, id, status: 'DONE', region: 'us-al' }),
      };
    }
    if (path.startsWith('/sell-configuration')) return { status: 500 };
    if (path.startsWith('/orders?')) return { status: 200, text: '[]' };
    return undefined;
  });
  const { status, differs } = await conformance(wrong, '--order', id);
  expect(status).toBe(1);
  const checks = new Set(differs.map(({ check }) => check));
  expect([...checks].sort()).toEqual([
    ...['buy.refusals', 'buy.script', 'config.limits', 'config.names', 'config.version'],
    ...['orders.list-shut', 'orders.record', 'orders.secret', 'quote.amounts', 'quote.decimals'],
    ...['quote.refusals', 'sell-config.answer'],
  ]);
  const texts = differs.map(({ text }) => text).join('\n');
  expect(texts).toContain('a max of 0 means no limit');
  expect(texts).toContain('amountOut is 0.5, not a decimal text');
  expect(texts).toContain('status is "DONE"');
}, 60_000);

it('names what differs in a list, and numbers that are no texts', async () => {
  const { url } = await started();
  await buy(ramp!);
  const wrong = await changed(url, (path, text) => {
    if (path.startsWith('/configuration')) {
      const config = JSON.parse(text);
      delete config.features.buy.redirectOrderId;
      config.fiat[0].paymentLimits[0].min = 10;
      return { text: JSON.stringify(config) };
    }
    if (!path.startsWith('/orders?') || !text.startsWith('[{')) return undefined;
    const [order] = JSON.parse(text);
    const fees = [{ label: 'Fee', fiatAmount: 2.3 }];
    return {
      text: JSON.stringify([
        { ...order, region: 'us-al', fiatAmountIn: 100, processingFees: fees },
      ]),
    };
  });
  writeFileSync(join(folder, 'key'), API_KEY);
  const { differs } = await conformance(wrong, '--api-key-file', join(folder, 'key'));
  const texts = differs.map(({ check, text }) => `${check}: ${text}`).join('\n');
  expect(texts).toContain('config.features: features.buy.redirectOrderId does not have');
  expect(texts).toContain('config.limits: limits of USD for debit-credit-card: 10 to "50000" are');
  expect(texts).toMatch(/orders\.list-records: order .*: fiatAmountIn is 100, not a decimal text/);
  expect(texts).toMatch(/orders\.list-records: order .*: processingFees is /);
  expect(texts).toMatch(/orders\.list-records: order .*: region is not upper case/);
}, 60_000);

it('a list that is newest first differs; with fewer than two orders the sequence is not checked', async () => {
  const { url } = await started();
  const reversed = await changed(url, (path, text) =>
    path.startsWith('/orders?') && text.startsWith('[')
      ? { text: JSON.stringify(JSON.parse(text).reverse()) }
      : undefined,
  );
  writeFileSync(join(folder, 'key'), API_KEY);
  const judged = async (check: string) => {
    const { ok, differs, skipped } = await conformance(
      reversed,
      ...['--api-key-file', join(folder, 'key')],
    );
    return [...ok, ...differs, ...skipped].find((each) => each.check === check);
  };
  const needed = 'two orders of different times are needed, the list has';
  const unknown = { check: 'orders.list-order', outcome: 'not run' };
  expect(await judged('orders.list-order')).toEqual({ ...unknown, text: `${needed} 0` });
  await buy(ramp!);
  expect(await judged('orders.list-order')).toEqual({ ...unknown, text: `${needed} 1` });
  expect(await judged('orders.list-pages')).toMatchObject({ outcome: 'not run' });
  await later(() => buy(ramp!));
  expect(await judged('orders.list-order')).toMatchObject({ outcome: 'differs' });
}, 60_000);

it('says which address it needs, and that nobody answers there', async () => {
  const run = (...argv: string[]) =>
    rampConformanceCommand.run(parseFor(rampConformanceCommand, argv)) as Promise<number>;
  await expect(run()).rejects.toThrow('name the provider');
  await expect(run('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'HTTP_FAILED' });
});
