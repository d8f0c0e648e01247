/**
 * Delivers payloads to recipients: at once while the sender waits, or later from the outbox when a
 * peer was offline.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log, Metrics, Timer, Timers } from '../../../core/base/ports.ts';
import { type EncodedPayload, type PublicKey, stripFor } from '../../../core/payload/payload.ts';
import { encodeCbor } from '../../../core/payload/payload-cbor.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { Outbox, type OutboxInput } from './outbox.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire, PushOrigin, PushOutcome } from './peers.ts';
import { checkPeerVersion } from './privacy-rules.ts';
import { PushQueue } from './push-queue.ts';
import type { Delivery, PayloadStore } from './store.ts';

const CBOR_VERSION = '5.0';
/**
 * Most payloads owed to one recipient; beyond it, sends to it are refused until it answers again.
 */
const OWED_MAX = 100_000;
/** Most payloads pushed to one recipient in one round. */
const ROUND_PAYLOADS_MAX = 256;

export interface DistributorOptions {
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly say: Log;
  readonly metrics: Metrics;
  /** Source of the backoff's jitter. */
  readonly seed: number;
  /** Most payloads owed to one recipient. */
  readonly owedMax?: number;
}

export class Distributor {
  private readonly options: DistributorOptions;
  private readonly queue: PushQueue;
  private readonly outbox: Outbox;
  /**
   * Number of owed payloads by recipient; a delivery that was not recorded is corrected in the next
   * round.
   */
  private readonly owed = new Map<string, number>();
  private readonly owedMax: number;
  private timer: Timer | undefined;
  private stopped = false;

  constructor(options: DistributorOptions) {
    this.options = options;
    this.queue = new PushQueue({
      wire: options.wire,
      timers: options.timers,
      takesBatches: (url) => options.table.takesBatches(url),
    });
    this.outbox = new Outbox(options.seed);
    this.owedMax = options.owedMax ?? OWED_MAX;
  }

  /** Resumes deliveries that were still owed when the last process ended. */
  async start(): Promise<void> {
    const { store } = this.options;
    for (const recipient of await store.owedRecipients()) {
      this.owed.set(keyOf(recipient), await store.countOwed(recipient, this.owedMax));
      this.step({ kind: 'owed', recipient });
    }
  }

