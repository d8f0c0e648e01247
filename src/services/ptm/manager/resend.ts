/**
 * Resends lost payloads to peers: single ones, all of a key, or in batches to a peer in recovery
 * (Tessera ResendManager, BatchResendManager).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes, keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import {
  type EncodedPayload,
  hasKey,
  type PublicKey,
  splitBoxes,
  stripFor,
} from '../../../core/payload/payload.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import { PRIVATE_STATE_VALIDATION, STANDARD_PRIVATE } from '../../../core/privacy/flags.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { Enclave } from './enclave.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import type { SourceBudget } from './source-budget.ts';
import type { PayloadStore } from './store.ts';

/** Most payloads per batch, whatever the peer asks for. */
export const BATCH_SIZE_MAX = 10_000;
const BATCH_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_PAYLOADS_MAX = 64;
/** Most resends at a time: each reads the whole store. */
const RESENDS_MAX = 4;

export interface ResenderOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  /** Limits resends to a key's manager without a proof, by key. */
  readonly unproven: SourceBudget;
  readonly say: Log;
  /** Finds the managers of unknown keys. */
  readonly search: (keys: readonly PublicKey[]) => Promise<void>;
}

export class Resender {
  private readonly options: ResenderOptions;
  private running = 0;

  constructor(options: ResenderOptions) {
    this.options = options;
  }

  /**
   * `/resend` INDIVIDUAL: the payload as `key` may see it, after its holder has proven the key.
   * Payloads with privacy flags go only to Quorate managers (`withFlags`); Tessera resends them to
   * none. Throws PTM_NOT_FOUND, PTM_RECIPIENT_INVALID or PTM_PRIVACY_UNSUPPORTED.
   */
  async individual(hash: PayloadHash, key: PublicKey, withFlags: boolean): Promise<EncodedPayload> {
    const payload = await this.options.store.get(hash);
    if (!payload) {
      throw fail('PTM_NOT_FOUND', `Message with hash ${toBase64(hash)} was not found`);
    }
    if (payload.flag !== STANDARD_PRIVATE && !withFlags) {
      throw fail(
        'PTM_PRIVACY_UNSUPPORTED',
        'Cannot resend enhanced privacy transaction in legacy resend',
      );
    }
    if (!equalBytes(payload.senderKey, key)) {
      return this.portionOf(payload, key) ?? stripFor(payload, key);
    }
    if (payload.recipientKeys.length > 0) return payload;
    return {
      ...payload,
      recipientKeys: this.portions(payload, key).flatMap((one) => one.recipientKeys),
    };
  }

  /**
   * `/resend` ALL: pushes the payloads of `key` one by one, except enhanced ones. Resolves when all
   * have arrived.
   */
  all(key: PublicKey, isProven: boolean): Promise<number> {
    return this.guarded(key, isProven, async (url) => {
      let total = 0;
      for await (const payload of this.owedTo(key)) {
        if (payload.flag !== STANDARD_PRIVATE) continue;
        const outcome = await this.options.wire.push(url, encodeLegacy(payload));
        if (outcome.kind === 'stored') total++;
      }
      return total;
    });
  }

  /**
   * `/resendBatch`: the number of payloads that the peer has accepted. Throws PTM_PUSH_REFUSED when
   * it refuses a batch.
   */
  batches(key: PublicKey, batchSize: number, isProven: boolean): Promise<number> {
    const limit = batchSize >= 1 && batchSize <= BATCH_SIZE_MAX ? batchSize : BATCH_SIZE_MAX;
    return this.guarded(key, isProven, async (url) => {
      let total = 0;
      for await (const batch of inBatches(this.owedTo(key), limit)) {
        if (!(await this.options.wire.pushStaged(url, batch))) {
          throw fail('PTM_PUSH_REFUSED', `Unable to push payload batch to recipient ${url}`, {
            data: { status: 0 },
          });
        }
        total += batch.length;
      }
      return total;
    });
  }

