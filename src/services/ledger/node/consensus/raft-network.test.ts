/**
 * Raft clusters over virtual links, disks and time: cases whose timing test/e2e/raft.test.ts cannot
 * control with processes.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { seeds } from '../../../../../test/support/effort.ts';
import type { MemoryNode } from '../../../../../test/support/memory-network.ts';
import {
  addressOf,
  expectOneHead,
  keyOf,
  RaftNetwork,
  RICH,
  transfer,
} from '../../../../../test/support/raft-network.ts';
import { bareHex, fromHex } from '../../../../core/base/hex.ts';
import { signTransaction } from '../../../../core/chain/signing.ts';
import { MemoryDisk } from '../../../../io/storage/memory.ts';

let network: RaftNetwork;
afterEach(() => network.stop());

const KINDS = [
  ['in memory', false],
  ['whose protocol is apart', true],
] as const;
describe.each(seeds(KINDS))('a Raft cluster %s', (_, isApart) => {
  it('gives up what an isolated minter proposed, and mines its transactions later', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    await network.mine(2);
    const isolated = await network.minter();
    const others = network.nodes.filter((node) => node !== isolated);
    network.raftHub.isolate(isolated.raft!.cluster.self);
    const key = keyOf(network.nodes.indexOf(isolated));
    network.hub.disconnect(key);
    const alone = [transfer(0, 1), transfer(1, 1)];
    for (const transaction of alone) await isolated.intake.submit(transaction);
    const next = await network.minter(others);
    await network.mine(3, others);
    expect(isolated.chain.head().number).toBeLessThan(next.chain.head().number);
    await network.until(() => isolated.raft!.standing.role !== 'leader', 'it steps down');
    network.raftHub.heal();
    network.hub.connect(key);
    for (const { hash } of alone) await network.mined(hash, network.nodes);
    expectOneHead(network.nodes);
  });

  it('mines on while clocks are set back or forth by an hour, with timestamps that rise', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    await network.mine(2);
    const minter = await network.minter();
    for (const setMs of [-3_600_000, 3_600_000, 0]) {
      network.setMs = setMs;
      await network.mine(4);
    }
    expect(await network.minter()).toBe(minter);
    const { store } = minter.chain;
    const times = Array.from({ length: 14 }, (_, i) => store.header(i + 1)!.timestamp);
    expect(times.every((time, i) => i === 0 || time > times[i - 1]!)).toBe(true);
    expectOneHead(network.nodes);
  });

  // GoQuorum learns its own address only from a snapshot, so it gets one from a short log too.
  it.each([530, 3])(
    'brings a newcomer up with a snapshot and the chain of its peers, after %i blocks',
    async (blocks) => {
      network = new RaftNetwork(isApart);
      await network.start();
      await network.mine(blocks);
      const minter = await network.minter();
      const { nodeId, hostname: host, p2pPort: tcpPort, raftPort } = addressOf(3);
      const applicant = { id: bareHex(nodeId), publicKey: nodeId, host, tcpPort, raftPort };
      const id = await network.resolved(minter.raft!.add(() => applicant, 'enode://', true));
      expect(id).toBe(4);
      const newcomer = await network.node(3, new MemoryDisk(), id);
      network.nodes.push(newcomer);
      await network.mine(2);
      expect(network.raftHub.snapshots).toBeGreaterThan(0);
      expect(newcomer.member!.raft.log.firstIndex).toBeGreaterThan(blocks);
      expectOneHead(network.nodes);
      expect(newcomer.raft!.roleOf(4)).toBe('learner');
    },
  );

  it('heals a member that lost its chain, and one that lost its log', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    await network.mine(300);
    const [first, second, third] = network.nodes as [MemoryNode, MemoryNode, MemoryNode];
    await third.stop();
    const { disk } = third;
    for (const segment of disk.log('blocks').segments()) disk.log('blocks').remove(segment);
    disk.dropKv('index');
    network.nodes[2] = await network.node(2, disk);
    await network.mine(2);
    expectOneHead(network.nodes);

    await network.nodes[2].stop();
    network.nodes.pop();
    await network.resolved(first.raft!.remove(3));
    for (const segment of disk.log('raft').segments()) disk.log('raft').remove(segment);
    const address = addressOf(2);
    const applicant = {
      id: bareHex(address.nodeId),
      publicKey: address.nodeId,
      host: address.hostname,
      tcpPort: address.p2pPort,
      raftPort: address.raftPort,
    };
    const id = await network.resolved(second.raft!.add(() => applicant, 'enode://', false));
    expect(id).toBe(4);
    network.nodes.push(await network.node(2, disk, id));
    await network.mine(2);
    expectOneHead(network.nodes);
  });

  it('continues when all members lose power at once', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    await network.mine(5);
    const disks = network.nodes.map(({ disk }) => disk);
    for (const node of network.nodes.splice(0)) await node.kill();
    for (const [index, disk] of disks.entries())
      network.nodes.push(await network.node(index, disk));
    await network.mine(5);
    expect(network.nodes[0]!.chain.head().number).toBe(10);
    expectOneHead(network.nodes);
  });

  it('does not take back a member because one that has not heard of its removal promotes it', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    const minter = await network.minter();
    const { nodeId, hostname: host, p2pPort: tcpPort, raftPort } = addressOf(3);
    const applicant = { id: bareHex(nodeId), publicKey: nodeId, host, tcpPort, raftPort };
    const id = await network.resolved(minter.raft!.add(() => applicant, 'enode://', true));
    const isLearnerAt = ({ raft }: MemoryNode) => raft!.standing.confState.learners.includes(id);
    await network.until(() => network.nodes.every(isLearnerAt), 'all know the learner');
    const unaware = network.nodes.find((node) => node !== minter)!;
    network.raftHub.isolate(unaware.raft!.cluster.self);
    await network.resolved(minter.raft!.remove(id));
    network.raftHub.heal();
    expect(isLearnerAt(unaware)).toBe(true);
    await network.resolved(unaware.raft!.promote(id));
    await network.mine(2);
    const voters = network.nodes.map(({ raft }) => raft!.standing.confState.nodes);
    expect(voters).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('drops a transaction that takes longer than 5 s, and mines what takes less', async () => {
    network = new RaftNetwork(isApart);
    network.nanosecondsPerGas = 400;
    await network.start();
    const minter = await network.minter();
    await network.mine(1);
    const loop = (sender: number, seconds: number) => {
      const gasLimit = BigInt(seconds * 2_500_000);
      const fields = { nonce: 0n, gasLimit, data: fromHex('0x5b600056') };
      return signTransaction(fields, RICH[sender]!, { chainId: 1337n });
    };
    const [endless, heavy] = [loop(1, 40), loop(2, 3)];
    for (const transaction of [endless, heavy]) await minter.intake.submit(transaction);
    await network.mine(3);
    const isHere = ({ chain }: MemoryNode) =>
      chain.store.transactionByHash(heavy.hash) !== undefined;
    await network.until(() => network.nodes.every(isHere), 'the heavy one is mined');
    await network.until(() => !minter.pool.has(endless.hash), 'the endless one is dropped');
    await network.mine(1);
  });

  it('says so when the cluster does not take a change', async () => {
    network = new RaftNetwork(isApart);
    await network.start();
    const minter = await network.minter();
    for (const { raft } of network.nodes)
      if (raft!.standing.role !== 'leader') network.raftHub.isolate(raft!.cluster.self);
    await expect(network.resolved(minter.raft!.remove(9))).rejects.toThrow(
      'the cluster did not accept the change within 10 seconds',
    );
    network.raftHub.heal();
  });
});
