/**
 * A test payment provider: no money moves. Cards and transfers behave as the customer chooses, and
 * its reports are kept in the store until they were delivered.
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import type { BuyOrder, SellOrder } from '../orders/order-row.ts';
import { fromJson, toJson } from '../orders/state-json.ts';
import type {
  Answers,
  Begun,
  FiatOutcome,
  FiatPayout,
  FormField,
  Movement,
  PaymentAdapter,
  PaymentReport,
  Report,
} from './adapter.ts';

/** Well-known test card numbers; real numbers are refused. */
const CARDS = {
  '4242424242424242': 'pays',
  '4000000000000002': 'declines',
  '4000000000003220': 'approval',
  '4000000000000259': 'chargeback',
} as const;
const CARD_THAT_PAYS = '4242424242424242';
const TRANSFERS = [
  { value: 'arrives', label: 'It arrives in full' },
  { value: 'twice', label: 'It arrives twice' },
  { value: 'short', label: 'Half of it arrives' },
  { value: 'late', label: 'It arrives after the deadline' },
  { value: 'never', label: 'It never arrives' },
] as const;
const TRANSFER_METHODS: readonly string[] = [
  ...['sepa-bank-transfer', 'gbp-bank-transfer', 'ach-bank-transfer'],
];
const PAYOUTS = [
  { value: 'paid', label: 'The bank accepts it' },
  { value: 'slow', label: 'The bank accepts it after a while' },
  { value: 'refused', label: 'The bank refuses it' },
] as const;
const SLOW_MS = 5_000;
const CHARGEBACK_MS = 2_000;
const LATE_MS = 1_000;
const BATCH = 50;

export interface SandboxParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
}

interface Planned {
  readonly name: string;
  readonly dueMs: number;
  readonly report: PaymentReport;
}

export class Sandbox implements PaymentAdapter {
  readonly name = 'sandbox';
  /** Its statement has no refunds and payouts: whatever is requested counts as paid. */
  readonly statesPayouts = false;
  private readonly parts: SandboxParts;
  private readonly task: RepeatedTask;
  private report: Report = async () => {};

