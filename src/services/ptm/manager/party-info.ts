/**
 * Who has which key where: the table of peers, and its binary form between managers (Tessera
 * PartyInfoParser).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { PUBLIC_KEY_BYTES, type PublicKey } from '../../../core/privacy/payload.ts';
import { BinaryReader, BinaryWriter } from '../../../core/privacy/payload-binary.ts';
import { BATCH_VERSION } from './peers.ts';

const URL_CHARACTERS_MAX = 512;
/** Peers, and keys of one peer, that are remembered. */
const PARTIES_MAX = 1000;
/** After so long without a word a peer makes room, where the table is full, for one that speaks. */
const SILENT_MS_MAX = 24 * 60 * 60 * 1_000;
const KEYS_PER_PARTY_MAX = 1000;
const RECIPIENT_BYTES_MIN = 16;
const PARTY_URL = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/;

export interface PartyInfo {
  readonly url: string;
  readonly keys: readonly { readonly key: PublicKey; readonly url: string }[];
  readonly parties: readonly string[];
}

/** Ends with `/`, as Tessera spells URLs. Throws PTM_URL_INVALID. */
export function normalizeUrl(url: string): string {
  if (url.length > URL_CHARACTERS_MAX || !PARTY_URL.test(url)) {
    throw fail('PTM_URL_INVALID', 'invalid URL of a peer: it must be http(s)://host[:port]/');
  }
  return url.endsWith('/') ? url : `${url}/`;
}

export function encodePartyInfo(info: PartyInfo): Uint8Array {
  const out = new BinaryWriter().field(ascii(info.url)).count(info.keys.length);
  for (const { key, url } of info.keys) out.field(key).field(ascii(url));
  return out.fields(info.parties.map(ascii)).finish();
}

/** Throws PAYLOAD_INVALID or PTM_URL_INVALID. */
export function decodePartyInfo(bytes: Uint8Array): PartyInfo {
  const input = new BinaryReader(bytes);
  const url = normalizeUrl(text(input.field()));
  const count = input.count(RECIPIENT_BYTES_MIN);
  const keys: { key: PublicKey; url: string }[] = [];
  for (let i = 0; i < count; i++) {
    const key = input.field();
    const keyUrl = normalizeUrl(text(input.field()));
    if (key.length !== PUBLIC_KEY_BYTES) {
      throw fail('PAYLOAD_INVALID', 'party info holds a key of wrong size');
    }
    keys.push({ key: key.slice(), url: keyUrl });
  }
  const parties = input.fields().map((party) => normalizeUrl(text(party)));
  return { url, keys, parties };
}

interface Party {
  readonly url: string;
  keys: readonly PublicKey[];
  versions: ReadonlySet<string>;
  /** Undefined: only heard of from others. */
  contactMs: number | undefined;
}

export interface PartyTableOptions {
  readonly ownUrl: string;
  readonly ownKeys: readonly PublicKey[];
  readonly configured: readonly string[];
  /** `disablePeerDiscovery`: nobody but the configured peers. */
  readonly discovery: boolean;
}

/**
 * Peers by URL, and the URL of each key. A peer speaks for keys at its own URL only. One that is away keeps its keys, so that
 * payloads can be owed to it; nothing goes with time alone.
 */
export class PartyTable {
  private listening: string;
  private readonly ownKeys: readonly PublicKey[];
  private readonly ownNames: ReadonlySet<string>;
  private readonly configured: ReadonlySet<string>;
  private readonly discovery: boolean;
  private readonly parties = new Map<string, Party>();
  private readonly urls = new Map<string, string>();
  /** When any peer spoke last. */
  private heardMs = 0;

