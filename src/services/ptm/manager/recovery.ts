/**
 * Recovery mode: requests everything that peers hold for our keys, stages it until all have
 * answered, then stores it in order of dependency (Tessera RecoveryImpl).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail, hasCode, QuorateError } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import {
  type EncodedPayload,
  PAYLOAD_HASH_BYTES,
  type PublicKey,
} from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import { STANDARD_PRIVATE } from '../../../core/privacy/flags.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { Candidates } from './candidates.ts';
import type { Enclave } from './enclave.ts';
import type { PrivateTransactionManager } from './manager.ts';
import { normalizeUrl } from './party-info.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import type { PayloadStore } from './store.ts';

/** Most payloads that a peer puts into one push. */
const BATCH_SIZE = 1_000;
const PAGE_PAYLOADS_MAX = 256;

export interface RecoveryReport {
  /** `success`: every peer answered and all is stored; `failure`: no peer answered. */
  readonly outcome: 'success' | 'partial' | 'failure';
  /** Number of peers that sent what they hold for every key of ours. */
  readonly peersAnswered: number;
  readonly peersFailed: readonly string[];
  /** Received payloads, each counted once per box. */
  readonly received: number;
  readonly stored: number;
  /** Staged for the next run: they affect payloads that have not arrived. */
  readonly waiting: number;
  /** Refused for the same reasons as a push. */
  readonly refused: number;
}

export interface RecoveryOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly candidates: Candidates;
  readonly manager: PrivateTransactionManager;
  readonly say: Log;
}

interface Tally {
  stored: number;
  refused: number;
}

export class Recovery {
  private readonly options: RecoveryOptions;
  private received = 0;
  /** Number of payloads received that are not for us. */
  private unopened = 0;

  constructor(options: RecoveryOptions) {
    this.options = options;
  }

  /**
   * Stages a peer's `/pushBatch`. Resolves when the payloads that are for us are durable. Throws
   * PAYLOAD_INVALID, and PTM_DECRYPT_FAILED when none is for us.
   */
  async stage(batch: readonly Uint8Array[], source: string): Promise<void> {
    const { enclave, store, manager } = this.options;
    const payloads: EncodedPayload[] = [];
    for (const bytes of batch) {
      try {
        payloads.push(manager.admit(bytes, source, true));
      } catch (error) {
        if (batch.length === 1 || !hasCode(error, 'PTM_DECRYPT_FAILED')) throw error;
        this.unopened++;
      }
    }
    await store.stage(payloads.map((payload) => [enclave.hash(payload), payload] as const));
    this.received += payloads.length;
    this.options.say('info', 'payloads received', { total: this.received });
  }

  /**
   * Stores a peer's `/push` at once if it depends on no other payload; otherwise throws
   * PTM_PRIVACY_UNSUPPORTED.
   */
  async push(bytes: Uint8Array, source: string): Promise<PayloadHash> {
    if (decodePayload(bytes).flag !== STANDARD_PRIVATE) {
      throw fail(
        'PTM_PRIVACY_UNSUPPORTED',
        'Transactions with enhanced privacy are not accepted during recovery mode',
      );
    }
    this.received++;
    return this.options.manager.storePushed(bytes, source, true);
  }

  /**
   * Party info must have been exchanged: peers send to the URL that they know for our keys. Peers
   * in `without` are gone for good: payloads that only they had are not awaited.
   */
  async run(without: readonly string[] = []): Promise<RecoveryReport> {
    const gone = new Set(without.map(normalizeUrl));
    const { table, candidates } = this.options;
    const urls = table.peers().filter((url) => !gone.has(url));
    // Peers that did not answer may hold payloads that no other peer has.
    const peersFailed = candidates.silentPeers().filter((url) => !gone.has(url));
    const silent = peersFailed.length;
    for (const url of urls) {
      if (!(await this.request(url))) peersFailed.push(url);
    }
    const tally: Tally = { stored: 0, refused: 0 };
    await this.storeStaged(tally, false);
    // Once every peer has answered, missing payloads will not arrive: the rest is treated like a
    // push.
    if (peersFailed.length === 0) await this.storeStaged(tally, true);
    const waiting = await this.countStaged();
    tally.refused += this.unopened;
    const peersAnswered = urls.length - (peersFailed.length - silent);
    const isWhole = peersFailed.length === 0 && waiting === 0 && tally.refused === 0;
    const outcome = peersAnswered === 0 ? 'failure' : isWhole ? 'success' : 'partial';
    return { outcome, peersAnswered, peersFailed, received: this.received, waiting, ...tally };
  }

