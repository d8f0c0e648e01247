/**
 * EEA groups in a network of four in-memory nodes: unavailable managers, killed nodes, a rebuilt
 * index.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type EeaFields, eeaKey, signEea } from '../../../../../test/support/eea.ts';
import { MemoryManagers, memoryKey } from '../../../../../test/support/memory-managers.ts';
import {
  MemoryHub,
  type MemoryNode,
  memoryNode,
} from '../../../../../test/support/memory-network.ts';
import { STORE_CODE, setInput } from '../../../../../test/support/store-contract.ts';
import { VirtualTime } from '../../../../../test/support/virtual-time.ts';
import { fromBase64 } from '../../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { addressOfSecretKey, sign65 } from '../../../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../../../core/chain/genesis.ts';
import { nextEeaNonce } from '../../../../core/execution/eea-registry.ts';
import { decodeEea } from '../../../../core/privacy/eea.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import type { MemoryDisk } from '../../../../io/storage/memory.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';
import { topologyOf } from '../../../devnet/topology.ts';
import { EeaSender } from './eea-sender.ts';
import { NonceLock } from './nonce-lock.ts';

/** The key of the account that signs a node's markers. */
function markerKey(index: number): Uint8Array {
  return eeaKey(index + 0x31);
}

const TOPOLOGY = topologyOf('unused', undefined);
const GENESIS = genesisFromJson(
  devnetGenesis(
    { ...TOPOLOGY, funded: [toHex(addressOfSecretKey(markerKey(0)))] },
    { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 },
  ),
);
const MINUTE_MS = 60_000;
const PSI = 'private';
const key = (index: number) => fromBase64(memoryKey(index));

class Network {
  readonly time = new VirtualTime(Date.UTC(2030, 0, 1));
  readonly hub = new MemoryHub(this.time);
  readonly managers = new MemoryManagers();
  readonly nodes: MemoryNode[] = [];
  readonly senders: EeaSender[] = [];

  async start(): Promise<this> {
    for (let index = 0; index < 4; index++) await this.join(index);
    return this;
  }

  async join(index: number, disk?: MemoryDisk): Promise<void> {
    const manager: Manager = this.managers.manager(memoryKey(index));
    const node = await memoryNode({
      hub: this.hub,
      genesis: GENESIS,
      secretKey: TOPOLOGY.nodes[index]!.nodeKey,
      manager,
      ...(disk ? { disk } : {}),
    });
    const secret = markerKey(index);
    this.nodes[index] = node;
    this.senders[index] = new EeaSender({
      ...node,
      manager,
      psi: PSI,
      members: undefined,
      marker: { address: () => addressOfSecretKey(secret), sign: (hash) => sign65(hash, secret) },
      nonces: new NonceLock(),
      allowsUnprotected: false,
    });
  }

  send(from: number, fields: Omit<EeaFields, 'privateFrom'>): Promise<Hash32> {
    return this.senders[from]!.submit(decodeEea(signEea({ privateFrom: key(from), ...fields })));
  }

  receipt(at: number, hash: Hash32) {
    const { store } = this.nodes[at]!.chain;
    const place = store.transactionByHash(hash);
    return place && store.privateRecord(PSI, place.block)?.receipts.get(place.index);
  }

  async done(hash: Hash32, ...at: number[]) {
    await this.time.until(
      () => at.every((each) => this.receipt(each, hash)),
      MINUTE_MS,
      `${toHex(hash)} has run at ${at}`,
    );
    return this.receipt(at[0]!, hash)!;
  }

  private state(at: number) {
    const { store } = this.nodes[at]!.chain;
    const space = { kind: 'private', psi: PSI } as const;
    return store.stateAt(space, store.cursor(space));
  }

  slot(at: number, contract: Address): bigint | undefined {
    const state = this.state(at);
    const account = state.account(contract);
    return account && state.slot(contract, account, 0n);
  }

  nonce(at: number, fields: EeaFields): bigint {
    const { sender, groupId } = decodeEea(signEea(fields));
    return nextEeaNonce(this.state(at), sender, groupId);
  }

