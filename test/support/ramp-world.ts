/**
 * A ramp with everything that it moves money for, each with its own view: customers, a payment
 * system, a ledger. The ramp may crash at any statement of its database.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interface } from 'ethers';
import { parseOptions } from '../../src/io/options/options.ts';
import { rampSettings } from '../../src/services/ramp/config.ts';
import type { Action } from '../../src/services/ramp/operation/operator.ts';
import { RAMP_ROWS } from '../../src/services/ramp/options.ts';
import { type RunningRamp, serveRamp } from '../../src/services/ramp/start.ts';
import { openRampStore } from '../../src/services/ramp/store/open.ts';
import {
  readWebhookSecrets,
  signatureHeaders,
} from '../../src/services/ramp/webhooks/signature.ts';
import { until } from './conditions.ts';
import { type CrashingDatabase, crashingDatabase } from './crashing-database.ts';
import { type FakeLedger, startFakeLedger } from './fake-ledger.ts';
import {
  at,
  BUY,
  hasPrices,
  idOf,
  onWidget,
  openWidget,
  placeOrder,
  TOKEN,
  testOffer,
} from './ramp.ts';
import { type Answer, ask, postJson } from './staking.ts';

const ERC20 = new Interface(['function transfer(address,uint256)']);
const OPERATOR = 'o'.repeat(40);
/** Longer than any deadline of the offer. */
const DEADLINE_MS = 70 * 60_000;
const STEP_MS = 6_000;

/** An order as the world around the ramp sees it. */
export interface WorldOrder {
  readonly id: string;
  readonly side: 'buy' | 'sell';
  readonly session: { readonly session: string };
  /** A wallet that only this order uses. */
  readonly wallet: string;
  /** The customer's payments in cents of one currency, by payment id. */
  readonly paid: Map<string, { fiat: string; units: bigint }>;
  readonly chargedBack: Set<string>;
  /** The deposits at its address, by hash, each with the address for a refund. */
  readonly deposits: Map<string, { from: string; units: bigint; block: number }>;
  readonly to: string | undefined;
}

export class RampWorld {
  readonly orders: WorldOrder[] = [];
  readonly ledger: FakeLedger;
  private readonly folder = mkdtempSync(join(tmpdir(), 'quorate-ramp-world-'));
  private readonly clock = { offsetMs: 0, nowMs: () => Date.now() + this.clock.offsetMs };
  private running!: RunningRamp;
  database!: CrashingDatabase;
  private wallets = 0;
  private readonly reverting = new Set<string>();

  private constructor(ledger: FakeLedger) {
    this.ledger = ledger;
    ledger.nowMs = () => this.clock.nowMs();
    ledger.idleMs = () => this.clock.nowMs();
    ledger.reverts = ({ data }) => this.reverting.has(recipientOf(data));
  }

  static async start(): Promise<RampWorld> {
    const world = new RampWorld(await startFakeLedger());
    const offer = testOffer();
    // Without the coin, no gas price becomes outdated when the clock jumps.
    offer.crypto.shift();
    writeFileSync(world.file('ramp.json'), JSON.stringify(offer));
    writeFileSync(world.file('operator'), OPERATOR);
    const secret = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(world.file('payments'), `whsec_${secret}\n`);
    await world.open();
    return world;
  }

