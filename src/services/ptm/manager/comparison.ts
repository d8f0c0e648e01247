/**
 * Compares with the peers: asks each which payloads it shares with our keys, and fetches missing
 * ones. If one of our private states and one of the peer's result from the same payloads, it also
 * compares their roots; and the digests of transactions that depend only on payloads that both
 * have.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes, keyOf } from '../../../core/base/bytes.ts';
import { hasCode } from '../../../core/base/errors.ts';
import type { Log, Metrics, Timer, Timers } from '../../../core/base/ports.ts';
import { hasKey, type PublicKey } from '../../../core/payload/payload.ts';
import type {
  MissingPayload,
  PayloadDigest,
  PeerComparison,
  StateRoots,
} from '../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { Enclave } from './enclave.ts';
import type { LateArrivals } from './late-arrivals.ts';
import { Mender } from './mender.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import { PREFIX_DIGITS_MAX, type SharedPayloads } from './shared-payloads.ts';
import type { PayloadStore } from './store.ts';

const FIRST_MS = 5_000;
const INTERVAL_MS = 60 * 60_000;
/** Delay of the next comparison when a peer did not answer. */
const RETRY_MS = 60_000;
const MISSING_MAX = 1_000;
const HEX_DIGITS = [...'0123456789abcdef'];

interface Difference {
  readonly number: number;
  readonly peer: string;
  readonly psi: string | undefined;
  /** undefined: the whole state differs. */
  readonly payload: PayloadHash | undefined;
  /** Our root at that block, or our digest of the transaction, when they were compared. */
  readonly own: Uint8Array;
}

export interface ComparisonOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly shared: SharedPayloads;
  readonly late: LateArrivals;
  readonly timers: Timers;
  readonly metrics: Metrics;
  readonly say: Log;
}

export class Comparison {
  private readonly options: ComparisonOptions;
  private readonly mender: Mender;
  private missing: readonly MissingPayload[] = [];
  private differing: readonly Difference[] = [];
  /** The private states that our own node reported. */
  private ownStates: readonly StateRoots[] = [];
  private running: Promise<boolean> | undefined;
  private timer: Timer | undefined;
  private isStopped = false;

  constructor(options: ComparisonOptions) {
    this.options = options;
    this.mender = new Mender(options);
  }