  head(at: number): number {
    return this.nodes[at]!.chain.head().number;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}

let network: Network;
afterEach(() => network.stop());

const to = [key(1)];
const creation = { to, data: STORE_CODE };

describe('an EEA contract of two of four', () => {
  it('is at both, counted in their group, and at nobody else', async () => {
    network = await new Network().start();
    const contract = (await network.done(await network.send(0, creation), 0, 1)).contractAddress!;
    const set = { to, nonce: 1, contract: toHex(contract), data: setInput(42) };
    const hash = await network.send(0, set);
    const [ours, theirs] = [await network.done(hash, 0), await network.done(hash, 1)];
    expect([ours.status, ours.logs.length]).toEqual([1, 1]);
    expect(theirs).toEqual(ours);
    const height = network.head(0);
    await network.time.until(
      () => [2, 3].every((at) => network.nodes[at]!.follower!.cursor() >= height),
      MINUTE_MS,
      'strangers are there too',
    );
    expect([0, 1, 2, 3].map((at) => network.slot(at, contract))).toEqual([
      ...[42n, 42n],
      ...[undefined, undefined],
    ]);
    const fields = { privateFrom: key(0), ...creation };
    expect([0, 1, 2, 3].map((at) => network.nonce(at, fields))).toEqual([2n, 2n, 0n, 0n]);
    expect(network.receipt(2, hash)).toBeUndefined();
  });

  it('answers a member whose name is the first in it: the group is the same from both sides', async () => {
    network = await new Network().start();
    const contract = (await network.done(await network.send(0, creation), 0, 1)).contractAddress!;
    const back = { to: [key(0)], nonce: 1, contract: toHex(contract), data: setInput(7) };
    const { status } = await network.done(await network.send(1, back), 0, 1);
    expect([status, network.slot(0, contract), network.slot(1, contract)]).toEqual([1, 7n, 7n]);
  });

  it('comes back whole after an outage of a manager, kill -9, and the loss of the index', async () => {
    network = await new Network().start();
    const contract = (await network.done(await network.send(0, creation), 0, 1)).contractAddress!;
    network.managers.setDown(memoryKey(1), true);
    let last: Hash32 | undefined;
    for (let nonce = 1; nonce <= 3; nonce++) {
      const set = { to, nonce, contract: toHex(contract), data: setInput(nonce) };
      last = await network.send(0, set);
    }
    await network.done(last!, 0);
    expect(network.slot(1, contract)).toBe(0n);
    const { disk } = network.nodes[1]!;
    await network.nodes[1]!.kill();
    disk.dropKv('index');
    network.managers.setDown(memoryKey(1), false);
    await network.join(1, disk);
    expect(await network.done(last!, 1)).toEqual(network.receipt(0, last!));
    expect(network.slot(1, contract)).toBe(3n);
    expect(network.nonce(1, { privateFrom: key(0), ...creation })).toBe(4n);
  });
});

it('a named group is made, used and deleted', async () => {
  network = await new Network().start();
  const members = [memoryKey(0), memoryKey(2)];
  const id = await network.senders[0]!.createGroup({ name: 'a', description: '', members });
  const group = { to: fromBase64(id) };
  const made = await network.done(await network.send(0, { ...group, data: STORE_CODE }), 0, 2);
  expect(made.status).toBe(1);
  expect(network.slot(1, made.contractAddress!)).toBeUndefined();
  await network.senders[0]!.deleteGroup(id);
  const again = { ...group, nonce: 1, data: STORE_CODE };
  await expect(network.send(0, again)).rejects.toThrow('Offchain Privacy group does not exist.');
});

it('one that waits is replaced by one of the same nonce that pays a tenth more', async () => {
  network = await new Network().start();
  const contract = (await network.done(await network.send(0, creation), 0, 1)).contractAddress!;
  const { pool } = network.nodes[0]!;
  const set = (value: number, gasPrice: bigint) =>
    network.send(0, { to, nonce: 1, gasPrice, contract: toHex(contract), data: setInput(value) });
  const first = await set(1, 1_000n);
  const sentBefore = network.managers.sent;
  await expect(set(2, 1_099n)).rejects.toThrow('replacement transaction underpriced');
  // A refused transaction is not sent to any manager.
  expect(network.managers.sent).toBe(sentBefore);
  const second = await set(3, 1_100n);
  expect([pool.has(first), pool.has(second)]).toEqual([false, true]);
  expect((await network.done(second, 0, 1)).status).toBe(1);
  expect([network.slot(0, contract), network.slot(1, contract)]).toEqual([3n, 3n]);
  expect(network.receipt(0, first)).toBeUndefined();
  await expect(set(4, 9_000n)).rejects.toThrow('Private transaction nonce too low');
});

it('many at once of one sender: each has its turn', async () => {
  network = await new Network().start();
  const hashes = await Promise.all(
    [0, 1, 2, 3, 4].map((nonce) => network.send(0, { ...creation, nonce })),
  );
  for (const hash of hashes) expect((await network.done(hash, 0, 1)).status).toBe(1);
  expect(network.nonce(1, { privateFrom: key(0), ...creation })).toBe(5n);
});
