/**
 * What a leader knows about a member's log, and how it sends entries: probing, streaming, or
 * waiting for a snapshot to arrive.
 */

/** Maximum of unacknowledged appends per member. */
const INFLIGHT_MAX = 256;

export type ProgressState = 'probe' | 'replicate' | 'snapshot';

export class Progress {
  /** Highest index up to which the logs are known to agree. */
  match: number;
  /** Index of the next entry to send. */
  next: number;
  state: ProgressState = 'probe';
  /** Whether the member sent anything since the last check of the quorum. */
  isRecentlyActive = false;
  private isProbeOut = false;
  private pendingSnapshot = 0;
  /** Last index of each unacknowledged append. */
  private inflight: number[] = [];

  constructor(match: number, next: number) {
    this.match = match;
    this.next = next;
  }

  get isPaused(): boolean {
    if (this.state === 'replicate') return this.inflight.length >= INFLIGHT_MAX;
    return this.state === 'snapshot' || this.isProbeOut;
  }

  becomeProbe(): void {
    const { state, pendingSnapshot } = this;
    this.reset('probe');
    this.next = this.match + 1;
    if (state === 'snapshot') this.next = Math.max(this.next, pendingSnapshot + 1);
  }

  becomeReplicate(): void {
    this.reset('replicate');
    this.next = this.match + 1;
  }

  becomeSnapshot(index: number): void {
    this.reset('snapshot');
    this.pendingSnapshot = index;
  }

  /** Call it after an append was sent. */
  sent(lastIndex: number, isEmpty: boolean): void {
    if (isEmpty) return;
    if (this.state === 'probe') this.isProbeOut = true;
    else {
      this.next = lastIndex + 1;
      this.inflight.push(lastIndex);
    }
  }

  /** The member has all entries up to `index`. Returns whether that is new. */
  acknowledge(index: number): boolean {
    const isNews = index > this.match;
    if (isNews) {
      this.match = index;
      this.isProbeOut = false;
    }
    this.next = Math.max(this.next, index + 1);
    if (!isNews) return false;
    if (this.state === 'probe') this.becomeReplicate();
    else if (this.state === 'snapshot' && this.match >= this.pendingSnapshot) this.becomeProbe();
    else if (this.state === 'replicate') this.free(index);
    return true;
  }

  /**
   * The member refused the entries after `rejected`; its log ends at `last`. Returns whether the
   * refusal is current, so that a retry makes sense.
   */
  reject(rejected: number, last: number): boolean {
    if (this.state === 'replicate') {
      if (rejected <= this.match) return false;
      this.becomeProbe();
      return true;
    }
    if (this.next - 1 !== rejected) return false;
    this.next = Math.max(1, this.match + 1, Math.min(rejected, last + 1));
    this.isProbeOut = false;
    return true;
  }

  heard(): void {
    this.isRecentlyActive = true;
    this.isProbeOut = false;
    if (this.state === 'replicate' && this.inflight.length >= INFLIGHT_MAX) this.inflight.shift();
  }

  unreachable(): void {
    if (this.state === 'replicate') this.becomeProbe();
  }

  /** A snapshot was delivered, or its delivery failed. */
  snapshotSent(isDelivered: boolean): void {
    if (this.state !== 'snapshot') return;
    if (!isDelivered) this.pendingSnapshot = 0;
    this.becomeProbe();
    // Send nothing until the member answers, or until the next heartbeat.
    this.isProbeOut = true;
  }

  private free(index: number): void {
    const kept = this.inflight.findIndex((last) => last > index);
    this.inflight = kept < 0 ? [] : this.inflight.slice(kept);
  }

  private reset(state: ProgressState): void {
    this.state = state;
    this.isProbeOut = false;
    this.pendingSnapshot = 0;
    this.inflight = [];
  }
}
