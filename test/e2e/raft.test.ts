/**
 * Raft clusters of processes: blocks, a killed minter, members that join and leave, host names, a
 * damaged log, gas with a price.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { headOf, untilMined } from '../support/devnet.ts';
import { RaftCluster, type RaftNode } from '../support/raft-cluster.ts';

interface Member {
  readonly raftId: number;
  readonly role: string;
  readonly nodeActive: boolean;
  readonly hostname: string;
}

const SENT_UNDER_LOAD = 200;
const GWEI = 10n ** 9n;
/** Static block reward once gas has a price. */
const REWARD = 2n * 10n ** 18n;

let folder: string;
let cluster: RaftCluster;

const members = (node: RaftNode) => node.rpc.call<Member[]>('raft_cluster');
const memberOf = async (node: RaftNode, id: number) =>
  (await members(node)).find(({ raftId }) => raftId === id);
const etherbaseOf = (number: number) => `0x${`e${number}`.repeat(20)}`;
const blockAt = (node: RaftNode, tag: string) =>
  node.rpc.call<any>('eth_getBlockByNumber', tag, false);

/** The first three may have host names; the fifth accepts any peer. */
function flagsOf(number: number): string[] {
  return [
    ...['--emitcheckpoints', '--miner.etherbase', etherbaseOf(number)],
    ...['--gcmode', number % 2 === 0 ? 'full' : 'archive'],
    ...(number <= 3 ? ['--raftdnsenable'] : ['--raftjoinexisting', String(number)]),
    ...(number < 5 ? ['--permissioned'] : []),
  ];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-raft-'));
  cluster = await RaftCluster.prepare(folder, { count: 5, initial: 3, flagsOf });
  cluster.list(3, 'permissioned-nodes.json');
  await cluster.startAll();
});

