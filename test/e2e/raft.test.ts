/** Raft clusters of processes: blocks, a killed minter, members that come and go, a damaged log, clients. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { RaftCluster, type RaftNode } from '../support/raft-cluster.ts';

interface Member {
  readonly raftId: number;
  readonly role: string;
  readonly nodeActive: boolean;
}

let folder: string;
let cluster: RaftCluster;
let nonce = 0;

const send = (node: RaftNode, at: readonly RaftNode[]) => cluster.transfer(nonce++, node, at);
const members = (node: RaftNode) => node.rpc.call<Member[]>('raft_cluster');
const roleOf = async (node: RaftNode, id: number) =>
  (await members(node)).find(({ raftId }) => raftId === id)?.role;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-raft-'));
  cluster = await RaftCluster.prepare(folder, {
    ...{ count: 5, initial: 3, flags: ['--emitcheckpoints'] },
  });
  await cluster.startAll();
});

afterAll(async () => {
  await cluster.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

describe('a Raft cluster', () => {
  it('mints blocks for transactions that any member takes', async () => {
    const minter = await cluster.minter();
    for (const node of cluster.running) await send(node, cluster.running);
    await cluster.sameHead(cluster.running);
    const block = await minter.rpc.call<any>('eth_getBlockByNumber', 'latest', false);
    expect(BigInt(block.timestamp)).toBeGreaterThan(10n ** 18n);
    expect(block.difficulty).toBe('0x20000');
    expect(block.extraData).toMatch(new RegExp(`^0x0{64}f844.${minter.number}b841`));
    expect(await members(minter)).toHaveLength(3);
    const log = readFileSync(join(minter.folder, 'node.log'), 'utf8');
    for (const name of ['MINTER', 'TX-CREATED', 'TX-COMPLETED', 'TX-ACCEPTED', 'BLOCK-CREATED']) {
      expect(log).toMatch(new RegExp(`QUORUM-CHECKPOINT +name=\\S*${name}`));
    }
  });

  it('goes on when the minter is killed, and takes it back', async () => {
    const minter = await cluster.minter();
    await cluster.stop(minter, 'SIGKILL');
    const next = await cluster.minter();
    expect(next.number).not.toBe(minter.number);
    await send(next, cluster.running);
    await cluster.start(minter);
    await send(minter, cluster.running);
    await cluster.sameHead(cluster.running);
  });

  it('takes a learner, promotes it, and it survives a restart', async () => {
    const node = cluster.node(4);
    const asked = cluster.node(2);
    expect(await asked.rpc.call('raft_addLearner', node.enode)).toBe(4);
    await cluster.start(node, ['--raftjoinexisting', '4']);
    await send(cluster.node(1), cluster.running);
    await until('the learner knows its role', async () => {
      return (await node.rpc.call('raft_role')) === 'learner';
    });
    await expect(node.rpc.call('raft_addPeer', cluster.node(5).enode)).rejects.toThrow(
      "learner node can't add peer or learner",
    );
    expect(await asked.rpc.call('raft_promoteToPeer', 4)).toBe(true);
    await until('the learner is a verifier', async () => {
      const roles = await Promise.all(cluster.running.map((each) => roleOf(each, 4)));
      return roles.every((role) => role === 'verifier' || role === 'minter');
    });
    await cluster.stop(node);
    await send(cluster.node(1), cluster.running);
    await cluster.start(node, ['--raftjoinexisting', '4']);
    await cluster.sameHead(cluster.running);
  });

  it('needs more than half of its peers', async () => {
    for (const number of [3, 4]) await cluster.stop(cluster.node(number));
    const [left] = cluster.running;
    await until('there is no minter', async () => (await left!.rpc.call('raft_role')) === '');
    await expect(left!.rpc.call('raft_leader')).rejects.toThrow('no leader is currently elected');
    await cluster.start(cluster.node(3));
    await cluster.start(cluster.node(4), ['--raftjoinexisting', '4']);
    await send(cluster.node(1), cluster.running);
  });

  it('adds a peer and removes it', async () => {
    const node = cluster.node(5);
    const asked = await cluster.minter();
    expect(await asked.rpc.call('raft_addPeer', node.enode)).toBe(5);
    await cluster.start(node, ['--raftjoinexisting', '5']);
    await send(asked, cluster.running);
    await expect(asked.rpc.call('raft_addPeer', node.enode)).rejects.toThrow(
      /^node with this enode has already been added to the cluster: [0-9a-f]{64}$/,
    );
    expect(await asked.rpc.call('raft_removePeer', 5)).toBeNull();
    await until('the removed peer knows', async () => (await node.rpc.call('raft_role')) === '');
    expect(await members(node)).toEqual([]);
    await expect(node.rpc.call('raft_removePeer', 1)).rejects.toThrow(
      'node not part of raft cluster. operations not allowed',
    );
    await cluster.stop(node);
    await send(asked, cluster.running);
    expect((await members(asked)).map(({ raftId }) => raftId)).not.toContain(5);
  });

  it('refuses a damaged log and loses nothing of it', async () => {
    const node = cluster.node(3);
    await cluster.stop(node);
    const log = join(node.folder, 'quorate', 'raft');
    const file = join(log, readdirSync(log)[0]!);
    const good = readFileSync(file);
    const bad = Buffer.from(good);
    bad[20] = bad[20]! ^ 0xff;
    writeFileSync(file, bad);
    await expect(cluster.start(node)).rejects.toThrow('has ended');
    expect(readFileSync(join(node.folder, 'node.log'), 'utf8')).toContain('failed to read WAL');
    expect(readFileSync(file)).toEqual(bad);
    writeFileSync(file, good);
    await cluster.start(node);
    await send(node, cluster.running);
    await cluster.sameHead(cluster.running);
  });
});