  private async request(url: string): Promise<boolean> {
    const { enclave, say } = this.options;
    for (const key of enclave.publicKeys) {
      try {
        const total = await this.requestKey(url, key);
        say('info', 'a peer has sent its payloads', { url, key: toBase64(key), total });
      } catch (error) {
        say('error', 'a peer did not send its payloads', { url, error: (error as Error).message });
        return false;
      }
    }
    return true;
  }

  private async requestKey(url: string, key: PublicKey): Promise<number | 'untold'> {
    const { wire } = this.options;
    let outcome = await wire.resendBatch(url, key, BATCH_SIZE);
    if (outcome.kind === 'unknown') outcome = await wire.resendAll(url, key);
    if (outcome.kind === 'resent') return outcome.total ?? 'untold';
    const status = outcome.kind === 'refused' ? outcome.status : 404;
    throw fail('PTM_RESEND_REFUSED', `${url} answers a resend request with status ${status}`);
  }

  /**
   * Works in rounds over the staged payloads: each stores those that affect no missing payload,
   * until a round stores nothing.
   */
  private async storeStaged(tally: Tally, evenIncomplete: boolean): Promise<void> {
    for (;;) {
      let progress = 0;
      let after: Uint8Array | undefined;
      for (;;) {
        const page = await this.options.store.staged(PAGE_PAYLOADS_MAX, after);
        const ready: typeof page = [];
        for (const one of page) if (await this.isReady(one[1], evenIncomplete)) ready.push(one);
        progress += ready.length;
        await this.storeAll(ready, tally);
        after = page.at(-1)?.[0];
        if (page.length < PAGE_PAYLOADS_MAX) break;
      }
      if (progress === 0) return;
      this.options.say('info', 'payloads stored', { total: tally.stored });
    }
  }

  private async isReady(payload: EncodedPayload, evenIncomplete: boolean): Promise<boolean> {
    for (const { hash } of payload.affected) {
      if (await this.has(hash)) continue;
      if (!evenIncomplete || (await this.options.store.isStaged(hash))) return false;
    }
    return true;
  }

  private async storeAll(
    ready: readonly (readonly [Uint8Array, EncodedPayload])[],
    tally: Tally,
  ): Promise<void> {
    const results = await Promise.allSettled(
      ready.map(([, payload]) => this.options.manager.storeStaged(payload)),
    );
    for (const [i, result] of results.entries()) {
      const hash = ready[i]![0].subarray(0, PAYLOAD_HASH_BYTES);
      if (result.status === 'fulfilled' && (await this.has(hash))) {
        tally.stored++;
        continue;
      }
      tally.refused++;
      const error =
        result.status === 'rejected'
          ? refusal(result.reason)
          : 'its affected payloads do not match';
      this.options.say('warn', 'a payload is refused', { hash: toBase64(hash), error });
    }
    await this.options.store.unstage(ready.map(([key]) => key));
  }

  private async has(hash: PayloadHash): Promise<boolean> {
    return (await this.options.store.get(hash)) !== undefined;
  }

  private async countStaged(): Promise<number> {
    const hashes = new Set<string>();
    let after: Uint8Array | undefined;
    for (;;) {
      const page = await this.options.store.staged(PAGE_PAYLOADS_MAX, after);
      for (const [key] of page) hashes.add(keyOf(key.subarray(0, PAYLOAD_HASH_BYTES)));
      after = page.at(-1)?.[0];
      if (page.length < PAGE_PAYLOADS_MAX) return hashes.size;
    }
  }
}

/**
 * The text of a refusal. An error of the store is not the payload's fault: it is rethrown, and the
 * staged payloads stay.
 */
function refusal(reason: unknown): string {
  if (!(reason instanceof QuorateError) || reason.code.startsWith('STORAGE_')) throw reason;
  return reason.message;
}
