/**
 * Decides which nodes to dial and when: static ones repeatedly, discovered ones at long intervals.
 * It has no clock and no socket: the server calls `due` and reports the outcome.
 */
import { fail } from '../../core/base/errors.ts';
import { Lru } from '../../core/base/lru.ts';
import type { PeerId } from '../../core/base/ports.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { ACTIVE_DIALS_MAX, STATIC_NODES_MAX, type Timings } from './limits.ts';

/** After a session that lasted this long, the next dial follows soon. */
const GOOD_SESSION_MS = 10_000;

/** Shortest time between two dials of a discovered node (GoQuorum p2p/dial.go). */
const FOUND_AGAIN_MS = 35_000;
const FOUND_HISTORY_MAX = 1_000;

interface Target {
  enode: Enode;
  /** Whether discovery found the node: it is dialled once, and forgotten when its session ends. */
  isFound: boolean;
  state: 'waiting' | 'dialling' | 'connected';
  failures: number;
  /** Earliest time of the next dial. */
  notBeforeMs: number;
  sinceMs: number;
}

export class Dialer {
  private readonly targets = new Map<PeerId, Target>();
  /** Time of the last dial of each discovered node. */
  private readonly history = new Lru<PeerId, number>(FOUND_HISTORY_MAX);
  private readonly timings: Timings;
  /** Returns a number in [0, 1), to spread the dials of nodes that were started together. */
  private readonly jitter: () => number;

  constructor(timings: Timings, jitter: () => number) {
    this.timings = timings;
    this.jitter = jitter;
  }

  /**
   * Adds a static node. False: it was already known (its address is updated). Throws
   * P2P_TOO_MANY_STATIC_NODES.
   */
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
   * Adds as many of `nodes` as there are free `places` for discovered nodes; connected ones count
   * as well.
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

  /** Whether the node is a static one. */
  has(id: PeerId): boolean {
    return this.targets.get(id)?.isFound === false;
  }

  /** Whether a connection to the node is wanted. */
  wants(id: PeerId): boolean {
    return this.targets.has(id);
  }

  nodes(): Enode[] {
    return [...this.targets.values()].map((target) => target.enode);
  }

  /** Nodes to dial now; each counts as being dialled from now on. */
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

  /** Reports that a session with the node exists, whichever side dialled. */
  connected(id: PeerId, nowMs: number): void {
    const target = this.targets.get(id);
    if (!target) return;
    target.state = 'connected';
    target.sinceMs = nowMs;
  }

  /** Reports that a dial failed, or that the session ended. */
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
