import { expect, it } from 'vitest';
import { consensusNetworks } from './consensus-networks.ts';
import { consensusPrepared } from './consensus-prepared.ts';
import { consensusRaft } from './consensus-raft.ts';
import { consensusRaftRpc } from './consensus-raft-rpc.ts';

import { consensusRpc } from './consensus-rpc.ts';
import { consensusSessions } from './consensus-sessions.ts';
import { consensusWire } from './consensus-wire.ts';
import { consensusWireIbft } from './consensus-wire-ibft.ts';
import { OWN_VECTORS } from './folders.ts';
import { Tally, type VectorKind } from './kind.ts';

async function runAll(kind: VectorKind, files: number): Promise<Tally> {
  const tally = new Tally();
  const found = kind.find(OWN_VECTORS);
  expect(found.length).toBe(files);
  for (const file of found) await kind.run(file, tally);
  return tally;
}

it("QBFT messages, headers, justifications, orders and quorums match GoQuorum's", async () => {
  const tally = await runAll(consensusWire, 4);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(400);
});

it("IBFT messages and headers match GoQuorum's", async () => {
  const tally = await runAll(consensusWireIbft, 2);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(100);
});

it('recorded networks are decoded: headers, votes, snapshots, answers, every message', async () => {
  const tally = await runAll(consensusNetworks, 13);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(1500);
});

it('certificates and justifications of prepared rounds are accepted and their blocks decided', async () => {
  const tally = await runAll(consensusPrepared, 1);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(80);
});

it('an engine in place of a validator decides the blocks of a live network', async () => {
  const tally = await runAll(consensusSessions, 2);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(90);
});

it('Raft members, messages, recorded streams and seals are read and written as GoQuorum does', async () => {
  const tally = await runAll(consensusRaft, 3);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(150);
});

it('members of a Raft cluster answer as recorded while it changes', async () => {
  const tally = await runAll(consensusRaftRpc, 1);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(60);
});

it('validators answer as recorded, before and after transitions and votes', async () => {
  const tally = await runAll(consensusRpc, 9);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(700);
}, 60_000);
