/** Which static nodes to dial when. Holds no clock and no socket: the server asks `due` and reports what came of it. */
import { fail } from '../../core/base/errors.ts';
import type { PeerId } from '../../core/base/ports.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { ACTIVE_DIALS_MAX, STATIC_NODES_MAX, type Timings } from './limits.ts';

/** A session that lasted so long was a good one: the next dial comes soon again. */
const GOOD_SESSION_MS = 10_000;

interface Target {
  enode: Enode;
  state: 'waiting' | 'dialling' | 'connected';
  failures: number;
  /** When it may be dialled next. */
  notBeforeMs: number;
  sinceMs: number;
}

export class Dialer {
  private readonly targets = new Map<PeerId, Target>();
  private readonly timings: Timings;
  /** In [0, 1): spreads nodes that were started together. */
  private readonly jitter: () => number;

  constructor(timings: Timings, jitter: () => number) {
    this.timings = timings;
    this.jitter = jitter;
  }

  /** False when it was kept already (its address is renewed). Throws P2P_TOO_MANY_STATIC_NODES. */
  add(enode: Enode, nowMs: number, connected: boolean): boolean {
    const held = this.targets.get(enode.id);
    if (held) {
      held.enode = enode;
      return false;
    }
    if (this.targets.size >= STATIC_NODES_MAX) {
      throw fail('P2P_TOO_MANY_STATIC_NODES', `at most ${STATIC_NODES_MAX} static nodes are kept`);
    }
    const state = connected ? 'connected' : 'waiting';
    this.targets.set(enode.id, { enode, state, failures: 0, notBeforeMs: nowMs, sinceMs: nowMs });
    return true;
  }

  remove(id: PeerId): boolean {
    return this.targets.delete(id);
  }

  has(id: PeerId): boolean {
    return this.targets.has(id);
  }

  nodes(): Enode[] {
    return [...this.targets.values()].map((target) => target.enode);
  }

  /** Nodes to dial now; each is taken as being dialled from here on. */
  due(nowMs: number): Enode[] {
    let active = 0;
    for (const target of this.targets.values()) if (target.state === 'dialling') active++;
    const chosen: Enode[] = [];
    for (const target of this.targets.values()) {
      if (active + chosen.length >= ACTIVE_DIALS_MAX) break;
      if (target.state !== 'waiting' || target.notBeforeMs > nowMs) continue;
      if (target.enode.host === undefined || target.enode.tcpPort === 0) continue;
      target.state = 'dialling';
      chosen.push(target.enode);
    }
    return chosen;
  }

  /** A session with the node exists, whoever dialled. */
  connected(id: PeerId, nowMs: number): void {
    const target = this.targets.get(id);
    if (!target) return;
    target.state = 'connected';
    target.sinceMs = nowMs;
  }

  /** A dial failed, or the session ended. */
  disconnected(id: PeerId, nowMs: number): void {
    const target = this.targets.get(id);
    if (!target) return;
    const wasGood = target.state === 'connected' && nowMs - target.sinceMs >= GOOD_SESSION_MS;
    target.failures = wasGood ? 0 : target.failures + 1;
    target.state = 'waiting';
    const { redialMinMs, redialMaxMs } = this.timings;
    const doubled = redialMinMs * 2 ** Math.min(target.failures, 20);
    const wait = Math.min(redialMaxMs, wasGood ? redialMinMs : doubled);
    target.notBeforeMs = nowMs + wait * (0.5 + this.jitter() / 2);
  }
}
