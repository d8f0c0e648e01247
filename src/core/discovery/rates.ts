/**
 * Limits the packets that are examined, per source and in total, before their signatures are
 * verified.
 */
import { isIpv4, parseIp } from '../base/ip-address.ts';
import { Lru } from '../base/lru.ts';
import {
  PACKETS_BURST_MAX,
  PACKETS_PER_SECOND_MAX,
  PROOFS_BURST_MAX,
  PROOFS_PER_SECOND_MAX,
  SOURCE_PACKETS_BURST_MAX,
  SOURCE_PACKETS_PER_SECOND_MAX,
  SOURCES_MAX,
} from './limits.ts';

class Allowance {
  private readonly perSecond: number;
  private readonly burst: number;
  private left: number;
  private atMs: number | undefined;

  constructor(perSecond: number, burst: number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.left = burst;
  }

  take(nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - (this.atMs ?? nowMs));
    this.left = Math.min(this.burst, this.left + (passedMs * this.perSecond) / 1_000);
    this.atMs = nowMs;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}

export class Rates {
  private readonly all = new Allowance(PACKETS_PER_SECOND_MAX, PACKETS_BURST_MAX);
  private readonly proofs = new Allowance(PROOFS_PER_SECOND_MAX, PROOFS_BURST_MAX);
  private readonly sources = new Lru<string, Allowance>(SOURCES_MAX);

  /** Whether a packet from this address is examined. */
  mayRead(ip: string, nowMs: number): boolean {
    const source = sourceOf(ip);
    let own = this.sources.get(source);
    if (!own) {
      own = new Allowance(SOURCE_PACKETS_PER_SECOND_MAX, SOURCE_PACKETS_BURST_MAX);
      this.sources.set(source, own);
    }
    // The source's limit comes first: a source that floods must not use up the limit for all.
    return own.take(nowMs) && this.all.take(nowMs);
  }

  /** Whether to ping a sender whose address is not proven. */
  mayAskForProof(nowMs: number): boolean {
    return this.proofs.take(nowMs);
  }
}

function sourceOf(ip: string): string {
  const bytes = parseIp(ip);
  return bytes && !isIpv4(bytes) ? bytes.subarray(0, 8).join('.') : ip;
}