  start(): void {
    this.after(FIRST_MS);
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  /** Stores the node's current report; drops differences with a state that was rebuilt since. */
  note(states: readonly StateRoots[]): void {
    this.ownStates = states;
    this.differing = this.differing.filter((difference) => this.stands(difference));
  }

  private stands({ number, psi, payload, own }: Difference): boolean {
    const { roots = [], digests = [] } = this.ownStates.find((state) => state.psi === psi) ?? {};
    if (payload) return digests.some((each) => isOf(each, payload) && equalBytes(each.digest, own));
    return roots.some((each) => each.number === number && equalBytes(each.root, own));
  }

  /**
   * For the holder of `key`: the private states all of whose payloads it is party to. The names of
   * the states are not disclosed.
   */
  async statesFor(key: PublicKey): Promise<StateRoots[]> {
    const { table, shared } = this.options;
    const known = table.knows(key) ? table.keysAt(table.locate(key)) : [];
    const keys = [key, ...known];
    const are = await shared.areAllOf(this.ownStates.map((own) => ({ own: own.keys, keys })));
    return this.ownStates
      .filter((_, at) => are[at])
      .map(({ psi: _psi, digests: _digests, ...told }) => told);
  }

  /** For the holder of `key`: digests of transactions that depend only on payloads that it has. */
  digestsFor(key: PublicKey): PayloadDigest[] {
    return this.ownDigests()
      .map(({ digest }) => digest)
      .filter(({ parties }) => hasKey(parties, key));
  }

  private ownDigests() {
    return this.ownStates.flatMap(({ psi, digests = [] }) =>
      digests.map((digest) => ({ psi, digest })),
    );
  }

  get outcome(): PeerComparison {
    const { missing, differing } = this;
    const told = differing.map(({ own: _, ...rest }) => rest);
    return { arrivals: this.options.late.mark, missing, differing: told };
  }

  /** Resolves with false when a peer did not answer. Concurrent calls share one run. */
  run(): Promise<boolean> {
    this.running ??= this.compare().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private after(ms: number): void {
    this.timer = this.options.timers.set(ms, () => void this.round());
  }

  private async round(): Promise<void> {
    const isComplete = await this.run().catch((error: unknown) => {
      this.options.say('warn', 'could not compare with the peers', { error: String(error) });
      return false;
    });
    if (!this.isStopped) this.after(isComplete ? INTERVAL_MS : RETRY_MS);
  }

  private async compare(): Promise<boolean> {
    const { table, enclave, metrics } = this.options;
    const missing: MissingPayload[] = [];
    const differing: Difference[] = [];
    let isComplete = true;
    for (const url of table.peers()) {
      if (this.isStopped) return true;
      if (!table.isHeard(url)) isComplete = false;
      if (!table.isHeard(url) || !table.takesBatches(url)) continue;
      try {
        for (const key of enclave.publicKeys) {
          missing.push(...(await this.missingAt(url, key, '')));
        }
        differing.push(...(await this.differingAt(url)));
        differing.push(...(await this.digestsDifferingAt(url)));
      } catch (error) {
        if (!hasCode(error, 'PTM_PEER_OFFLINE')) throw error;
        isComplete = false;
      }
    }
    this.missing = missing.slice(0, MISSING_MAX);
    this.differing = differing;
    metrics.gauge('ptm_payloads_missing', this.missing.length);
    metrics.gauge('ptm_peers_differing', new Set(differing.map(({ peer }) => peer)).size);
    return isComplete;
  }

  /**
   * Payloads that a peer shares with `key`, that are missing here, and that the peer did not send.
   */
  private async missingAt(url: string, key: PublicKey, prefix: string): Promise<MissingPayload[]> {
    const { wire } = this.options;
    const shared = await wire.shared(url, key, prefix);
    if (shared === 'tooMany') {
      if (prefix.length === PREFIX_DIGITS_MAX) return [];
      const parts: MissingPayload[] = [];
      for (const digit of HEX_DIGITS) {
        parts.push(...(await this.missingAt(url, key, prefix + digit)));
      }
      return parts;
    }
    const missing: MissingPayload[] = [];
    for (const hash of shared ?? []) {
      if (await this.holds(hash)) continue;
      if (await this.fetch(url, key, hash)) continue;
      if (missing.length < MISSING_MAX) missing.push({ hash, peer: url });
    }
    return missing;
  }

  /** A damaged payload counts as held: `quorate ptm check` reports it. */
  private async holds(hash: PayloadHash): Promise<boolean> {
    try {
      return (await this.options.store.get(hash)) !== undefined;
    } catch (error) {
      if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
      return true;
    }
  }

  private async fetch(url: string, key: PublicKey, hash: PayloadHash): Promise<boolean> {
    const { say, late, metrics } = this.options;
    const fields = { hash: toBase64(hash), peer: url };
    if (!(await this.mender.take(url, key, hash))) {
      say(
        'warn',
        'a payload is missing: a peer says that it is for this manager, but does not send it',
        fields,
      );
      return false;
    }
    late.fetched();
    metrics.count('ptm_payloads_fetched_total');
    say('warn', 'a payload was missing, and a peer sent it again', fields);
    return true;
  }

  /** Blocks at which two private states differ although they result from the same payloads. */
  private async differingAt(url: string): Promise<Difference[]> {
    const { table, shared, wire, enclave } = this.options;
    const keys = table.keysAt(url);
    // A peer that lacks payloads of each of our states is not asked.
    const may = await shared.areAllOf(this.ownStates.map((own) => ({ own: own.keys, keys })));
    const own = this.ownStates.filter(({ roots }, at) => may[at] && roots.length > 0);
    if (own.length === 0) return [];
    const proven = new Set(keys.map(keyOf));
    const theirs = ((await wire.roots(url, enclave.defaultKey())) ?? []).filter((state) =>
      (state.keys ?? []).every((key) => proven.has(keyOf(key))),
    );
    const pairs = own.flatMap((ours) => theirs.map((state) => ({ ours, state })));
    const same = await shared.areAllOf(
      pairs.map(({ ours, state }) => ({ own: ours.keys, keys: state.keys ?? keys })),
      true,
    );
    const found = pairs
      .filter((_, at) => same[at])
      .flatMap(({ ours, state }) => differencesOf(ours, state, url))
      .sort((a, b) => a.number - b.number);
    this.sayFirst(found);
    return found;
  }

  /** Transactions that depend only on payloads of both sides, with another digest at the peer. */
  private async digestsDifferingAt(url: string): Promise<Difference[]> {
    const { table, wire, enclave } = this.options;
    const proven = table.keysAt(url);
    const own = this.ownDigests().filter(({ digest: { parties } }) =>
      proven.some((key) => hasKey(parties, key)),
    );
    if (own.length === 0) return [];
    const told = new Map<string, Uint8Array>();
    for (const key of enclave.publicKeys) {
      for (const { payload, digest } of (await wire.digests(url, key)) ?? [])
        told.set(keyOf(payload), digest);
    }
    const found = own.flatMap(({ psi, digest: { number, payload, digest } }) => {
      const theirs = told.get(keyOf(payload));
      if (!theirs || equalBytes(theirs, digest)) return [];
      return [{ number, peer: url, psi, payload, own: digest }];
    });
    this.sayFirst(found);
    return found;
  }

  private sayFirst([first]: readonly Difference[]): void {
    if (!first) return;
    const { peer, number, psi, payload } = first;
    const fields = {
      ...{ peer, block: number, ...(psi ? { psi } : {}) },
      ...(payload ? { payload: toBase64(payload) } : {}),
    };
    this.options.say(
      'error',
      'a peer that is party to the same payloads has a different private state',
      fields,
    );
  }
}

function isOf(digest: PayloadDigest, payload: PayloadHash): boolean {
  return equalBytes(digest.payload, payload);
}

function differencesOf(ours: StateRoots, theirs: StateRoots, peer: string): Difference[] {
  const roots = new Map(theirs.roots.map(({ number, root }) => [number, root]));
  return ours.roots.flatMap(({ number, root: own }) => {
    const root = roots.get(number);
    return root && !equalBytes(own, root)
      ? [{ number, peer, psi: ours.psi, payload: undefined, own }]
      : [];
  });
}
