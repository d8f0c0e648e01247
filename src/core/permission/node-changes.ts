/**
 * Finds how nodes changed between two readings of the contracts' records, for data that a node
 * stores apart from them.
 */
import { NODE_STATUS, type NodeRecord } from './records.ts';

export interface NodeChange {
  /** 128 hex digits. */
  readonly id: string;
  readonly url: string;
  /** One of NODE_STATUS. */
  readonly status: number;
}

export class NodeChanges {
  /** Status by id. */
  private known: ReadonlyMap<string, number> = new Map();

  /**
   * Changes since the last call, in the contracts' order; the first call returns the nodes that are
   * not approved.
   */
  take(nodes: readonly NodeRecord[]): NodeChange[] {
    const current = new Map<string, NodeChange>();
    for (const { id, url, status } of nodes) {
      // Version 1 may know a node under several URLs: one approved URL is enough.
      if (id === '' || current.get(id)?.status === NODE_STATUS.approved) continue;
      current.set(id, { id, url, status });
    }
    const isFirst = this.known.size === 0;
    const before = (id: string) => this.known.get(id) ?? (isFirst ? NODE_STATUS.approved : 0);
    const changes = [...current.values()].filter(({ id, status }) => status !== before(id));
    this.known = new Map([...current.values()].map(({ id, status }) => [id, status]));
    return changes;
  }
}
