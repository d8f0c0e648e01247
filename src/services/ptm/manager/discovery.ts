/**
 * Exchanges party info with peers, and proves keys by challenge where that is asked for (Tessera
 * PartyInfoResource).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Entropy, Log, Timer, Timers } from '../../../core/ports.ts';
import type { PublicKey } from '../../../core/privacy/payload.ts';
import { decodePayload } from '../../../core/privacy/payload-decode.ts';
import { encodeLegacy } from '../../../core/privacy/payload-legacy.ts';
import type { Enclave } from './enclave.ts';
import { decodePartyInfo, encodePartyInfo, type PartyInfo, type PartyTable } from './party-info.ts';
import { BATCH_VERSION, type PeerWire } from './peers.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_BYTES = 16;
/** An unknown recipient makes us ask around, at most this often. */
const SEARCH_INTERVAL_MS = 1_000;
const SETTLE_ROUNDS_MAX = 16;

export interface DiscoveryOptions {
  readonly table: PartyTable;
  readonly enclave: Enclave;
  readonly wire: PeerWire;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly entropy: Entropy;
  readonly say: Log;
  readonly intervalMs: number;
  /** `features.enableRemoteKeyValidation`: every key is proven before it is taken. */
  readonly validateKeys: boolean;
  /** A peer answered or spoke to us. */
  readonly onHeard: (url: string) => void;
}

export class Discovery {
  private readonly options: DiscoveryOptions;
  private timer: Timer | undefined;
  private searchedMs = Number.NEGATIVE_INFINITY;
  private searching: Promise<void> | undefined;
  private stopped = false;

  constructor(options: DiscoveryOptions) {
    this.options = options;
  }

  start(): void {
    void this.round();
  }

  /** Exchanges with all peers, and with those that they tell of, until nobody new is heard of. */
  async settle(): Promise<void> {
    for (let round = 0; round < SETTLE_ROUNDS_MAX; round++) {
      const before = this.options.table.peers().length;
      await this.exchangeAll();
      if (this.options.table.peers().length === before) return;
    }
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  /** Asks all peers once more when a key is unknown, so that a network that is just starting needs no luck. */
  async search(keys: readonly PublicKey[]): Promise<void> {
    const { table, enclave, clock } = this.options;
    if (keys.every((key) => enclave.owns(key) || table.knows(key))) return;
    if (this.searching) return this.searching;
    if (clock.nowMs() - this.searchedMs < SEARCH_INTERVAL_MS) return;
    this.searchedMs = clock.nowMs();
    this.searching = this.exchangeAll().finally(() => {
      this.searching = undefined;
    });
    return this.searching;
  }

  /** A peer's POST /partyinfo. Our answer: everything to our own kind, to Tessera as little as Tessera says. */
  async receive(body: Uint8Array, versions: readonly string[]): Promise<Uint8Array> {
    const { table } = this.options;
    const info = decodePartyInfo(body);
    if (!table.accepts(info.url)) {
      throw fail('PTM_PEER_UNKNOWN', `Peer ${info.url} not found in known peer list`);
    }
    const contacted = table.contacted(info.url);
    await this.take(info, versions);
    if (versions.includes(BATCH_VERSION)) return encodePartyInfo(table.own());
    // A newcomer learns us at once instead of at our next round.
    if (!contacted && table.contacted(info.url)) void this.exchange(info.url);
    if (this.options.validateKeys) return new Uint8Array(0);
    return encodePartyInfo({ url: table.ownUrl, keys: [], parties: [] });
  }

  /** A peer's challenge: the clear text when it is a UUID, else PTM_REQUEST_INVALID, so that nobody decrypts through us. */
  answerChallenge(body: Uint8Array): string {
    const payload = decodePayload(body);
    const key = payload.recipientKeys[0];
    const opened =
      key && this.options.enclave.owns(key) && this.options.enclave.decrypt(payload, key);
    const text = opened ? String.fromCharCode(...opened.subarray(0, 64)) : '';
    if (!UUID.test(text)) throw fail('PTM_REQUEST_INVALID', 'the challenge holds no UUID');
    return text;
  }

  private async round(): Promise<void> {
    await this.exchangeAll();
    if (this.stopped) return;
    this.timer = this.options.timers.set(this.options.intervalMs, () => void this.round());
  }

  private async exchangeAll(): Promise<void> {
    await Promise.all(this.options.table.peers().map((url) => this.exchange(url)));
  }

  private async exchange(url: string): Promise<void> {
    const { table, wire, say } = this.options;
    if (this.stopped) return;
    try {
      const answer = await wire.partyInfo(url, encodePartyInfo(table.own()));
      if (answer.versions) table.learnVersions(url, answer.versions);
      if (answer.versions?.includes(BATCH_VERSION) && answer.body.length > 0) {
        const info = decodePartyInfo(answer.body);
        if (info.url === url) return await this.take(info, answer.versions);
      }
      this.options.onHeard(url);
    } catch (error) {
      say('debug', 'no party info exchange with a peer', { url, error: String(error) });
    }
  }

  private async take(info: PartyInfo, versions: readonly string[]): Promise<void> {
    const { table, validateKeys, clock, onHeard } = this.options;
    const claimed = table.claimed(info);
    const doubtful = validateKeys ? claimed : table.disputed(info);
    const refused = new Set<string>();
    for (const key of doubtful) {
      if (!(await this.proves(info.url, key))) refused.add(keyOf(key));
    }
    const keys = claimed.filter((key) => !refused.has(keyOf(key)));
    if (validateKeys && keys.length === 0) {
      throw fail('PTM_PEER_UNPROVEN', `No validated keys found for peer ${info.url}`);
    }
    table.update(info, keys, versions.length > 0 ? versions : undefined, clock.nowMs());
    onHeard(info.url);
  }

  private async proves(url: string, key: PublicKey): Promise<boolean> {
    const { enclave, wire, entropy, say } = this.options;
    const secret = uuid(entropy.bytes(UUID_BYTES));
    const message = Uint8Array.from(secret, (character) => character.charCodeAt(0));
    try {
      const challenge = enclave.encrypt(message, enclave.defaultKey(), [key]);
      if ((await wire.validate(url, encodeLegacy(challenge))) === secret) return true;
    } catch {
      // Unreachable, or not a key at all: not proven.
    }
    say('warn', 'a peer claims a key that it does not prove', { url, key: toBase64(key) });
    return false;
  }
}

function uuid(random: Uint8Array): string {
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const version = `4${hex.slice(13, 16)}`;
  const variant = `a${hex.slice(17, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join('-');
}
