/**
 * Which nodes to dial when: static ones repeatedly, discovered ones once in a while. It has no
 * clock and no socket: the server asks `due` and reports the outcome.
 */
import { fail } from '../../core/base/errors.ts';
import { Lru } from '../../core/base/lru.ts';
import type { PeerId } from '../../core/base/ports.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { ACTIVE_DIALS_MAX, STATIC_NODES_MAX, type Timings } from './limits.ts';

/** A session that lasted so long was a good one: the next dial follows soon. */
const GOOD_SESSION_MS = 10_000;

/** A discovered node is not dialled again sooner (GoQuorum p2p/dial.go). */
const FOUND_AGAIN_MS = 35_000;
const FOUND_HISTORY_MAX = 1_000;

interface Target {
  enode: Enode;
  /** Found by discovery: dialled once, and forgotten when its session ends. */
  isFound: boolean;
  state: 'waiting' | 'dialling' | 'connected';
  failures: number;
  /** When it may be dialled next. */
  notBeforeMs: number;
  sinceMs: number;
}

export class Dialer {
  private readonly targets = new Map<PeerId, Target>();
  /** When discovered nodes were dialled last. */
  private readonly history = new Lru<PeerId, number>(FOUND_HISTORY_MAX);
  private readonly timings: Timings;
  /** In [0, 1): spreads nodes that were started together. */
  private readonly jitter: () => number;

  constructor(timings: Timings, jitter: () => number) {
    this.timings = timings;
    this.jitter = jitter;
  }

  /** False when it was known already (its address is updated). Throws P2P_TOO_MANY_STATIC_NODES. */
  add(enode: Enode, nowMs: number, connected: boolean): boolean {
    const held = this.targets.get(enode.id);
    if (held) {
      const wasFound = held.isFound;
      Object.assign(held, { enode, isFound: false });
      return wasFound;
    }
    if (this.targets.size >= STATIC_NODES_MAX) {
      throw fail('P2P_TOO_MANY_STATIC_NODES', `at most ${STATIC_NODES_MAX} static nodes are kept`);
    }
    const state = connected ? 'connected' : 'waiting';
    this.targets.set(enode.id, { ...fresh(enode, nowMs), state });
    return true;
  }

  /**
   * Takes as many of `nodes` as there are free `places` for discovered nodes; connected ones count.
   */
  addFound(
    nodes: readonly Enode[],
    places: number,
    isHere: (id: PeerId) => boolean,
    nowMs: number,
  ): void {
    let left = places;
    for (const { isFound } of this.targets.values()) if (isFound) left--;
    for (const enode of nodes) {
      if (left <= 0) return;
      const lastMs = this.history.get(enode.id);
      const isRecent = lastMs !== undefined && nowMs - lastMs < FOUND_AGAIN_MS;
      if (isRecent || this.targets.has(enode.id) || isHere(enode.id)) continue;
      this.history.set(enode.id, nowMs);
      this.targets.set(enode.id, { ...fresh(enode, nowMs), isFound: true });
      left--;
    }
  }

  remove(id: PeerId): boolean {
    return this.targets.delete(id);
  }

  /** Whether it is a static node. */
  has(id: PeerId): boolean {
    return this.targets.get(id)?.isFound === false;
  }

  /** Whether a connection to it is wanted. */
  wants(id: PeerId): boolean {
    return this.targets.has(id);
  }

  nodes(): Enode[] {
    return [...this.targets.values()].map((target) => target.enode);
  }

  /** Nodes to dial now; each counts as being dialled from here on. */
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
    if (target?.isFound) this.targets.delete(id);
    if (!target || target.isFound) return;
    const wasGood = target.state === 'connected' && nowMs - target.sinceMs >= GOOD_SESSION_MS;
    target.failures = wasGood ? 0 : target.failures + 1;
    target.state = 'waiting';
    const { redialMinMs, redialMaxMs } = this.timings;
    const doubled = redialMinMs * 2 ** Math.min(target.failures, 20);
    const wait = Math.min(redialMaxMs, wasGood ? redialMinMs : doubled);
    target.notBeforeMs = nowMs + wait * (0.5 + this.jitter() / 2);
  }
}

function fresh(enode: Enode, nowMs: number): Target {
  return {
    ...{ enode, isFound: false, state: 'waiting', failures: 0 },
    ...{ notBeforeMs: nowMs, sinceMs: nowMs },
  };
}