  constructor(options: PartyTableOptions) {
    this.listening = normalizeUrl(options.ownUrl);
    this.ownKeys = options.ownKeys;
    this.ownNames = new Set(options.ownKeys.map(keyOf));
    this.configured = new Set(options.configured.map(normalizeUrl));
    this.discovery = options.discovery;
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

  /** Where a key's manager is. Throws PTM_RECIPIENT_NOT_FOUND. */
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

  versions(url: string): ReadonlySet<string> {
    return this.parties.get(url)?.versions ?? new Set();
  }

  takesBatches(url: string): boolean {
    return this.versions(url).has(BATCH_VERSION);
  }

  /** Peers to exchange with. */
  peers(): string[] {
    return [...this.parties.keys()].filter((url) => url !== this.ownUrl);
  }

  /** Its place among `peers`. Throws PTM_URL_INVALID, or PTM_BUSY when the table is full. */
  addPeer(url: string): number {
    const normal = normalizeUrl(url);
    this.addSpeaking(normal);
    const index = this.peers().indexOf(normal);
    if (index < 0) throw fail('PTM_BUSY', 'the peer is this manager, or too many are known');
    return index;
  }

  keysAt(url: string): readonly PublicKey[] {
    return this.parties.get(url)?.keys ?? [];
  }

  /** Whether this peer has spoken to us before. */
  contacted(url: string): boolean {
    return this.parties.get(url)?.contactMs !== undefined;
  }

  /** Whether party info of this sender is taken at all. */
  accepts(url: string): boolean {
    return url !== this.ownUrl && (this.discovery || this.configured.has(url));
  }

  /** Keys in it that are known at another URL: they move only after the new URL has proven them. */
  disputed(info: PartyInfo): PublicKey[] {
    return this.claimed(info).filter((key) => {
      const known = this.urls.get(keyOf(key));
      return known !== undefined && known !== info.url;
    });
  }

  /** Keys that the sender claims for its own URL, our own ones left out. */
  claimed(info: PartyInfo): PublicKey[] {
    return info.keys
      .filter(({ key, url }) => url === info.url && !this.ownNames.has(keyOf(key)))
      .slice(0, KEYS_PER_PARTY_MAX)
      .map(({ key }) => key);
  }

  /** Takes over what a peer says of itself (`keys`, already checked) and the URLs that it knows. */
  update(
    info: PartyInfo,
    keys: readonly PublicKey[],
    versions: readonly string[] | undefined,
    nowMs: number,
  ): void {
    this.heardMs = Math.max(this.heardMs, nowMs);
    const party = this.addSpeaking(info.url);
    if (!party) return;
    party.contactMs = nowMs;
    if (versions) party.versions = new Set(versions);
    const names = new Set(keys.map(keyOf));
    for (const old of party.keys) {
      const name = keyOf(old);
      if (!names.has(name) && this.urls.get(name) === info.url) this.urls.delete(name);
    }
    party.keys = keys;
    for (const name of names) this.urls.set(name, info.url);
    if (this.discovery) for (const url of info.parties) this.add(url);
  }

  learnVersions(url: string, versions: readonly string[]): void {
    const party = this.parties.get(url);
    if (party) party.versions = new Set(versions);
  }

  /** What we tell others: our own keys, and every URL we know. */
  own(): PartyInfo {
    return {
      url: this.ownUrl,
      keys: this.ownKeys.map((key) => ({ key, url: this.ownUrl })),
      parties: [this.ownUrl, ...this.peers()],
    };
  }

  /** As `GET /partyinfo` shows it. */
  describe(): {
    url: string;
    peers: { url: string; lastContact?: string }[];
    keys: { key: string; url: string }[];
  } {
    const keys = this.ownKeys.map((key) => ({ key: toBase64(key), url: this.ownUrl }));
    for (const party of this.parties.values()) {
      for (const key of party.keys) keys.push({ key: toBase64(key), url: party.url });
    }
    const peers = [...this.parties.values()].map(({ url, contactMs }) =>
      contactMs === undefined ? { url } : { url, lastContact: new Date(contactMs).toISOString() },
    );
    return { url: this.ownUrl, peers, keys };
  }

  private addSpeaking(url: string): Party | undefined {
    if (this.parties.size >= PARTIES_MAX && !this.parties.has(url)) this.makeRoom();
    return this.add(url);
  }

  /** Hearsay goes first; whoever spoke within a day, or is configured, stays. */
  private makeRoom(): void {
    const others = [...this.parties.values()].filter(({ url }) => !this.configured.has(url));
    const gone =
      others.find(({ contactMs }) => contactMs === undefined) ??
      others.find(({ contactMs }) => this.heardMs - contactMs! > SILENT_MS_MAX);
    if (!gone) return;
    this.parties.delete(gone.url);
    for (const key of gone.keys) {
      const name = keyOf(key);
      if (this.urls.get(name) === gone.url) this.urls.delete(name);
    }
  }

  private add(url: string): Party | undefined {
    const known = this.parties.get(url);
    if (known || url === this.ownUrl || this.parties.size >= PARTIES_MAX) return known;
    const party: Party = { url, keys: [], versions: new Set(), contactMs: undefined };
    this.parties.set(url, party);
    return party;
  }
}

function ascii(value: string): Uint8Array {
  const bytes = new Uint8Array(value.length);
  for (let i = 0; i < value.length; i++) bytes[i] = value.charCodeAt(i);
  return bytes;
}

/** URLs are ASCII; a byte beyond it never passes `normalizeUrl`'s caller as another URL. */
function text(bytes: Uint8Array): string {
  if (bytes.length > URL_CHARACTERS_MAX || bytes.some((byte) => byte < 0x21 || byte > 0x7e)) {
    throw fail('PTM_URL_INVALID', 'invalid URL of a peer: it must be http(s)://host[:port]/');
  }
  let out = '';
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}
