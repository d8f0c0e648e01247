import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { devnetGenesis } from './genesis.ts';
import { keepGenesis } from './genesis-file.ts';
import { nodeAccounts, testAccounts } from './test-keys.ts';
import { type DevnetConsensus, topologyOf } from './topology.ts';

const PERIODS = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };

const [{ address: RICH }, , , { address: NEW }] = testAccounts() as any;
const POOR = nodeAccounts(0).poor.address;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-genesis-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function wanted(consensus: DevnetConsensus = 'qbft', periods = {}): any {
  const topology = topologyOf(folder, undefined, consensus);
  return devnetGenesis(topology, { ...PERIODS, ...periods });
}

it('writes it once, and knows it again', () => {
  const first = keepGenesis(folder, wanted());
  const path = join(folder, 'genesis.json');
  const expected = { path, isEarlier: false, takesGasPrice: true };
  expect(first).toMatchObject(expected);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(wanted());
  expect(keepGenesis(folder, wanted())).toMatchObject(expected);
  for (const [address, allocates] of [
    [RICH, true],
    [NEW, true],
    [POOR, false],
  ] as const)
    expect(first.allocates(address)).toBe(allocates);
});

it('keeps that of version 0.1.0, which takes no gas price', () => {
  const earlier = wanted();
  delete earlier.config.enableGasPriceBlock;
  earlier.alloc = Object.fromEntries(Object.entries(earlier.alloc).slice(0, 3));
  const text = JSON.stringify(earlier);
  writeFileSync(join(folder, 'genesis.json'), text);
  const kept = keepGenesis(folder, wanted());
  expect(kept).toMatchObject({ isEarlier: true, takesGasPrice: false });
  expect([kept.allocates(RICH), kept.allocates(NEW)]).toEqual([true, false]);
  expect(readFileSync(join(folder, 'genesis.json'), 'utf8')).toBe(text);
});

it.each([
  ['another consensus', wanted('raft')],
  ['another block period', wanted('qbft', { blockPeriodSeconds: 2 })],
  ['a block period in milliseconds', wanted('qbft', { blockPeriodMs: 200 })],
  ['another period of empty blocks', wanted('qbft', { emptyBlockPeriodSeconds: 30 })],
])('refuses %s', (_, other) => {
  keepGenesis(folder, wanted());
  expect(() => keepGenesis(folder, other)).toThrow('made with other settings');
});

it('reports a file that cannot be read', () => {
  writeFileSync(join(folder, 'genesis.json'), '{ "config": ');
  expect(() => keepGenesis(folder, wanted())).toThrow(/genesis\.json.*--fresh/);
});