  constructor(parts: SandboxParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'The sandbox waits', { err }),
    });
  }

  fields(payment: string): readonly FormField[] {
    if (TRANSFER_METHODS.includes(payment)) {
      return [
        {
          name: 'outcome',
          label: 'What happens to the transfer',
          autocomplete: 'off',
          choices: TRANSFERS,
        },
      ];
    }
    return [
      {
        name: 'card',
        label: 'Card number',
        autocomplete: 'cc-number',
        hint: 'Only test cards are accepted here, no real ones.',
        samples: Object.entries(CARDS).map(([value, label]) => ({
          value: value.replace(/(\d{4})(?=\d)/g, '$1 '),
          label,
        })),
      },
    ];
  }

  check(payment: string, answers: Answers): { field: string; why: string } | undefined {
    if (TRANSFER_METHODS.includes(payment)) {
      const isKnown = TRANSFERS.some(({ value }) => value === answers.outcome);
      return isKnown ? undefined : { field: 'outcome', why: 'Choose one of the outcomes.' };
    }
    if (cardOf(answers) in CARDS) return undefined;
    return { field: 'card', why: 'Only the test cards are accepted here, no real ones.' };
  }

  async begin(order: BuyOrder, answers: Answers): Promise<Begun> {
    const nowMs = this.parts.clock.nowMs();
    const settled = (name: string, units: bigint, dueMs = nowMs) =>
      this.settled(order, name, units, dueMs);
    if (TRANSFER_METHODS.includes(order.payment)) {
      await this.plan(order.id, transferPlan(answers.outcome!, order, nowMs, settled));
      return {
        kind: 'transfer',
        lines: [
          ['Payee', 'Sandbox Bank'],
          ['Reference', order.id],
        ],
      };
    }
    const card = cardOf(answers);
    await this.parts.database.query(
      'INSERT INTO sandbox_mandate (order_id, card) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [order.id, card],
    );
    return this.payBy(card, order);
  }

  canRepeat(payment: string): boolean {
    return !TRANSFER_METHODS.includes(payment);
  }

  /** No approval is needed: it was given with the first order. */
  async repeat(order: BuyOrder, firstOrderId: string): Promise<void> {
    const [row] = await this.parts.database.query(
      'SELECT card FROM sandbox_mandate WHERE order_id = $1',
      [firstOrderId],
    );
    const card = String(row?.card);
    const how = CARDS[card as keyof typeof CARDS];
    await this.payBy(how === 'approval' ? CARD_THAT_PAYS : card, order);
  }

  private async payBy(card: string, order: BuyOrder): Promise<Begun> {
    const { amountIn } = order.terms;
    const nowMs = this.parts.clock.nowMs();
    const settled = (name: string, units: bigint) => this.settled(order, name, units, nowMs);
    switch (CARDS[card as keyof typeof CARDS]) {
      case 'declines':
        await this.plan(order.id, [
          { name: 'declined', dueMs: nowMs, report: { kind: 'declined', why: 'card declined' } },
        ]);
        return { kind: 'declined' };
      case 'approval':
        await this.plan(order.id, [
          { name: 'authorizing', dueMs: nowMs, report: { kind: 'authorizing' } },
        ]);
        return { kind: 'approval' };
      case 'chargeback': {
        const { paymentId } = settled('card', amountIn).report as { paymentId: string };
        const back = { kind: 'chargedBack', paymentId } as const;
        const later = { name: 'chargeback', dueMs: nowMs + CHARGEBACK_MS, report: back };
        await this.plan(order.id, [settled('card', amountIn), later]);
        return { kind: 'taken' };
      }
      default:
        await this.plan(order.id, [settled('card', amountIn)]);
        return { kind: 'taken' };
    }
  }

  async approve(order: BuyOrder, isApproved: boolean): Promise<void> {
    const dueMs = this.parts.clock.nowMs();
    const planned: Planned = isApproved
      ? this.settled(order, 'card', order.terms.amountIn, dueMs)
      : { name: 'card', dueMs, report: { kind: 'declined', why: 'not approved' } };
    await this.plan(order.id, [planned]);
  }

  payoutFields(): readonly FormField[] {
    const label = 'What happens to the money';
    return [{ name: 'outcome', label, autocomplete: 'off', choices: PAYOUTS }];
  }

  checkPayout(_payment: string, { outcome }: Answers): { field: string; why: string } | undefined {
    if (PAYOUTS.some(({ value }) => value === outcome)) return undefined;
    return { field: 'outcome', why: 'Choose one of the outcomes.' };
  }

  async refund(): Promise<FiatOutcome> {
    return { kind: 'done' };
  }

  async payOut(_payout: FiatPayout, { payoutTo, updatedAtMs }: SellOrder): Promise<FiatOutcome> {
    if (payoutTo.outcome === 'refused') return { kind: 'refused', why: 'the account is closed' };
    const isSoon = this.parts.clock.nowMs() < updatedAtMs + SLOW_MS;
    return { kind: payoutTo.outcome === 'slow' && isSoon ? 'pending' : 'done' };
  }

  async *statement(sinceMs: number): AsyncIterable<Movement> {
    const rows = await this.parts.database.query(
      'SELECT order_id, event, done_at FROM sandbox_event WHERE done_at >= $1 ORDER BY done_at',
      [sinceMs],
    );
    for (const { order_id: orderId, event, done_at: atMs } of rows) {
      const report: PaymentReport = fromJson(String(event));
      if (report.kind !== 'settled') continue;
      const { paymentId: id, fiat, units } = report;
      yield { kind: 'payment', id, orderId: String(orderId), fiat, units, atMs: Number(atMs) };
    }
  }

  async isUp(): Promise<boolean> {
    return true;
  }

  start(report: Report): void {
    this.report = report;
    void this.task.wake();
  }

  async stop(): Promise<void> {
    this.report = async () => {};
    await this.task.stop();
  }

  private settled(order: BuyOrder, name: string, units: bigint, dueMs: number): Planned {
    const paymentId = `sandbox-${order.id}-${name}`;
    return {
      name,
      dueMs,
      report: { kind: 'settled', paymentId, fiat: order.terms.fiat.id, units },
    };
  }

  /**
   * Stores each event of an order once. When it resolves, those that are due have been reported.
   */
  private async plan(orderId: string, planned: readonly Planned[]): Promise<void> {
    const added = await this.parts.database.transaction(async (query) => {
      const rows = [];
      for (const { name, dueMs, report } of planned) {
        const inserted = await query(
          `INSERT INTO sandbox_event (id, order_id, event, due_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT DO NOTHING RETURNING *`,
          [`${orderId}/${name}`, orderId, toJson(report), dueMs],
        );
        rows.push(...inserted);
      }
      return rows;
    });
    const nowMs = this.parts.clock.nowMs();
    // Only this order's events: otherwise each customer would wait for those of all orders.
    await this.carryOut(added.filter(({ due_at: dueMs }) => Number(dueMs) <= nowMs));
  }

  private async look(): Promise<undefined> {
    const { database, clock } = this.parts;
    await this.carryOut(
      await database.query(
        'SELECT * FROM sandbox_event WHERE done_at IS NULL AND due_at <= $1 ORDER BY due_at, id LIMIT $2',
        [clock.nowMs(), BATCH],
      ),
    );
  }

  private async carryOut(rows: readonly Row[]): Promise<void> {
    const { database, clock } = this.parts;
    for (const { id, order_id: orderId, event } of rows) {
      await this.report(String(orderId), fromJson(String(event)));
      await database.query('UPDATE sandbox_event SET done_at = $2 WHERE id = $1', [
        String(id),
        clock.nowMs(),
      ]);
    }
  }
}

function transferPlan(
  outcome: string,
  order: BuyOrder,
  nowMs: number,
  settled: (name: string, units: bigint, dueMs?: number) => Planned,
): readonly Planned[] {
  const { amountIn } = order.terms;
  const { payByMs } = order.state;
  const announced: Planned = {
    name: 'announced',
    dueMs: nowMs,
    report: { kind: 'announced', payByMs },
  };
  switch (outcome) {
    case 'twice':
      return [announced, settled('first', amountIn), settled('second', amountIn)];
    case 'short':
      return [announced, settled('first', (amountIn + 1n) / 2n)];
    case 'late':
      return [announced, settled('first', amountIn, payByMs + LATE_MS)];
    case 'never':
      return [announced];
    default:
      return [announced, settled('first', amountIn)];
  }
}

function cardOf({ card = '' }: Answers): string {
  return card.replaceAll(/[\s-]/g, '');
}
