/** Brings payloads to their recipients: at once while the sender waits, later from the outbox when a peer was away. */
import { toBase64 } from '../../../core/base/base64.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Clock, Log, Metrics, Timer, Timers } from '../../../core/ports.ts';
import type { PayloadHash } from '../../../core/privacy/inputs.ts';
import { type EncodedPayload, type PublicKey, stripFor } from '../../../core/privacy/payload.ts';
import { encodeCbor } from '../../../core/privacy/payload-cbor.ts';
import { encodeLegacy } from '../../../core/privacy/payload-legacy.ts';
import { Outbox, type OutboxInput } from './outbox.ts';
import type { PartyTable } from './party-info.ts';
import type { PeerWire, PushOutcome } from './peers.ts';
import { checkPeerVersion } from './privacy-rules.ts';
import { PushQueue } from './push-queue.ts';
import type { Delivery, PayloadStore } from './store.ts';

const CBOR_VERSION = '5.0';
/** Payloads of one round to one recipient. */
const ROUND_PAYLOADS_MAX = 256;

export interface DistributorOptions {
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly say: Log;
  readonly metrics: Metrics;
  /** Of the backoff's jitter. */
  readonly seed: number;
}

export class Distributor {
  private readonly options: DistributorOptions;
  private readonly queue: PushQueue;
  private readonly outbox: Outbox;
  private timer: Timer | undefined;
  private stopped = false;

  constructor(options: DistributorOptions) {
    this.options = options;
    this.queue = new PushQueue(options.wire, (url) => options.table.takesBatches(url));
    this.outbox = new Outbox(options.seed);
  }

  /** Takes up what was owed when the process ended. */
  async start(): Promise<void> {
    for (const recipient of await this.options.store.owedRecipients())
      this.step({ kind: 'owed', recipient });
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  /** Before anything is stored: every recipient has a known and capable manager. */
  check(payload: Pick<EncodedPayload, 'flag'>, recipients: readonly PublicKey[]): void {
    const { table } = this.options;
    for (const recipient of recipients) {
      checkPeerVersion(payload.flag, recipient, table.versions(table.locate(recipient)));
    }
  }

  /**
   * Pushes to all; resolves when all have it. The first failure rejects in Tessera's words: PTM_PEER_OFFLINE or
   * PTM_PUSH_REFUSED. What an offline peer missed stays owed, as `stored` wrote it.
   */
  async distribute(
    hash: PayloadHash,
    payload: EncodedPayload,
    recipients: readonly PublicKey[],
    stored: Promise<void>,
  ): Promise<void> {
    const results = await Promise.allSettled(
      recipients.map((recipient) => this.push(payload, recipient)),
    );
    const delivered: Delivery[] = [];
    let failure: unknown;
    for (const [i, result] of results.entries()) {
      const recipient = recipients[i]!;
      if (result.status === 'fulfilled') delivered.push({ recipient, hash });
      else {
        failure ??= result.reason;
        if (isFinal(result.reason)) delivered.push({ recipient, hash });
        else
          void stored.then(
            () => this.step({ kind: 'owed', recipient }),
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

  /** A peer was heard of: what it is owed leaves now. */
  heard(url: string): void {
    if (this.outbox.size === 0) return;
    for (const recipient of this.options.table.keysAt(url)) this.step({ kind: 'heard', recipient });
  }

  private async push(payload: EncodedPayload, recipient: PublicKey): Promise<void> {
    const { table } = this.options;
    const url = table.locate(recipient);
    const stripped = stripFor(payload, recipient);
    const encode = table.versions(url).has(CBOR_VERSION) ? encodeCbor : encodeLegacy;
    const outcome = await this.queue.push(url, encode(stripped));
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
      if (failure !== undefined) throw failure;
      const more = (await store.owedTo(recipient, 1)).length > 0;
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

  private async deliver(hash: PayloadHash, recipient: PublicKey): Promise<void> {
    const payload = await this.options.store.get(hash);
    // Deleted meanwhile: a deletion stays a deletion.
    if (payload) await this.push(payload, recipient);
  }
}

function refusal(url: string, outcome: PushOutcome & { kind: 'refused' }): Error {
  return fail('PTM_PUSH_REFUSED', `Unable to push payload to recipient url ${url}`, {
    data: { status: outcome.status },
  });
}

/** The peer looked at it and said no: asking again changes nothing. */
function isFinal(error: unknown): boolean {
  if (!hasCode(error, 'PTM_PUSH_REFUSED')) return false;
  const { status } = error.data as { status: number };
  return status >= 400 && status < 500;
}
