/**
 * Payloads that this node sent or fetched in the last five minutes, and raw payloads that it stored
 * (GoQuorum private/engine/tessera/model.go).
 */
import { keyOf } from '../../core/base/bytes.ts';
import type { HeldPayload } from '../../core/privacy/inputs.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';

const EXPIRY_MS = 5 * 60_000;
const ENTRIES_MAX = 20_000;
const BYTES_MAX = 32 * 1024 * 1024;

interface Entry {
  readonly held: HeldPayload;
  readonly expiresMs: number;
}

/**
 * The oldest entries are removed first: by age, by count, by bytes. Answers of "not a party" are
 * never kept.
 */
export class PayloadCache {
  private readonly entries = new Map<string, Entry>();
  private readonly nowMs: () => number;
  private bytes = 0;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  get(hash: PayloadHash): HeldPayload | undefined {
    return this.live(keyOf(hash));
  }

  set(hash: PayloadHash, held: HeldPayload): void {
    this.put(keyOf(hash), held);
  }

  /** A raw payload that has not been sent yet. */
  getRaw(hash: PayloadHash): HeldPayload | undefined {
    return this.live(rawKey(hash));
  }

  setRaw(hash: PayloadHash, held: HeldPayload): void {
    this.put(rawKey(hash), held);
  }

  deleteRaw(hash: PayloadHash): void {
    this.drop(rawKey(hash));
  }

  private live(name: string): HeldPayload | undefined {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    if (entry.expiresMs > this.nowMs()) return entry.held;
    this.drop(name);
    return undefined;
  }

  private put(name: string, held: HeldPayload): void {
    this.drop(name);
    this.entries.set(name, { held, expiresMs: this.nowMs() + EXPIRY_MS });
    this.bytes += held.payload.length;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= ENTRIES_MAX && this.bytes <= BYTES_MAX) break;
      this.drop(oldest);
    }
  }

  private drop(name: string): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    this.bytes -= entry.held.payload.length;
    this.entries.delete(name);
  }
}

function rawKey(hash: PayloadHash): string {
  return `${keyOf(hash)}-incomplete`;
}