  async close(): Promise<void> {
    await this.end();
    await this.ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Restarts the ramp after a crash at any point. */
  async restart(): Promise<void> {
    await this.end();
    await this.open();
  }

  wait(ms: number): void {
    this.clock.offsetMs += ms;
  }

  async buy(payment: string, answers: Record<string, string>): Promise<WorldOrder | undefined> {
    return this.place('buy', { payment }, answers);
  }

  async sell(outcome: string): Promise<WorldOrder | undefined> {
    return this.place('sell', {}, { outcome });
  }

  /** The ledger will mine the next transaction to the customer as failed. */
  revertNext(): void {
    this.reverting.add(walletAt(this.wallets + 1));
  }

  /** The payment system reports an event with this id, signed. */
  async tell(eventId: string, type: string, data: object): Promise<void> {
    const body = JSON.stringify({ type, data });
    await this.persist(() => {
      const timestampSeconds = Math.floor(this.clock.nowMs() / 1_000);
      const secrets = readWebhookSecrets(this.file('payments'));
      const headers = signatureHeaders({ id: eventId, timestampSeconds, body }, secrets);
      return ask(`${this.running.url}/webhooks/payments`, {
        ...{ method: 'POST', body, headers: Object.fromEntries(headers) },
      });
    });
  }

  deposit(order: WorldOrder, units: bigint, from = order.wallet): void {
    const hash = this.ledger.deposit({ from, to: order.to!, units, token: TOKEN });
    order.deposits.set(hash, { from, units, block: this.ledger.head });
  }

  /** Replaces the newest block by an empty one. */
  replaceBlock(): void {
    const gone = this.ledger.head;
    this.ledger.replaceBlocks(1);
    for (const { deposits } of this.orders) {
      for (const [hash, { block }] of deposits) if (block === gone) deposits.delete(hash);
    }
  }

  async cancel(order: WorldOrder): Promise<void> {
    await this.persist(() => onWidget(this.running, order.session, 'cancel'));
  }

  async operate(order: WorldOrder, action: Action): Promise<void> {
    await this.persist(() => this.post(`orders/${order.id}/${action}`, { why: 'the model' }));
  }

  async switchOff(buy: boolean): Promise<void> {
    const own = { buy, sell: false, crypto: [], payments: [] };
    await this.persist(() => this.post('switches', own));
  }

  /** Lets everything pending finish. */
  async settle(): Promise<void> {
    this.ledger.fault = () => 'none';
    this.database.crashAfter(Number.POSITIVE_INFINITY);
    let rounds = 0;
    await until('nothing is under way', async () => {
      this.wait(++rounds % 10 === 0 ? DEADLINE_MS : STEP_MS);
      this.ledger.mine();
      for (const { id, code } of await this.unfinished()) {
        if (code === 'PROVIDER-PENDING-REVIEW') await this.post(`orders/${id}/refund`, {});
      }
      return rounds > 10 && (await this.isQuiet());
    });
  }

  rows(text: string): Promise<readonly any[]> {
    return this.database.below.query(text) as Promise<any[]>;
  }

  /** Tokens that the account has sent, in order. */
  sent(): readonly { to: string; units: bigint }[] {
    return [...this.ledger.mined.values()]
      .filter((each) => each.to?.toLowerCase() === TOKEN && !this.ledger.reverts(each))
      .map(({ data }) => ({
        to: recipientOf(data),
        units: ERC20.decodeFunctionData('transfer', data)[1] as bigint,
      }));
  }

  /**
   * Checks in the order in which one thing leads to the next, so that nothing is missed in between.
   */
  private async isQuiet(): Promise<boolean> {
    if ((await this.unfinished()).length > 0) return false;
    const [scanned] = await this.rows('SELECT max(number) AS head FROM scanned_block');
    if (Number(scanned.head) < this.ledger.head - 1) return false;
    const [deposits] = await this.rows("SELECT count(*) AS left FROM deposit WHERE state = 'seen'");
    if (Number(deposits.left) > 0) return false;
    const [payouts] = await this.rows(
      "SELECT count(*) AS left FROM payout WHERE state IN ('queued', 'sent', 'mined')",
    );
    return Number(payouts.left) === 0;
  }

  private unfinished(): Promise<readonly any[]> {
    return this.rows('SELECT id, code FROM ramp_order WHERE due_at IS NOT NULL');
  }

  private async place(
    side: 'buy' | 'sell',
    query: object,
    answers: Record<string, string>,
  ): Promise<WorldOrder | undefined> {
    const wallet = walletAt(++this.wallets);
    const asked = { ...BUY, ...query, walletAddress: wallet };
    let widget: Awaited<ReturnType<typeof openWidget>> | undefined;
    const opened = await this.persist(async () => {
      widget = await openWidget(this.running, asked, side);
      return widget.page;
    });
    if (opened.status !== 200) return undefined;
    const placed = await this.persist(() => placeOrder(this.running, widget!, answers));
    if (placed.status !== 200) return undefined;
    const order = {
      ...{ id: idOf(placed), side, session: widget!, wallet },
      ...{ paid: new Map(), chargedBack: new Set<string>(), deposits: new Map() },
      to: placed.body.state.order.depositAddress,
    };
    this.orders.push(order);
    return order;
  }

  /** People and programs repeat a request until there is an answer. */
  private persist(call: () => Promise<Answer>): Promise<Answer> {
    return until('there is an answer', async () => {
      const answer = await call().catch(() => undefined);
      if (this.database.isCrashed) {
        await this.restart();
        return undefined;
      }
      if (answer && (answer.status < 500 || answer.body.code === 'paused')) return answer;
      this.ledger.fault = () => 'none';
      return undefined;
    });
  }

  private post(what: string, body: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${OPERATOR}` };
    return postJson(at(this.running.url, `/operator/${what}`), body, headers);
  }

  private file(name: string): string {
    return join(this.folder, name);
  }

  private async open(): Promise<void> {
    const { ledger } = this;
    const argv = [
      ...['--datadir', this.folder, '--offer', this.file('ramp.json'), '--http.port', '0'],
      ...['--rate', '0', '--operator.token-file', this.file('operator')],
      ...['--payments.secret-file', this.file('payments')],
      ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
      ...['--sell.collector', 'deploy'],
    ];
    const settings = rampSettings(parseOptions(RAMP_ROWS, { argv }));
    const host = { log: () => {}, env: {}, clock: this.clock, lookMs: 10 };
    this.database = crashingDatabase(await openRampStore(settings, {}));
    this.running = await serveRamp(settings, host, this.database);
    await hasPrices(this.running.url);
  }

  private async end(): Promise<void> {
    // Code that still runs ends with its next statement.
    this.database.crashAfter(0);
    await this.running.close().catch(() => {});
    await this.database.below.close();
  }
}

function walletAt(number: number): string {
  return `0x${number.toString(16).padStart(4, '0')}${'ab'.repeat(18)}`;
}

/** The recipient of a transfer. */
function recipientOf(data: string): string {
  return `0x${data.slice(34, 74)}`;
}
