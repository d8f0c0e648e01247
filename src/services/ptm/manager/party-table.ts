/** The known peers, and the manager's URL of each key. */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { normalizeUrl, type PartyInfo } from './party-info.ts';
import { BATCH_VERSION } from './peers.ts';

const PARTIES_MAX = 1000;
/** In a full table a peer silent for this long is replaced by one that answers. */
const SILENT_MS_MAX = 24 * 60 * 60 * 1_000;

interface Party {
  readonly url: string;
  /** Keys proven at this URL. */
  keys: readonly PublicKey[];
  versions: ReadonlySet<string>;
  /** When it last answered; undefined: never. */
  contactMs: number | undefined;
  /** Whether it answered the last request. */
  isHeard: boolean;
}

export interface PartyTableOptions {
  readonly ownUrl: string;
  readonly ownKeys: readonly PublicKey[];
  readonly configured: readonly string[];
  /** Whether peers other than the configured ones are contacted. */
  readonly discovery: boolean;
  /** Monotonic. */
  readonly clock: Clock;
  /** Wall clock, for display. */
  readonly calendar: Clock;
}

/**
 * Peers by URL, and the URL of each key: configured peers, and those that confirmed themselves. An
 * absent peer keeps its keys, so that payloads can be owed to it; nothing expires with time alone.
 */
export class PartyTable {
  readonly discovers: boolean;
  private listening: string;
  private readonly options: PartyTableOptions;
  private readonly ownNames: ReadonlySet<string>;
  private readonly configured: Set<string>;
  private readonly parties = new Map<string, Party>();
  private readonly urls = new Map<string, string>();

  constructor(options: PartyTableOptions) {
    this.options = options;
    this.listening = normalizeUrl(options.ownUrl);
    this.ownNames = new Set(options.ownKeys.map(keyOf));
    this.configured = new Set(options.configured.map(normalizeUrl));
    this.discovers = options.discovery;
    for (const url of this.configured) this.add(url);
  }

  get ownUrl(): string {
    return this.listening;
  }

  /** The URL that peers reach us at, once it is known. */
  announce(url: string): void {
    this.listening = normalizeUrl(url);
    this.parties.delete(this.listening);
  }

  /** The URL of a key's manager. Throws PTM_RECIPIENT_NOT_FOUND. */
  locate(key: PublicKey): string {
    const url = this.urls.get(keyOf(key));
    if (url === undefined) {
      throw fail('PTM_RECIPIENT_NOT_FOUND', `Recipient not found for key: ${toBase64(key)}`);
    }
    return url;
  }

  knows(key: PublicKey): boolean {
    return this.urls.has(keyOf(key));
  }

  has(url: string): boolean {
    return this.parties.has(url);
  }

  versions(url: string): ReadonlySet<string> {
    return this.parties.get(url)?.versions ?? new Set();
  }

  takesBatches(url: string): boolean {
    return this.versions(url).has(BATCH_VERSION);
  }

  /** URLs of the peers to exchange party info with. */
  peers(): string[] {
    return [...this.parties.keys()].filter((url) => url !== this.ownUrl);
  }

  /**
   * Adds a peer for the operator. Returns its position in `peers`. Throws PTM_URL_INVALID, or
   * PTM_BUSY when the table is full.
   */
  addPeer(url: string): number {
    const normal = normalizeUrl(url);
    this.configured.add(normal);
    this.add(normal);
    const index = this.peers().indexOf(normal);
    if (index < 0) throw fail('PTM_BUSY', 'the peer is this manager, or too many are known');
    return index;
  }

  keysAt(url: string): readonly PublicKey[] {
    return this.parties.get(url)?.keys ?? [];
  }

  /** Whether this peer answered the last request. */
  isHeard(url: string): boolean {
    return this.parties.get(url)?.isHeard ?? false;
  }

  /** Whether party info in this URL's name is considered at all. */
  accepts(url: string): boolean {
    return url !== this.ownUrl && (this.discovers || this.configured.has(url));
  }

  hasRoom(): boolean {
    return this.parties.size < PARTIES_MAX || this.silentParty() !== undefined;
  }

  /** Stores a peer's answer, with proven keys. False: the table is full. */
  update(
    url: string,
    keys: readonly PublicKey[],
    versions: readonly string[] | undefined,
  ): boolean {
    const party = this.add(url);
    if (!party) return false;
    party.contactMs = this.options.clock.nowMs();
    party.isHeard = true;
    if (versions) party.versions = new Set(versions);
    const foreign = keys.filter((key) => !this.ownNames.has(keyOf(key)));
    const names = new Set(foreign.map(keyOf));
    for (const old of party.keys) {
      const name = keyOf(old);
      if (!names.has(name) && this.urls.get(name) === url) this.urls.delete(name);
    }
    party.keys = foreign;
    for (const name of names) this.urls.set(name, url);
    return true;
  }

  /** Records that a peer did not answer. */
  missed(url: string): void {
    const party = this.parties.get(url);
    if (party) party.isHeard = false;
  }

  /** What we report to peers: our own keys, and every URL that answered or is configured. */
  own(): PartyInfo {
    return {
      url: this.ownUrl,
      keys: this.options.ownKeys.map((key) => ({ key, url: this.ownUrl })),
      parties: [this.ownUrl, ...this.peers()],
    };
  }

  /** The table in the form of `GET /partyinfo`. */
  describe(): {
    url: string;
    peers: { url: string; lastContact?: string }[];
    keys: { key: string; url: string }[];
  } {
    const { ownKeys, clock, calendar } = this.options;
    const bootMs = calendar.nowMs() - clock.nowMs();
    const keys = ownKeys.map((key) => ({ key: toBase64(key), url: this.ownUrl }));
    for (const party of this.parties.values()) {
      for (const key of party.keys) keys.push({ key: toBase64(key), url: party.url });
    }
    const peers = [...this.parties.values()].map(({ url, contactMs }) =>
      contactMs === undefined
        ? { url }
        : { url, lastContact: new Date(bootMs + contactMs).toISOString() },
    );
    return { url: this.ownUrl, peers, keys };
  }

  /** A peer that may be replaced: not configured, and silent for a day. */
  private silentParty(): Party | undefined {
    const nowMs = this.options.clock.nowMs();
    return [...this.parties.values()].find(
      ({ url, contactMs }) =>
        !this.configured.has(url) && nowMs - (contactMs ?? nowMs) > SILENT_MS_MAX,
    );
  }

  private forget(gone: Party): void {
    this.parties.delete(gone.url);
    for (const key of gone.keys) {
      const name = keyOf(key);
      if (this.urls.get(name) === gone.url) this.urls.delete(name);
    }
  }

  private add(url: string): Party | undefined {
    const known = this.parties.get(url);
    if (known || url === this.ownUrl) return known;
    if (this.parties.size >= PARTIES_MAX) {
      const gone = this.silentParty();
      if (!gone) return undefined;
      this.forget(gone);
    }
    const party: Party = {
      url,
      keys: [],
      versions: new Set(),
      contactMs: undefined,
      isHeard: false,
    };
    this.parties.set(url, party);
    return party;
  }
}
