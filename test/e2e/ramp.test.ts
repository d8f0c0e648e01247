/** The devnet's on-ramp as its description says: an aggregator asks, a customer pays, and the coin is on the chain. */

import { Interface } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { at, openWidget, submit } from '../support/ramp.ts';
import { ask } from '../support/staking.ts';

const WALLET = `0x${'e7'.repeat(20)}`;

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

it('sells the first of everything at its minimum, and pays it out through the signing proxy', async () => {
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
  const { session } = await openWidget(ramp, query);
  const card = '4242424242424242';
  const { headers } = await submit(ramp, '/widget/pay', { session, card });
  const place = new URL(headers.get('location')!);
  expect(place.origin).toBe('https://example.org');
  const id = place.searchParams.get('orderId')!;
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
});

it('pays the demo token out, and takes it back at an address of the order', async () => {
  const { ramp } = net.devnet.description;
  const [rpc] = net.rpc;
  const wallet = net.accounts[3]!.address.toLowerCase();
  const { body: configuration } = await ask(`${ramp.url}/sell-configuration`);
  expect(configuration.features.sell.enabled).toBe(true);
  const token = configuration.crypto.find(({ id }: any) => id === 'dusd');
  const erc20 = new Interface([
    'function transfer(address,uint256)',
    'function balanceOf(address) view returns (uint256)',
  ]);
  const balanceOf = async (owner: string) =>
    BigInt(
      await rpc!.call<string>(
        'eth_call',
        { to: token.address, data: erc20.encodeFunctionData('balanceOf', [owner]) },
        'latest',
      ),
    );
  const query = {
    ...{ region: 'us-ny', payment: 'sepa-bank-transfer', crypto: 'dusd', fiat: 'EUR' },
    ...{ walletAddress: wallet, amount: '50', partnerAccountId: ramp.partnerAccountId },
    redirectUrl: 'https://example.org/done',
  };
  const bought = await openWidget(ramp, query);
  const { body } = await submit(ramp, '/widget/pay', {
    ...{ session: bought.session, outcome: 'arrives' },
  });
  const buyId = /orderId=([0-9a-f-]{36})/.exec(String(body))![1]!;
  const buy = await until('it is paid out', async () => {
    const order = await ask(at(ramp.url, `/orders/${buyId}`, { walletAddress: wallet }));
    return order.body.status === 'COMPLETED' && order.body;
  });
  const units = BigInt(buy.cryptoAmountOut.replace('.', ''));
  expect(await balanceOf(wallet)).toBe(units);
  const selling = await openWidget(ramp, { ...query, amount: '20' }, 'sell');
  const { headers } = await submit(ramp, '/widget/sell', {
    ...{ session: selling.session, outcome: 'paid' },
  });
  const id = new URL(headers.get('location')!).searchParams.get('orderId')!;
  const read = async () =>
    (await ask(at(ramp.url, `/sell-orders/${id}`, { walletAddress: wallet }))).body;
  const order = await read();
  expect([order.status, order.cryptoAmountIn]).toEqual(['CREATED', '20']);
  expect(await rpc!.call('eth_getCode', order.depositWallet, 'latest')).toBe('0x');
  const data = erc20.encodeFunctionData('transfer', [order.depositWallet, 20_000_000n]);
  const hash = await rpc!.call('eth_sendTransaction', {
    ...{ from: wallet, to: token.address, data, gas: '0x186a0' },
  });
  const done = await until('the bank has paid', async () => {
    const found = await read();
    return found.status === 'COMPLETED' && found;
  });
  expect(done.transactionHash).toBe(hash);
  await until('it is collected', async () => (await balanceOf(order.depositWallet)) === 0n);
  expect(await rpc!.call('eth_getCode', order.depositWallet, 'latest')).toBe('0x');
});
