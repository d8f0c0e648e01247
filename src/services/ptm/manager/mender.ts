/**
 * Repairs payloads of ours that do not open or cannot be read: puts boxes back in order, and
 * requests the rest from the peers. A peer sends a payload to any manager that proves its key.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { hasCode } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { type EncodedPayload, hasKey, type PublicKey } from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { Arrivals } from './arrivals.ts';
import type { Enclave } from './enclave.ts';
import type { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';
import type { PayloadStore } from './store.ts';

/** Most managers asked for one payload and key. */
const ASKED_MAX = 64;

export interface MenderOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly say: Log;
}

export class Mender {
  private readonly options: MenderOptions;
  private readonly arrivals: Arrivals;

  constructor(options: MenderOptions) {
    this.options = options;
    this.arrivals = new Arrivals(options.enclave);
  }

  /**
   * Removes the boxes that do not open from a payload that does. False: it was in order, or it does
   * not open.
   */
  async order(hash: PayloadHash, payload: EncodedPayload): Promise<boolean> {
    const opened = this.options.enclave.open(payload);
    const ordered = opened && this.arrivals.inOrder(payload, opened.masterKey);
    if (!ordered || ordered === payload) return false;
    await this.options.store.put(hash, ordered);
    return true;
  }

  /**
   * Fetches a payload from the peers and replaces the stored one. `held`: what is known of it, to
   * choose which peers to ask first. Resolves with the URLs that sent it; empty: no peer has it for
   * one of our keys.
   */
  async fetch(hash: PayloadHash, held: EncodedPayload | undefined): Promise<string[]> {
    const { store, say } = this.options;
    const given: string[] = [];
    let whole: EncodedPayload | undefined;
    for (const key of this.keysFor(held)) {
      for (const url of this.askedFor(held)) {
        const arrived = await this.fetchFrom(url, hash, key);
        if (!arrived) continue;
        try {
          whole = this.arrivals.merge(whole, arrived) ?? whole;
          given.push(url);
          break;
        } catch (error) {
          if (!hasCode(error, 'PTM_PAYLOAD_CONFLICT')) throw error;
          say('warn', 'peers hold two payloads with the same hash', { hash: toBase64(hash), url });
        }
      }
    }
    if (whole) await store.put(hash, whole);
    return given;
  }

  /**
   * Fetches a payload from one peer, for one of our keys. False: the peer does not send it, or it
   * does not open.
   */
  async take(url: string, key: PublicKey, hash: PayloadHash): Promise<boolean> {
    const arrived = await this.fetchFrom(url, hash, key);
    if (!arrived) return false;
    await this.options.store.merge(hash, (known) => this.arrivals.merge(known, arrived));
    return true;
  }

  /** Our keys that the payload may be for. */
  private keysFor(held: EncodedPayload | undefined): PublicKey[] {
    const { publicKeys } = this.options.enclave;
    const named = publicKeys.filter(
      (key) => held && (hasKey(held.recipientKeys, key) || equalBytes(held.senderKey, key)),
    );
    return named.length > 0 ? named : [...publicKeys];
  }

  /** URLs in the order to ask: its sender's manager, its recipients', then all others. */
  private askedFor(held: EncodedPayload | undefined): string[] {
    const { table } = this.options;
    const keys = held ? [held.senderKey, ...held.recipientKeys.slice(0, ASKED_MAX)] : [];
    const known = keys.filter((key) => table.knows(key)).map((key) => table.locate(key));
    return [...new Set([...known, ...table.peers()])].slice(0, ASKED_MAX);
  }

  private async fetchFrom(
    url: string,
    hash: PayloadHash,
    key: PublicKey,
  ): Promise<EncodedPayload | undefined> {
    const { enclave, wire, say } = this.options;
    try {
      const bytes = await wire.resendOne(url, key, hash);
      if (!bytes) return undefined;
      const arrived = this.arrivals.admit(decodePayload(bytes), true);
      return equalBytes(enclave.hash(arrived), hash) ? arrived : undefined;
    } catch (error) {
      say('debug', 'a peer does not send a payload again', { url, error: String(error) });
      return undefined;
    }
  }
}
