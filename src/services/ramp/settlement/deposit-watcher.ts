/**
 * Scans every block for crypto that arrived at the address of an order, beginning where it stopped
 * last, however long ago.
 *
 *   new block ─► scan: deposits seen ─► enough blocks on top: final ─► collected
 *                  │ its parent is not the block before: that one was replaced
 *                  ╰─► deposits of it dropped, and one block back
 *
 * - Its position is in the store, with the hash of each block: a crash or a second instance scans
 *   a block again, and finds nothing new.
 * - Sells expire by the time of the last scanned block, not by the clock: a deposit that was sent in
 *   time counts, even if it was found late.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { RampConfig } from '../../../core/ramp/config.ts';
import {
  blockTimeMs,
  coinTransfers,
  type Transfer,
  tokenTransfers,
} from '../../../core/ramp/deposits.ts';
import { TRANSFER_TOPIC } from '../../../core/ramp/token-transfer.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type { Database } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import type { BlockReader, LedgerBlock } from '../../../io/ledger-client/block-reader.ts';
import type { OrderInput, Orders } from '../orders/orders.ts';
import type { DepositIntake, FoundDeposit } from './deposit-intake.ts';

/** Blocks per turn; then other work runs. */
const BLOCKS_MAX = 200;
const SEEN_EVERY_MS = 1_000;
/** Crypto is accepted if the last scan is at most this old. */
const FRESH_MS = 60_000;

export interface DepositWatcherParts {
  readonly database: Database;
  readonly intake: DepositIntake;
  readonly ledger: Pick<BlockReader, 'headNumber' | 'block' | 'logs' | 'isCarriedOut'>;
  readonly orders: Orders;
  readonly config: () => RampConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
}

export class DepositWatcher {
  private readonly parts: DepositWatcherParts;
  private readonly task: RepeatedTask;
  private seenAtMs = 0;

