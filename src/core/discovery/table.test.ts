import { expect, it } from 'vitest';
import { numberToBytes } from '../base/quantity.ts';
import {
  BUCKET_NODES_MAX,
  BUCKET_SUBNET_MAX,
  REPLACEMENTS_MAX,
  TABLE_SUBNET_MAX,
} from './limits.ts';
import type { DiscoveredNode } from './node.ts';
import { Table } from './table.ts';

const SUBNET = '77.1.2';
const OWN = new Uint8Array(32);
let made = 0;

/** A node at this distance from the table's own, 256 at most; each is another one. */
function nodeAt(distance: number, ip: string): DiscoveredNode {
  const place = new Uint8Array(32);
  place[32 - Math.ceil(distance / 8)] = 1 << ((distance - 1) % 8);
  place.set(numberToBytes(++made), 31);
  const publicKey = new Uint8Array(64);
  return { id: `${made}`, publicKey, place, ip, udp: 30_303, tcp: 30_303 };
}

/** Nodes of one subnet. */
const neighbours = (count: number, distanceOf: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => nodeAt(distanceOf(at), `${SUBNET}.${at}`));

it('holds 2 nodes of a public subnet in a bucket, and others when these are gone', () => {
  const table = new Table(OWN);
  const nodes = neighbours(5, () => 256);
  expect(nodes.map((node) => table.add(node))).toEqual([true, true, false, false, false]);
  expect(table.add(nodeAt(256, '77.1.3.1'))).toBe(true);
  table.remove(nodes[0]!.id);
  const held = table.nodes().filter(({ ip }) => ip.startsWith(SUBNET));
  expect(held).toHaveLength(BUCKET_SUBNET_MAX);
  expect(held).not.toContain(nodes[0]);
});

it('holds 10 nodes of a public subnet in all its buckets', () => {
  const table = new Table(OWN);
  const nodes = neighbours(15, (at) => 256 - at);
  expect(nodes.filter((node) => table.add(node))).toEqual(nodes.slice(0, TABLE_SUBNET_MAX));
  table.remove(nodes[0]!.id);
  expect(table.add(nodes[12]!)).toBe(true);
  expect(table.size).toBe(TABLE_SUBNET_MAX);
});

it('holds 16 nodes in a bucket; the newest 10 of the others replace those that are gone', () => {
  const table = new Table(OWN);
  const nodes = Array.from({ length: 40 }, (_, at) => nodeAt(256, `10.0.0.${at}`));
  for (const node of nodes) table.add(node);
  const first = nodes.slice(0, BUCKET_NODES_MAX);
  expect(table.size).toBe(BUCKET_NODES_MAX);
  expect(table.nodes()).toEqual([...first].reverse());
  for (const { id } of first) table.remove(id);
  expect(table.nodes()).toEqual(nodes.slice(-REPLACEMENTS_MAX).reverse());
});
