/** Orders as an aggregator reads them, one by one and in lists. */
import { readPaymentId } from '../../../core/ramp/payment-ids.ts';
import { unitsOf } from './configuration-checks.ts';
import { type Answer, type Members, membersOf, type ProviderClient } from './provider-client.ts';
import { type Report, unless } from './report.ts';

export type Side = 'buy' | 'sell';

const STATUSES: readonly string[] = ['CREATED', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'];
const AMOUNTS: Readonly<Record<Side, readonly string[]>> = {
  buy: ['fiatAmountIn', 'fiatAmountInUsd', 'cryptoAmountOut', 'exchangeRate'],
  sell: ['fiatAmountOut', 'fiatAmountOutUsd', 'cryptoAmountIn', 'exchangeRate'],
};
const FEES: Readonly<Record<Side, readonly string[]>> = {
  buy: ['processingFees', 'networkFees', 'partnerFees'],
  sell: ['processingFees', 'partnerFees'],
};
const TEXTS: readonly string[] = [
  ...['id', 'userId', 'fiat', 'providerPayment', 'walletAddress', 'statusCode', 'partnerAccountId'],
];
const ALL = { start: '2020-01-01', end: '2090-12-31', skip: '0' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER_WALLET = `0x${'1'.repeat(40)}`;

/** `order`: one that the caller knows; undefined: the first of the list. */
export async function checkOrders(
  side: Side,
  client: ProviderClient,
  report: Report,
  order?: { readonly id: string; readonly wallet: string },
): Promise<void> {
  const name = side === 'buy' ? 'orders' : 'sell-orders';
  const path = `/${name}`;
  const unknown = await client.ask(`${path}/${UNKNOWN}`, { walletAddress: OTHER_WALLET });
  const isGone = unless(unknown.status === 404, `status ${unknown.status}, not 404`);
  report.note(`${name}.unknown`, 'an unknown order gets 404', isGone);
  const bare = await client.ask(`${path}/${UNKNOWN}`);
  const isBare = unless(bare.status === 400, `status ${bare.status}, not 400`);
  report.note(`${name}.wallet`, 'a wallet must be named', isBare);
  const first = await checkLists(side, client, report);
  const known = order ?? first;
  if (!known) {
    report.skip(`${name}.record`, 'no order is known: --order and --wallet name one');
    return;
  }
  const { status, members } = await client.ask(`${path}/${known.id}`, {
    walletAddress: known.wallet,
  });
  const wrong = status === 200 ? faultsOf(side, members) : [`status ${status}`];
  report.note(`${name}.record`, `order ${known.id}`, wrong);
  const other = await client.ask(`${path}/${known.id}`, { walletAddress: OTHER_WALLET });
  const isSame = other.status === 404 && stripped(other) === stripped(unknown);
  const told = unless(isSame, 'a wrong wallet does not get the answer of an unknown order');
  report.note(`${name}.secret`, 'a wrong wallet learns nothing', told);
  const twin = side === 'buy' ? '/sell-orders' : '/orders';
  const crossed = await client.ask(`${twin}/${known.id}`, { walletAddress: known.wallet });
  const apart = unless(crossed.status === 404, `status ${crossed.status} on ${twin}`);
  report.note(`${name}.side`, 'the other side does not know it', apart);
  if (side === 'buy' && typeof members.customId === 'string') {
    const custom = await client.ask(`${path}/${members.customId}`, { walletAddress: known.wallet });
    const isTwin = unless(custom.members.id === members.id, 'its custom id leads to another order');
    report.note(`${name}.custom-id`, 'found by its custom id too', isTwin);
  }
}

async function checkLists(
  side: Side,
  client: ProviderClient,
  report: Report,
): Promise<{ id: string; wallet: string } | undefined> {
  const name = side === 'buy' ? 'orders' : 'sell-orders';
  const path = `/${name}`;
  const nobody = await client.ask(path, { ...ALL, limit: '1' });
  const isShut = unless([401, 403].includes(nobody.status), `status ${nobody.status}`);
  report.note(`${name}.list-shut`, 'lists need a credential', isShut);
  if (!client.hasCredential) {
    report.skip(`${name}.list`, 'lists need a credential: --token-file or --api-key-file');
    return undefined;
  }
  const ask = (query: Readonly<Record<string, string>>) =>
    client.ask(path, { ...ALL, limit: '10', ...query }, { isSigned: true });
  const { status, json } = await ask({});
  const isList = status === 200 && Array.isArray(json);
  report.note(`${name}.list`, 'a list', unless(isList, `status ${status}, not a list`));
  if (!isList) return undefined;
  const orders = json.map(membersOf);
  checkSequence(name, orders, report);
  const faults = orders.flatMap((order) =>
    faultsOf(side, order).map((fault) => `order ${order.id}: ${fault}`),
  );
  report.note(`${name}.list-records`, 'orders of the list', faults);
  const wrong: string[] = [];
  const bad = [{ limit: '0' }, { limit: '1001' }, { limit: 'x' }, { skip: '-1' }];
  const dates = [{ start: '2026-02-30' }, { start: '2026-02-02', end: '2026-02-01' }];
  for (const query of [...bad, ...dates]) {
    const refused = await ask(query);
    if (refused.status !== 400) wrong.push(`${JSON.stringify(query)}: status ${refused.status}`);
  }
  report.note(`${name}.list-refusals`, 'an invalid request gets 400', wrong);
  const [one, two] = orders;
  if (two) {
    const next = await ask({ skip: '1', limit: '1' });
    const isNext = unless(
      membersOf(membersOf(next.json)[0]).id === two.id,
      'skip does not skip one order',
    );
    report.note(`${name}.list-pages`, 'skip and limit', isNext);
  } else {
    report.skip(`${name}.list-pages`, `two orders are needed, the list has ${orders.length}`);
  }
  return one && { id: String(one.id), wallet: String(one.walletAddress) };
}

/** Needs two orders with different times. */
function checkSequence(name: string, orders: readonly Members[], report: Report): void {
  const check = `${name}.list-order`;
  const times = orders.map(({ createdAt }) => Date.parse(String(createdAt)));
  const moments = new Set(times).size;
  if (moments < 2) {
    report.skip(check, `two orders of different times are needed, the list has ${moments}`);
    return;
  }
  const isSorted = times.every((each, at) => at === 0 || each >= times[at - 1]!);
  report.note(check, 'oldest first', unless(isSorted, 'not oldest first'));
}

function faultsOf(side: Side, order: Members): string[] {
  const amounts = AMOUNTS[side].filter((each) => unitsOf(order[each]) === undefined);
  const texts = TEXTS.filter((each) => typeof order[each] !== 'string' || order[each] === '');
  const dates = ['createdAt', 'updatedAt'].filter((each) =>
    Number.isNaN(Date.parse(String(order[each]))),
  );
  const wrong = [
    ...amounts.map((each) => `${each} is ${JSON.stringify(order[each])}, not a decimal text`),
    ...[...texts, ...dates].map((each) => `${each} is ${JSON.stringify(order[each])}`),
  ];
  const fees = FEES[side].filter((each) => !isFeeList(order[each]));
  wrong.push(...fees.map((each) => `${each} is ${JSON.stringify(order[each])}`));
  if (!STATUSES.includes(String(order.status)))
    wrong.push(`status is ${JSON.stringify(order.status)}`);
  if (side === 'buy' && order.status === 'CREATED') wrong.push('a buy is never CREATED');
  if (readPaymentId(String(order.payment)) === undefined) wrong.push(`payment ${order.payment}`);
  if (order.region !== String(order.region).toUpperCase()) wrong.push('region is not upper case');
  if (typeof membersOf(order.crypto).address !== 'string') wrong.push('crypto has no address');
  if (order.status === 'COMPLETED' && !order.transactionHash) wrong.push('no transactionHash');
  const { providerWalletAddress: one, depositWallet: other = one } = order;
  if (side === 'sell' && order.status === 'CREATED' && !one && !other) {
    wrong.push('no address to send the crypto to');
  }
  return wrong;
}

/** Each entry has a label and an amount. */
function isFeeList(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value
    .map(membersOf)
    .every(
      ({ label, fiatAmount }) => typeof label === 'string' && unitsOf(fiatAmount) !== undefined,
    );
}

/** JSON without the members that differ each time. */
function stripped({ members }: Answer): string {
  return JSON.stringify({
    ...members,
    requestId: undefined,
    timestamp: undefined,
    errorId: undefined,
  });
}