  /** Undelivered payloads of all recipients. */
  owedCount(): number {
    return [...this.owed.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Recipients that payloads are owed to. */
  owedRecipientCount(): number {
    return this.owed.size;
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  /**
   * Call it before storing: checks that every recipient has a known and capable manager, and is not
   * owed too much.
   */
  check(payload: Pick<EncodedPayload, 'flag'>, recipients: readonly PublicKey[]): void {
    const { table } = this.options;
    for (const recipient of recipients) {
      checkPeerVersion(payload.flag, recipient, table.versions(table.locate(recipient)));
      if ((this.owed.get(keyOf(recipient)) ?? 0) >= this.owedMax) {
        throw fail(
          'PTM_BUSY',
          `recipient ${toBase64(recipient)} has been away for ${this.owedMax} payloads: no more are stored for it until it is back`,
        );
      }
    }
  }

  /**
   * Pushes to all; resolves when all have it. The first failure rejects with Tessera's text:
   * PTM_PEER_OFFLINE or PTM_PUSH_REFUSED. Payloads for an offline peer stay owed, as recorded by
   * `stored`.
   */
  async distribute(
    hash: PayloadHash,
    payload: EncodedPayload,
    recipients: readonly PublicKey[],
    stored: Promise<void>,
  ): Promise<void> {
    const origin = this.options.wire.origin?.();
    const results = await Promise.allSettled(
      recipients.map((recipient) => this.push(payload, recipient, origin)),
    );
    const delivered: Delivery[] = [];
    let failure: unknown;
    for (const [i, result] of results.entries()) {
      const recipient = recipients[i]!;
      if (result.status === 'fulfilled') delivered.push({ recipient, hash });
      else {
        failure ??= result.reason;
        this.options.metrics.count('ptm_push_failures_total');
        if (isFinal(result.reason)) delivered.push({ recipient, hash });
        else
          void stored.then(
            () => this.owe(recipient),
            () => undefined,
          );
      }
    }
    if (delivered.length > 0)
      void stored.then(
        () => this.options.store.deliveredSoon(delivered),
        () => undefined,
      );
    if (failure !== undefined) throw failure;
  }

  /** Sends owed payloads now, because the peer was just heard from. */
  heard(url: string): void {
    if (this.outbox.size === 0) return;
    for (const recipient of this.options.table.keysAt(url)) this.step({ kind: 'heard', recipient });
  }

  private owe(recipient: PublicKey): void {
    const name = keyOf(recipient);
    this.owed.set(name, (this.owed.get(name) ?? 0) + 1);
    this.step({ kind: 'owed', recipient });
  }

  private async push(
    payload: EncodedPayload,
    recipient: PublicKey,
    origin?: PushOrigin,
  ): Promise<void> {
    const { table } = this.options;
    const url = table.locate(recipient);
    const stripped = stripFor(payload, recipient);
    const encode = table.versions(url).has(CBOR_VERSION) ? encodeCbor : encodeLegacy;
    const outcome = await this.queue.push(url, encode(stripped), origin);
    if (outcome.kind === 'refused') throw refusal(url, outcome);
    this.options.metrics.count('ptm_payloads_pushed_total');
  }

  private step(input: OutboxInput): void {
    if (this.stopped) return;
    for (const effect of this.outbox.step(input, this.options.clock.nowMs())) {
      if (effect.kind === 'push') void this.round(effect.recipient);
      else {
        this.timer?.cancel();
        this.timer = this.options.timers.set(effect.delayMs, () => this.step({ kind: 'tick' }));
      }
    }
  }

  private async round(recipient: PublicKey): Promise<void> {
    const { store, say } = this.options;
    try {
      const hashes = await store.owedTo(recipient, ROUND_PAYLOADS_MAX);
      const results = await Promise.allSettled(hashes.map((hash) => this.deliver(hash, recipient)));
      const delivered: Delivery[] = [];
      let failure: unknown;
      for (const [i, result] of results.entries()) {
        if (result.status === 'fulfilled' || isFinal(result.reason)) {
          delivered.push({ recipient, hash: hashes[i]! });
        } else failure ??= result.reason;
      }
      await store.delivered(delivered);
      this.options.metrics.count('ptm_payloads_resent_total', delivered.length);
      if (failure !== undefined) throw failure;
      const more = (await store.owedTo(recipient, 1)).length > 0;
      this.settle(recipient, more ? delivered.length : undefined);
      if (delivered.length > 0) {
        say('info', 'delivered payloads that a peer had missed', {
          recipient: toBase64(recipient),
          count: delivered.length,
        });
      }
      this.step({ kind: 'delivered', recipient, more });
    } catch (error) {
      say('debug', 'a peer is still away', {
        recipient: toBase64(recipient),
        error: String(error),
      });
      this.step({ kind: 'failed', recipient });
    }
  }

  /** Subtracts `count` deliveries; undefined: nothing is owed any more. */
  private settle(recipient: PublicKey, count: number | undefined): void {
    const name = keyOf(recipient);
    if (count === undefined) this.owed.delete(name);
    else this.owed.set(name, Math.max(0, (this.owed.get(name) ?? 0) - count));
  }

  private async deliver(hash: PayloadHash, recipient: PublicKey): Promise<void> {
    const payload = await this.options.store.get(hash);
    // A payload that was deleted meanwhile is not delivered.
    if (payload) await this.push(payload, recipient);
  }
}

function refusal(url: string, outcome: PushOutcome & { kind: 'refused' }): Error {
  return fail('PTM_PUSH_REFUSED', `Unable to push payload to recipient url ${url}`, {
    data: { status: outcome.status },
  });
}

/** Whether the peer processed and refused it, so that repeating changes nothing. */
function isFinal(error: unknown): boolean {
  if (!hasCode(error, 'PTM_PUSH_REFUSED')) return false;
  const { status } = error.data as { status: number };
  return status >= 400 && status < 500;
}
