/**
 * Nodes that have proven their address, in buckets by their distance from this node: there are many
 * far nodes and few near ones, as in Kademlia (go-ethereum p2p/discover/table.go).
 */
import { subnetOf } from './addresses.ts';
import {
  BUCKET_NODES_MAX,
  BUCKET_SUBNET_MAX,
  BUCKETS,
  REPLACEMENTS_MAX,
  TABLE_SUBNET_MAX,
} from './limits.ts';
import { compareDistance, type DiscoveredNode, logDistance } from './node.ts';

interface Bucket {
  /** Most recent answer first. */
  nodes: DiscoveredNode[];
  /** Nodes that replace one that no longer answers, newest first. */
  replacements: DiscoveredNode[];
}

/** Distances up to this share the first bucket: few nodes are that near. */
const NEAREST = 256 - BUCKETS + 1;

export class Table {
  private readonly own: Uint8Array;
  private readonly buckets: readonly Bucket[] = Array.from({ length: BUCKETS }, () => ({
    nodes: [],
    replacements: [],
  }));
  private readonly subnets = new Map<string, number>();

  /** `own`: place of this node. */
  constructor(own: Uint8Array) {
    this.own = own;
  }

  get size(): number {
    return this.buckets.reduce((sum, { nodes }) => sum + nodes.length, 0);
  }

  nodes(): DiscoveredNode[] {
    return this.buckets.flatMap(({ nodes }) => nodes);
  }

  /** Call it when a node has just answered. Returns whether it is new in the table. */
  add(node: DiscoveredNode): boolean {
    const bucket = this.bucketOf(node);
    if (!bucket) return false;
    const held = bucket.nodes.findIndex(({ id }) => id === node.id);
    if (held >= 0) {
      const [before] = bucket.nodes.splice(held, 1);
      if (this.hasRoom(bucket, node, before)) bucket.nodes.unshift(this.counted(node, before));
      else bucket.nodes.unshift(before!);
      return false;
    }
    if (bucket.nodes.length < BUCKET_NODES_MAX && this.hasRoom(bucket, node)) {
      bucket.nodes.unshift(this.counted(node));
      bucket.replacements = bucket.replacements.filter(({ id }) => id !== node.id);
      return true;
    }
    const others = bucket.replacements.filter(({ id }) => id !== node.id);
    bucket.replacements = [node, ...others].slice(0, REPLACEMENTS_MAX);
    return false;
  }

  /** A node no longer answers: another one of its bucket replaces it. */
  remove(id: string): void {
    for (const bucket of this.buckets) {
      const at = bucket.nodes.findIndex((node) => node.id === id);
      if (at < 0) continue;
      const [gone] = bucket.nodes.splice(at, 1);
      this.count(gone!, -1);
      const next = bucket.replacements.findIndex((node) => this.hasRoom(bucket, node));
      if (next < 0) return;
      const [successor] = bucket.replacements.splice(next, 1);
      bucket.nodes.push(this.counted(successor!));
    }
  }

  /** Up to `count` nodes, nearest to `target` first. */
  closest(target: Uint8Array, count: number): DiscoveredNode[] {
    return this.nodes()
      .sort((a, b) => compareDistance(target, a.place, b.place))
      .slice(0, count);
  }

  /**
   * The node of a random bucket that has not answered for the longest time; undefined in an empty
   * table.
   */
  stalest(below: (bound: number) => number): DiscoveredNode | undefined {
    const filled = this.buckets.filter(({ nodes }) => nodes.length > 0);
    return filled[below(filled.length)]?.nodes.at(-1);
  }

  private bucketOf({ place }: DiscoveredNode): Bucket | undefined {
    const distance = logDistance(this.own, place);
    return distance === 0 ? undefined : this.buckets[Math.max(0, distance - NEAREST)];
  }

  /**
   * Whether the limits for the subnet of `node` allow another node; `except`: a node that it
   * replaces.
   */
  private hasRoom({ nodes }: Bucket, node: DiscoveredNode, except?: DiscoveredNode): boolean {
    const subnet = subnetOf(node.ip);
    if (subnet === undefined || (except && subnetOf(except.ip) === subnet)) return true;
    const here = nodes.filter((other) => subnetOf(other.ip) === subnet).length;
    return here < BUCKET_SUBNET_MAX && (this.subnets.get(subnet) ?? 0) < TABLE_SUBNET_MAX;
  }

  private counted(node: DiscoveredNode, instead?: DiscoveredNode): DiscoveredNode {
    if (instead) this.count(instead, -1);
    this.count(node, 1);
    return node;
  }

  private count({ ip }: DiscoveredNode, by: number): void {
    const subnet = subnetOf(ip);
    if (subnet === undefined) return;
    const left = (this.subnets.get(subnet) ?? 0) + by;
    if (left === 0) this.subnets.delete(subnet);
    else this.subnets.set(subnet, left);
  }
}
