import { expect, it } from 'vitest';
import { mayConnect, type NodePermits } from './connections.ts';

const [KNOWN, BARRED, NEW] = ['aa', 'bb', 'cc'] as const;
const permits = (more: Partial<NodePermits> = {}): NodePermits => ({
  approved: new Map([[KNOWN, '10.0.0.1']]),
  barred: new Set([BARRED]),
  comparesAddress: true,
  isBehind: false,
  ...more,
});
const asks = (of: NodePermits, id: string, address?: string) =>
  mayConnect(of, { id, address }, () => true);

it('lets approved nodes in from their address, or from anywhere where that is switched off', () => {
  const from = (of: NodePermits) =>
    ['10.0.0.1', '10.0.0.2', undefined].map((address) => asks(of, KNOWN, address));
  expect(from(permits())).toEqual([true, false, true]);
  expect(from(permits({ comparesAddress: false }))).toEqual([true, true, true]);
});

it('takes an address in any spelling, and a host name for none', () => {
  const at = (registered: string, address: string) =>
    asks(permits({ approved: new Map([[KNOWN, registered]]) }), KNOWN, address);
  expect(at('2001:DB8:0::1', '2001:db8::1')).toBe(true);
  expect(at('2001:db8::1', '2001:db8::2')).toBe(false);
  expect(at('::ffff:10.0.0.1', '10.0.0.1')).toBe(true);
  expect(at('node1.example', '10.0.0.1')).toBe(true);
});

it('lets listed nodes in while this node is behind, unless the contracts bar them', () => {
  const of = (isBehind: boolean) =>
    [NEW, BARRED].map((id) => asks(permits({ isBehind }), id, '10.0.0.1'));
  expect(of(false)).toEqual([false, false]);
  expect(of(true)).toEqual([true, false]);
  expect(
    mayConnect(permits({ isBehind: true }), { id: NEW, address: undefined }, () => false),
  ).toBe(false);
});
