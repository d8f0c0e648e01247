/**
 * Whether the books agree with themselves: every asset sums to zero, kept balances are those of the
 * postings, no order paid twice.
 */
import type { Database, Row } from '../../../io/database/database.ts';
import type { Difference, Section } from './difference.ts';

export async function bookSection(database: Database, sinceMs: number): Promise<Section> {
  const differences: Difference[] = [];
  const say = (code: string, text: string, orderId?: string) =>
    differences.push({ where: 'books', code, orderId, text });
  const counts = { postings: 0, assets: 0 };
  await database.view(async (rows) => {
    const accounts = new Map<string, bigint>();
    const assets = new Map<string, bigint>();
    for await (const page of rows('posting')) {
      counts.postings += page.length;
      for (const { account, asset, units: text } of page) {
        const units = BigInt(String(text));
        add(accounts, `${account} ${asset}`, units);
        add(assets, String(asset), units);
      }
    }
    counts.assets = assets.size;
    for (const [asset, sum] of assets) {
      if (sum !== 0n) say('out_of_balance', `${asset}: the books are out of balance by ${sum}`);
    }
    for await (const page of rows('book_balance')) {
      for (const { account, asset, units } of page) {
        const key = `${account} ${asset}`;
        add(accounts, key, -BigInt(String(units)));
      }
    }
    for (const [key, rest] of accounts) {
      if (rest !== 0n)
        say('balance_differs', `${key}: its postings are ${rest} more than the kept balance`);
    }
  });
  for (const { order_id: id, paid } of await payoutsOf(database, sinceMs)) {
    const count = Number(paid);
    if (count === 0) say('completed_unpaid', 'completed, and nothing was paid out', String(id));
    if (count > 1) say('paid_twice', `paid out ${count} times`, String(id));
  }
  return { counts, differences };
}

/** Orders that were completed without exactly one payout, or paid out more than once. */
function payoutsOf(database: Database, sinceMs: number): Promise<Row[]> {
  return database.query(
    `SELECT ramp_order.id AS order_id, count(payout.id) AS paid FROM ramp_order
     LEFT JOIN payout ON payout.order_id = ramp_order.id AND payout.kind IN ('crypto', 'fiat') AND payout.state = 'done'
     WHERE ramp_order.updated_at >= $1
     GROUP BY ramp_order.id, ramp_order.code
     HAVING (ramp_order.code = 'PROVIDER-COMPLETED-ORDER' AND count(payout.id) <> 1) OR count(payout.id) > 1`,
    [sinceMs],
  );
}

function add(sums: Map<string, bigint>, key: string, units: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + units);
}