  constructor(parts: DepositWatcherParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Deposits are not seen', { err }),
    });
  }

  /** Runs now: there is a new block. */
  wake(): void {
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** Whether deposits are detected without delay. */
  get isFresh(): boolean {
    return this.parts.clock.nowMs() - this.seenAtMs <= FRESH_MS;
  }

  /** Runs again at once while blocks are left. */
  private async look(): Promise<number | undefined> {
    const { intake, ledger, clock } = this.parts;
    const nowMs = clock.nowMs();
    const head = await ledger.headNumber();
    const cursor = await intake.cursor();
    if (!cursor) {
      await this.begin(head);
    } else {
      const at = await this.scanUpTo(head, cursor);
      await this.finalize(at);
      if (at < head) return 0;
    }
    if (nowMs - this.seenAtMs < SEEN_EVERY_MS) return undefined;
    await intake.keepSeenAt(nowMs);
    this.seenAtMs = nowMs;
    return undefined;
  }

  /** Begins at the newest block, because no order had an address before. */
  private async begin(head: number): Promise<void> {
    const block = await this.parts.ledger.block(head);
    if (block) await this.parts.intake.keepCursor(this.parts.database.query, block);
  }

  private async scanUpTo(
    head: number,
    cursor: { readonly number: number; readonly hash: string },
  ): Promise<number> {
    const { ledger, intake } = this.parts;
    let at = cursor;
    if (head < at.number) at = await this.back(at.number);
    for (let count = 0; count < BLOCKS_MAX && at.number < head && !this.task.isStopped; count++) {
      const block = await ledger.block(at.number + 1);
      if (!block) break;
      if (block.parentHash !== at.hash) {
        at = await this.back(at.number);
        continue;
      }
      await this.scan(block);
      at = { number: at.number + 1, hash: block.hash };
    }
    await intake.prune(at.number);
    return at.number;
  }

  /** Block `number` was replaced: its deposits no longer count. */
  private async back(number: number): Promise<{ number: number; hash: string }> {
    const { intake, ledger, orders, log } = this.parts;
    log('warn', 'A block was replaced: its deposits are scanned again', { number });
    for (const { id, orderId } of await intake.seenFrom(number)) {
      await orders.take(orderId, async (_order, query) => {
        if (!(await intake.drop(query, id))) return undefined;
        return { kind: 'depositDropped', depositId: id };
      });
    }
    const known = await intake.before(number);
    if (known) {
      await intake.stepBack(number);
      return known;
    }
    const block = await ledger.block(number - 1);
    if (!block) throw new Error(`the ledger has no block ${number - 1}`);
    await intake.stepBack(number, block);
    return { number: number - 1, hash: block.hash };
  }

  private async scan(block: LedgerBlock): Promise<void> {
    const { intake, database } = this.parts;
    for (const found of await this.depositsIn(block)) await this.see(found);
    await intake.keepCursor(database.query, block);
  }

  private async depositsIn(block: LedgerBlock): Promise<readonly FoundDeposit[]> {
    const { config, ledger, intake } = this.parts;
    const { crypto } = config();
    const tokens = crypto.filter((each) => !isNative(each)).map(({ address }) => address);
    const logs =
      tokens.length > 0 && block.transactions.length > 0
        ? await ledger.logs(block.hash, tokens, TRANSFER_TOPIC)
        : [];
    const moved = [
      ...(crypto.some(isNative) ? coinTransfers(block.transactions) : []),
      ...tokenTransfers(logs, tokens),
    ];
    const owners = await intake.ownersOf(moved.map(({ to }) => to));
    const found: FoundDeposit[] = [];
    for (const transfer of moved) {
      const owner = owners.get(transfer.to);
      if (!owner) continue;
      if (isCoin(transfer) && !(await ledger.isCarriedOut(transfer.hash))) continue;
      found.push({
        ...{ id: transfer.id, orderId: owner.orderId, hash: transfer.hash, from: transfer.from },
        asset: `${owner.network}:${transfer.token}`,
        ...{ units: transfer.units, blockNumber: Number(block.number) },
        blockAtMs: blockTimeMs(block.timestamp),
      });
    }
    return found;
  }

  private async see(found: FoundDeposit): Promise<void> {
    const { intake, orders } = this.parts;
    const { id: depositId, orderId, hash, from, asset, units, blockAtMs } = found;
    await orders.take(
      orderId,
      async (_order, query): Promise<OrderInput | undefined> => {
        if (!(await intake.see(query, found))) return undefined;
        return { kind: 'depositSeen', depositId, deposit: { hash, from, asset, units } };
      },
      blockAtMs,
    );
  }

  /** Finalizes deposits with enough blocks on top of them, as of block `at`. */
  private async finalize(at: number): Promise<void> {
    const { intake, orders, config, log, clock } = this.parts;
    for (const found of await intake.seenFrom(0)) {
      if (this.task.isStopped) return;
      const { id: depositId, orderId, hash, from, asset, units, blockAtMs } = found;
      if (at - found.blockNumber + 1 < confirmationsOf(config(), asset)) continue;
      const verdict = verdictOn(config(), found);
      try {
        await orders.take(
          orderId,
          async (order, query): Promise<OrderInput | undefined> => {
            if (!(await intake.finish(query, depositId))) return undefined;
            await intake.queueCollection(query, order, found, clock.nowMs());
            const deposit = { hash, from, asset, units };
            return { kind: 'depositFinal', depositId, deposit, verdict };
          },
          blockAtMs,
        );
      } catch (error) {
        if (!hasCode(error, 'RAMP_ORDER_UNKNOWN')) throw error;
        log('error', 'A deposit belongs to no order', { depositId });
      }
    }
  }
}

function isCoin({ token }: Transfer): boolean {
  return isNative({ address: token });
}

function confirmationsOf({ crypto }: RampConfig, asset: string): number {
  const token = asset.slice(asset.indexOf(':') + 1);
  return crypto.find(({ address }) => address === token)?.confirmations ?? 2;
}

/** The limits and lists that apply when the crypto arrives. */
function verdictOn(
  { crypto, deniedWallets, reviewAbove }: RampConfig,
  { from, asset, units }: FoundDeposit,
): 'good' | 'review' {
  if (deniedWallets.includes(from)) return 'review';
  const offered = crypto.find(({ network, address }) => `${network}:${address}` === asset);
  const bound = offered && reviewAbove.get(offered.id);
  return bound !== undefined && units > bound ? 'review' : 'good';
}