afterAll(async () => {
  await cluster.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

describe('a Raft cluster', () => {
  it('mints blocks for transactions sent to any member', async () => {
    const minter = await cluster.minter();
    for (const node of cluster.running) await cluster.transfer(node);
    await cluster.sameHead(cluster.running);
    const block = await blockAt(minter, 'latest');
    expect(BigInt(block.timestamp)).toBeGreaterThan(10n ** 18n);
    expect(block.difficulty).toBe('0x20000');
    expect(block.extraData).toMatch(new RegExp(`^0x0{64}f844.${minter.number}b841`));
    expect(await members(minter)).toHaveLength(3);
    for (const name of ['MINTER', 'TX-CREATED', 'TX-COMPLETED', 'TX-ACCEPTED', 'BLOCK-CREATED']) {
      expect(minter.log()).toMatch(new RegExp(`QUORUM-CHECKPOINT +name=\\S*${name}`));
    }
    await expect(cluster.submit(minter, 20_999)).rejects.toThrow('intrinsic gas too low');
  });

  it('loses nothing acknowledged when the minter is killed under load', async () => {
    const minter = await cluster.minter();
    const others = cluster.running.filter((node) => node !== minter);
    const hashes: string[] = [];
    const sending = (async () => {
      for (let at = 0; at < SENT_UNDER_LOAD; at++)
        hashes.push(await cluster.submit(others[at % 2]!));
    })();
    await until('the minter has some of them', async () => {
      const hash = hashes[20];
      return hash && (await minter.rpc.call('eth_getTransactionReceipt', hash)) !== null;
    });
    const acknowledged = await blockAt(minter, 'latest');
    await minter.stop('SIGKILL');
    await sending;
    for (const hash of hashes) for (const { rpc } of others) await untilMined(rpc, hash);
    const next = await cluster.minter();
    expect(next.number).not.toBe(minter.number);
    await minter.start();
    await cluster.transfer(minter);
    await cluster.sameHead(cluster.running);
    for (const node of cluster.running)
      expect((await blockAt(node, acknowledged.number)).hash).toBe(acknowledged.hash);
    for (const hash of hashes) await untilMined(minter.rpc, hash);
  });

  it('adds a learner without a vote, promotes it, and it survives a restart', async () => {
    const node = cluster.node(4);
    const asked = cluster.node(2);
    cluster.list(4, 'permissioned-nodes.json');
    expect(await asked.rpc.call('raft_addLearner', node.enode)).toBe(4);
    await node.start();
    await cluster.transfer(cluster.node(1));
    await until('the learner knows its role', async () => {
      return (await node.rpc.call('raft_role')) === 'learner';
    });
    await expect(node.rpc.call('raft_addPeer', cluster.node(5).enode)).rejects.toThrow(
      "learner node can't add peer or learner",
    );
    // Two of three voters continue, without the learner.
    for (const number of [4, 3]) await cluster.node(number).stop();
    await cluster.transfer(cluster.node(1));
    for (const number of [3, 4]) await cluster.node(number).start();
    expect(await asked.rpc.call('raft_promoteToPeer', 4)).toBe(true);
    await until('the learner is a verifier', async () => {
      const each = await Promise.all(cluster.running.map((at) => memberOf(at, 4)));
      return each.every((member) => member && /^(verifier|minter)$/.test(member.role));
    });
    await cluster.transfer(node);
    await cluster.sameHead(cluster.running);
  });

  it('needs more than half of its peers', async () => {
    await cluster.node(4).stop();
    await cluster.transfer(cluster.node(1));
    await cluster.node(3).stop();
    const [left] = cluster.running as [RaftNode];
    await until('there is no minter', async () => (await left.rpc.call('raft_role')) === '');
    await expect(left.rpc.call('raft_leader')).rejects.toThrow('no leader is currently elected');
    const head = await headOf(left.rpc);
    const hash = await cluster.submit(left);
    expect(await left.rpc.call('eth_getTransactionReceipt', hash)).toBeNull();
    expect(await headOf(left.rpc)).toBe(head);
    for (const number of [3, 4]) await cluster.node(number).start();
    for (const { rpc } of cluster.running) await untilMined(rpc, hash);
  });

  it('refuses a damaged log, and leaves it unchanged', async () => {
    const node = cluster.node(3);
    await node.stop();
    const log = join(node.folder, 'quorate', 'raft');
    const file = join(log, readdirSync(log)[0]!);
    const good = readFileSync(file);
    const bad = Buffer.from(good);
    bad[20] = bad[20]! ^ 0xff;
    writeFileSync(file, bad);
    await expect(node.start()).rejects.toThrow('has ended');
    expect(node.log()).toContain('failed to read WAL');
    expect(readFileSync(file)).toEqual(bad);
    writeFileSync(file, good);
    await node.start();
    await cluster.transfer(node);
    await cluster.sameHead(cluster.running);
  });

  it('adds a peer by its host name where names are enabled, and keeps the name', async () => {
    const [node, asked] = [cluster.node(5), cluster.node(1)];
    const named = node.enode.replace('@127.0.0.1:', '@localhost:');
    await expect(cluster.node(4).rpc.call('raft_addPeer', named)).rejects.toThrow(
      'raft must enable dns to use hostname',
    );
    expect(await asked.rpc.call('raft_addPeer', named)).toBe(5);
    cluster.list(5, 'permissioned-nodes.json');
    await node.start();
    await cluster.transfer(node);
    const enode = /^node with this enode has already been added to the cluster: [0-9a-f]{64}$/;
    await expect(asked.rpc.call('raft_addPeer', named)).rejects.toThrow(enode);
    await cluster.sameHead(cluster.running);
    const head = await headOf(asked.rpc);
    await cluster.stopAll('SIGTERM');
    cluster.writeGenesis([{ block: head + 1, gasPriceEnabled: true }]);
    await cluster.startAll(5);
    await cluster.minter();
    for (const each of [asked, cluster.node(4)])
      expect(await memberOf(each, 5)).toMatchObject({ hostname: 'localhost' });
  });

  it('pays its minter once a newer genesis file gives gas a price', async () => {
    const minter = await cluster.minter();
    // The pool requires a price once the head is a block with one.
    await cluster.transfer(cluster.node(1));
    cluster.gasPrice = 3n * GWEI;
    const hash = await cluster.transfer(cluster.node(1));
    const { blockNumber } = await untilMined(minter.rpc, hash);
    const { miner } = await blockAt(minter, blockNumber);
    expect(miner).toBe(etherbaseOf(minter.number));
    const before = `0x${(Number(blockNumber) - 1).toString(16)}`;
    const gain = async (account: string) => {
      const at = (tag: string) => cluster.node(4).rpc.call('eth_getBalance', account, tag);
      return BigInt(await at(blockNumber)) - BigInt(await at(before));
    };
    const fee = 21_000n * cluster.gasPrice;
    expect(await gain(miner)).toBe(REWARD + fee);
    expect(await gain(cluster.sender)).toBe(-fee - 1n);
  });

  it('removes a peer', async () => {
    const [node, asked] = [cluster.node(5), await cluster.minter()];
    expect(await asked.rpc.call('raft_removePeer', 5)).toBeNull();
    await until('the removed peer knows', async () => (await node.rpc.call('raft_role')) === '');
    expect(await members(node)).toEqual([]);
    await expect(node.rpc.call('raft_removePeer', 1)).rejects.toThrow(
      'node not part of raft cluster. operations not allowed',
    );
    await node.stop();
    await cluster.transfer(cluster.node(1));
    expect((await members(cluster.node(1))).map(({ raftId }) => raftId)).not.toContain(5);
  });
});
