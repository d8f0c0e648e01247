import { expect, it } from 'vitest';
import { consensusPrepared } from './consensus-prepared.ts';
import { consensusQbft } from './consensus-qbft.ts';
import { consensusSessions } from './consensus-sessions.ts';
import { consensusWire } from './consensus-wire.ts';
import { OWN_VECTORS } from './folders.ts';
import { Tally, type VectorKind } from './kind.ts';

async function runAll(kind: VectorKind, files: number): Promise<Tally> {
  const tally = new Tally();
  const found = kind.find(OWN_VECTORS);
  expect(found.length).toBe(files);
  for (const file of found) await kind.run(file, tally);
  return tally;
}

it('QBFT messages, headers, justifications, orders and quorums are those of the reference', async () => {
  const tally = await runAll(consensusWire, 4);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(400);
});

it('a recorded QBFT network is understood: headers, votes, snapshots, answers, every message', async () => {
  const tally = await runAll(consensusQbft, 4);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(700);
});

it('certificates and justifications of prepared rounds are accepted and their blocks decided', async () => {
  const tally = await runAll(consensusPrepared, 1);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(80);
});

it('an engine in place of a validator decides what a live network decided', async () => {
  const tally = await runAll(consensusSessions, 1);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(90);
});