  private async guarded(
    key: PublicKey,
    isProven: boolean,
    send: (url: string) => Promise<number>,
  ): Promise<number> {
    if (!isProven) this.checkUnproven(key);
    if (this.running >= RESENDS_MAX) throw busy();
    const { table, say, search } = this.options;
    this.running++;
    try {
      if (isProven) await search([key]);
      const url = table.locate(key);
      const total = await send(url);
      say('info', 'resent payloads that a peer requested', { url, key: toBase64(key), total });
      return total;
    } finally {
      this.running--;
    }
  }

  /**
   * Limits resends that anyone may request: everything goes to the manager that has proven the key,
   * so that the caller learns nothing. Half of the places are reserved for peers with a proof.
   */
  private checkUnproven(key: PublicKey): void {
    this.options.table.locate(key);
    if (this.running >= RESENDS_MAX / 2) throw busy();
    if (!this.options.unproven.take(keyOf(key))) throw unproven();
  }

  /** Reads page by page, so that no read of the store stays open while a peer answers. */
  private async *owedTo(key: PublicKey): AsyncGenerator<EncodedPayload> {
    let after: PayloadHash | undefined;
    for (;;) {
      const page = await this.options.store.page(PAGE_PAYLOADS_MAX, after);
      // Damaged payloads are skipped: this manager's operator must repair them.
      for (const [, payload] of page) if (payload) yield* this.portions(payload, key);
      after = page.at(-1)?.[0];
      if (page.length < PAGE_PAYLOADS_MAX) return;
    }
  }

  /**
   * A payload that we sent to the key, with a box that opens. Undefined: there is none. A lost box
   * is recreated only under state validation, where no party can have been added.
   */
  private portionOf(payload: EncodedPayload, key: PublicKey): EncodedPayload | undefined {
    const { enclave } = this.options;
    const { senderKey, recipientKeys, recipientBoxes, flag } = payload;
    if (!enclave.owns(senderKey) || !hasKey(recipientKeys, key)) return undefined;
    const isShared = flag === PRIVATE_STATE_VALIDATION;
    const masterKey = enclave.open(payload)?.masterKey;
    const box =
      recipientBoxes.find((one) => enclave.unseal(payload, senderKey, key, one)) ??
      (isShared && masterKey ? enclave.seal(payload, masterKey, key) : undefined);
    if (!box) return undefined;
    const others = recipientKeys.filter((one) => !equalBytes(one, key));
    return {
      ...payload,
      recipientBoxes: [box],
      recipientKeys: isShared ? [key, ...others] : [key],
    };
  }

  /**
   * Payloads that we sent to the key, with only its own box; payloads that it sent to us, one box
   * at a time; no others.
   */
  private portions(payload: EncodedPayload, key: PublicKey): EncodedPayload[] {
    const { enclave } = this.options;
    if (!equalBytes(payload.senderKey, key)) {
      const portion = this.portionOf(payload, key);
      return portion ? [portion] : [];
    }
    return splitBoxes(payload).flatMap((portion) => {
      if (portion.recipientKeys.length > 0) return [portion];
      return enclave
        .managedParties(portion)
        .slice(0, 1)
        .map((own) => ({ ...portion, recipientKeys: [own] }));
    });
  }
}

export function unproven(): Error {
  return fail('PTM_UNPROVEN', 'prove that you hold the key: answer the header quorate-challenge');
}

function busy(): Error {
  return fail('PTM_BUSY', 'too many resends are in progress: try again later');
}

async function* inBatches(
  payloads: AsyncIterable<EncodedPayload>,
  limit: number,
): AsyncGenerator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const payload of payloads) {
    const encoded = encodeLegacy(payload);
    if (batch.length > 0 && (batch.length === limit || bytes + encoded.length > BATCH_BYTES_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(encoded);
    bytes += encoded.length;
  }
  if (batch.length > 0) yield batch;
}
