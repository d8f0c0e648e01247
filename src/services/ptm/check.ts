/**
 * Checks a payload store, and repairs what can be repaired: `quorate ptm check` and `repair`
 * (docs/manager.md).
 */
import type { Log } from '../../core/base/ports.ts';
import type { EncodedPayload } from '../../core/payload/payload.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import { systemClock as calendar } from '../../io/host/clock.ts';
import { systemEntropy as entropy } from '../../io/host/entropy.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { composePtm, type PtmHost } from './compose.ts';
import { loadKey } from './config/key-sources.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import { Enclave } from './manager/enclave.ts';
import { CONDITIONS, type Condition, Inspection } from './manager/inspection.ts';
import { Mender } from './manager/mender.ts';
import type { PayloadStore } from './manager/store.ts';
import { openStoreToRead } from './open-store.ts';

const PAGE_PAYLOADS = 256;
/** Payloads between two progress reports. */
const PROGRESS_PAYLOADS = 10_000;
/** Most deliveries checked per recipient: as many as a manager may owe to one. */
const OWED_MAX = 100_000;
/** Most findings that are listed; all are counted. */
const LISTED_MAX = 1_000;

export type Counts = Record<Condition, number>;

export interface Finding {
  readonly kind: 'payload' | 'raw payload';
  readonly hash: PayloadHash;
  readonly condition: Condition;
}

export interface CheckReport {
  readonly payloads: Counts;
  readonly raw: Counts;
  /** Deliveries that cannot be made because their payload is missing. */
  readonly owedMissing: number;
  /** Faulty payloads in order of hashes, up to the limit of the list. */
  readonly findings: readonly Finding[];
}

export interface RepairReport {
  /** Payloads whose boxes were put back in order. */
  readonly ordered: number;
  /** Payloads that peers sent again. */
  readonly fetched: number;
  readonly discarded: number;
  readonly peers: number;
  /** Payloads still faulty. */
  readonly after: CheckReport;
}

/** Which payloads may be discarded when peers do not send them again. */
export type Discard = 'unopened' | 'damaged' | 'foreign';

/** Works while the manager runs, or is stopped. Throws PTM_KEY_… or STORAGE_…. */
export async function checkPtm(config: PtmConfig, host: PtmHost): Promise<CheckReport> {
  const say = host.say ?? (() => undefined);
  const crypto = await loadEnclaveCrypto();
  const keys = await Promise.all(config.keys.map((source) => loadKey(source, crypto, host.env)));
  const enclave = new Enclave({ keys, forwardingKeys: [], crypto, entropy });
  const opened = await openStoreToRead(config, calendar, say, host.env ?? {});
  try {
    return await inspectStore(opened.store, new Inspection(enclave), say);
  } finally {
    await opened.close();
  }
}

/**
 * The manager must be stopped. Each completed step is durable; after an interruption, start again.
 * Throws PTM_CONFIG_INVALID, PTM_KEY_…, or STORAGE_….
 */
export async function repairPtm(
  config: PtmConfig,
  host: PtmHost,
  discard: readonly Discard[],
): Promise<RepairReport> {
  const parts = await composePtm(config, host);
  const { enclave, store, table, discovery, say } = parts;
  try {
    const inspection = new Inspection(enclave);
    const mender = new Mender(parts);
    const done = { ordered: 0, fetched: 0, discarded: 0 };
    let isSettled = false;
    for await (const [hash, payload] of payloadsOf(store, say)) {
      const condition = inspection.conditionOf(hash, payload);
      if (condition === 'whole') continue;
      if (condition === 'disordered' && payload) {
        if (await mender.order(hash, payload)) done.ordered++;
        continue;
      }
      if (condition !== 'foreign') {
        if (!isSettled) await discovery.settle();
        isSettled = true;
        if ((await mender.fetch(hash, payload)).length > 0) {
          done.fetched++;
          continue;
        }
      }
      if (!discard.includes(condition as Discard)) continue;
      await store.delete(hash);
      done.discarded++;
    }
    const peers = table.peers().filter((url) => table.isHeard(url)).length;
    return { ...done, peers, after: await inspectStore(store, inspection, say) };
  } finally {
    await parts.close();
  }
}

async function inspectStore(
  store: PayloadStore,
  inspection: Inspection,
  say: Log,
): Promise<CheckReport> {
  const [payloads, raw] = [emptyCounts(), emptyCounts()];
  const findings: Finding[] = [];
  const note = (counts: Counts, finding: Finding): void => {
    counts[finding.condition]++;
    if (finding.condition !== 'whole' && findings.length < LISTED_MAX) findings.push(finding);
  };
  for await (const [hash, payload] of payloadsOf(store, say)) {
    const condition = inspection.conditionOf(hash, payload);
    note(payloads, { kind: 'payload', hash, condition });
  }
  for (let page = await store.rawPage(PAGE_PAYLOADS); page.length > 0; ) {
    for (const [hash, one] of page) {
      const condition = inspection.conditionOfRaw(hash, one);
      note(raw, { kind: 'raw payload', hash, condition });
    }
    page = await store.rawPage(PAGE_PAYLOADS, page.at(-1)![0]);
  }
  return { payloads, raw, owedMissing: await countOwedMissing(store), findings };
}

/** All payloads, read page by page, with progress reports. */
async function* payloadsOf(
  store: PayloadStore,
  say: Log,
): AsyncGenerator<[PayloadHash, EncodedPayload | undefined]> {
  let count = 0;
  for (let page = await store.page(PAGE_PAYLOADS); page.length > 0; ) {
    for (const one of page) {
      yield one;
      if (++count % PROGRESS_PAYLOADS === 0) say('info', 'payloads checked', { count });
    }
    page = await store.page(PAGE_PAYLOADS, page.at(-1)![0]);
  }
}

async function countOwedMissing(store: PayloadStore): Promise<number> {
  let missing = 0;
  for (const recipient of await store.owedRecipients()) {
    for (const hash of await store.owedTo(recipient, OWED_MAX)) {
      if (!(await isHeld(store, hash))) missing++;
    }
  }
  return missing;
}

async function isHeld(store: PayloadStore, hash: PayloadHash): Promise<boolean> {
  try {
    return (await store.get(hash)) !== undefined;
  } catch {
    return true;
  }
}

function emptyCounts(): Counts {
  return Object.fromEntries(CONDITIONS.map((condition) => [condition, 0])) as Counts;
}
