import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { devnetGenesis } from './genesis.ts';
import { keepGenesis } from './genesis-file.ts';
import { type DevnetConsensus, topologyOf } from './topology.ts';

const PERIODS = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };

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
  expect(first).toEqual({
    path: join(folder, 'genesis.json'),
    isEarlier: false,
    takesGasPrice: true,
  });
  expect(JSON.parse(readFileSync(first.path, 'utf8'))).toEqual(wanted());
  expect(keepGenesis(folder, wanted())).toEqual(first);
});

it('keeps that of version 0.1.0, which takes no gas price', () => {
  const earlier = wanted();
  delete earlier.config.enableGasPriceBlock;
  earlier.alloc = Object.fromEntries(Object.entries(earlier.alloc).slice(0, 3));
  const text = JSON.stringify(earlier);
  writeFileSync(join(folder, 'genesis.json'), text);
  expect(keepGenesis(folder, wanted())).toMatchObject({ isEarlier: true, takesGasPrice: false });
  expect(readFileSync(join(folder, 'genesis.json'), 'utf8')).toBe(text);
});

it.each([
  ['another consensus', wanted('raft')],
  ['another block period', wanted('qbft', { blockPeriodSeconds: 2 })],
  ['another period of empty blocks', wanted('qbft', { emptyBlockPeriodSeconds: 30 })],
])('refuses %s', (_, other) => {
  keepGenesis(folder, wanted());
  expect(() => keepGenesis(folder, other)).toThrow('made with other settings');
});

it('tells of a file that nobody can read', () => {
  writeFileSync(join(folder, 'genesis.json'), '{ "config": ');
  expect(() => keepGenesis(folder, wanted())).toThrow(/genesis\.json.*--fresh/);
});
