/**
 * A search for the nodes nearest to a place: asks the nearest known nodes for nearer ones until all
 * of them have been asked.
 */
import { LOOKUP_ALPHA, LOOKUP_ASKED_MAX, LOOKUP_NODES_MAX } from './limits.ts';
import { compareDistance, type DiscoveredNode } from './node.ts';

export class Lookup {
  /** A public key; it need not belong to a node. */
  readonly target: Uint8Array;
  private readonly place: Uint8Array;
  private readonly known = new Set<string>();
  private readonly asked = new Set<string>();
  private nearest: DiscoveredNode[] = [];
  private running = 0;

  /** `own`: id of this node, to which no question is sent. */
  constructor(own: string, target: Uint8Array, place: Uint8Array) {
    this.target = target;
    this.place = place;
    this.known.add(own);
  }

  /** Adds nodes that may be asked. */
  learn(nodes: readonly DiscoveredNode[]): void {
    const fresh = nodes.filter(({ id }) => !this.known.has(id));
    for (const { id } of fresh) this.known.add(id);
    this.nearest = [...this.nearest, ...fresh]
      .sort((a, b) => compareDistance(this.place, a.place, b.place))
      .slice(0, LOOKUP_NODES_MAX);
  }

  /** Nodes to ask now; `answered` must be called once for each. */
  next(): DiscoveredNode[] {
    const room = Math.min(LOOKUP_ALPHA - this.running, LOOKUP_ASKED_MAX - this.asked.size);
    const chosen = this.nearest.filter(({ id }) => !this.asked.has(id)).slice(0, Math.max(0, room));
    for (const { id } of chosen) this.asked.add(id);
    this.running += chosen.length;
    return chosen;
  }

  /** A node has answered with these nodes, or has not answered in time. */
  answered(nodes: readonly DiscoveredNode[]): void {
    this.running--;
    this.learn(nodes);
  }

  /** No question is pending. */
  get isIdle(): boolean {
    return this.running === 0;
  }
}
