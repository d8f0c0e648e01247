/** Consensus, sync and the pool in networks of four nodes, over virtual links, disks and time. */
import { afterEach, describe, expect, it } from 'vitest';
import { type MemoryNode, memoryNode } from '../../../../test/support/memory-network.ts';
import {
  MINUTE_MS,
  TOPOLOGY,
  ValidatorNetwork,
} from '../../../../test/support/validator-network.ts';
import {
  balanceOf,
  FRIEND,
  GENESIS,
  RICH,
  transfer,
} from '../../../../test/support/validator-transfers.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey, secp256k1 } from '../../../core/base/secp256k1.ts';
import { decodeQbftExtra } from '../../../core/chain/extra-data.ts';
import type { Chain } from './chain/chain.ts';
import { HeaderVerifier } from './consensus/header-verifier.ts';

/** Delays the disk writes of each block of `node`. */
function slowDisk({ chain }: MemoryNode, delayMs: number): void {
  const { store } = chain;
  const append = store.append.bind(store);
  store.append = async (...block) => {
    await new Promise<void>((resolve) => network.time.set(delayMs, resolve));
    return append(...block);
  };
}

let network: ValidatorNetwork;
afterEach(() => network.stop());

describe('messages of consensus', () => {
  /**
   * Average number of messages per block, after the nodes have reported their connections to each
   * other.
   */
  const messagesOfABlock = async () => {
    await network.start();
    await network.reach(4);
    let messages = 0;
    network.hub.watch = ({ protocol }) => {
      if (protocol === 'istanbul') messages++;
    };
    await network.reach(14);
    return messages / 10;
  };

  it('go to each validator once where all are connected', async () => {
    network = new ValidatorNetwork(GENESIS);
    // One proposal, four PREPAREs and four COMMITs, each to three nodes; the count may begin and
    // end in the middle of a block.
    expect(await messagesOfABlock()).toBeLessThan(30);
  });

  it('are passed on to those that their signer does not reach', async () => {
    network = new ValidatorNetwork(GENESIS);
    const [first, second, third] = TOPOLOGY.nodes.map(({ nodeKey }) => nodeKey);
    network.hub.estrange(first!, second!);
    network.hub.estrange(first!, third!);
    const messages = await messagesOfABlock();
    expect(messages).toBeGreaterThan(18);
    expect(messages).toBeLessThan(40);
    const rounds = Array.from({ length: 13 }, (_, i) => {
      const { extraData } = network.nodes[0]!.chain.store.header(i + 2)!;
      return decodeQbftExtra(extraData).round;
    });
    expect(rounds).toEqual(rounds.map(() => 0));
  });
});

describe('a network of four validators', () => {
  it('makes a block a second, with transactions from any node', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(2);
    const before = balanceOf(network.nodes[0]!, FRIEND);
    for (let nonce = 0; nonce < 40; nonce++)
      await network.nodes[nonce % 4]!.intake.submit(transfer(nonce));
    await network.until(
      () => network.nodes.every((node) => balanceOf(node, FRIEND) === before + 40n),
      'transfers are mined',
    );
    await network.reach(8);
    const times = Array.from(
      { length: 5 },
      (_, i) => network.nodes[0]!.chain.store.header(i + 3)!.timestamp,
    );
    expect(times.slice(1).every((time, i) => time === times[i]! + 1n)).toBe(true);
    expect(network.nodes.map(({ pool }) => pool.stats)).toEqual(
      Array(4).fill({ pending: 0, queued: 0 }),
    );
  });

  it('logs each block once, when a peer pushes it while the node itself decides it', async () => {
    network = new ValidatorNetwork(GENESIS);
    const told = TOPOLOGY.nodes.map(() => [] as number[]);
    await network.start(4, (index) => ({
      log: (level, message, fields) => {
        const isBlock = /Imported new chain segment|Successfully sealed new block/.test(message);
        if (level === 'info' && isBlock) told[index]!.push(Number(fields?.number));
      },
    }));
    slowDisk(network.nodes[0]!, 20);
    await network.reach(12);
    const each = Array.from({ length: 12 }, (_, i) => i + 1);
    for (const numbers of told) expect(numbers.filter((number) => number <= 12)).toEqual(each);
  });

  it('knows the best block that each peer has told of', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(1);
    const [{ peers, chain }] = network.nodes as [MemoryNode];
    const others = TOPOLOGY.nodes.slice(1).map(({ nodeKey }) => secp256k1().publicKey(nodeKey));
    const heights = () => others.map((key) => Number(peers.headOf(bareHex(key))!.td - 1n));
    const before = heights();
    await network.reach(12);
    expect(heights().reduce((a, b) => a + b)).toBeGreaterThan(before.reduce((a, b) => a + b));
    for (const [index, height] of heights().entries())
      expect(peers.headOf(bareHex(others[index]!))!.hash).toEqual(chain.store.hashOf(height));
    expect(peers.headOf('00')).toBeUndefined();
  });

  it('tells every node of every transaction at once, also where timers fire early', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(2);
    for (let nonce = 0; nonce < 30; nonce++) {
      const { hash } = transfer(nonce);
      await network.nodes[nonce % 4]!.intake.submit(transfer(nonce));
      const isKnown = ({ pool, chain }: MemoryNode) =>
        pool.has(hash) || chain.store.transactionByHash(hash) !== undefined;
      await network.until(() => network.nodes.every(isKnown), 'all know it', 20);
    }
  });

  it('continues with three, and the fourth catches up', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(1);
    const [away] = network.nodes.splice(3, 1);
    await away!.stop();
    await network.reach(12);
    const back = await network.node(3, { disk: away!.disk });
    network.nodes.push(back);
    await network.reach(network.nodes[0]!.chain.head().number + 2);
  });

  it('stalls with two, and continues with three', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(2);
    const gone = network.nodes.splice(2, 2);
    for (const node of gone) await node.stop();
    const head = network.nodes[0]!.chain.head().number;
    await network.time.pass(5 * MINUTE_MS);
    expect(network.nodes[0]!.chain.head().number).toBeLessThanOrEqual(head + 1);
    network.nodes.push(await network.node(2, { disk: gone[0]!.disk }));
    await network.reach(head + 3, network.nodes, 5 * MINUTE_MS);
  });

  it('loses nothing acknowledged when all are killed at once', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(1);
    const sent = [0, 1, 2].map((nonce) => transfer(nonce));
    for (const each of sent) await network.nodes[0]!.intake.submit(each);
    const disks = network.nodes.map(({ disk }) => disk);
    for (const node of network.nodes.splice(0)) await node.kill();
    for (const [index, disk] of disks.entries())
      network.nodes.push(await network.node(index, { disk }));
    const isMined = () =>
      sent.every(({ hash }) =>
        network.nodes.every(({ chain }) => chain.store.transactionByHash(hash)),
      );
    await network.until(isMined, 'what was acknowledged is mined', 5 * MINUTE_MS);
  });

  it('votes a validator out and in', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    const member = addressOfSecretKey(TOPOLOGY.nodes[3]!.nodeKey);
    const isMember = () => network.isValidator(member);
    await network.reach(1);
    expect(isMember()).toBe(true);
    for (const { bft } of network.nodes.slice(0, 3)) bft!.candidates.propose(member, false);
    await network.until(() => !isMember(), 'voted out');
    for (const { bft } of network.nodes.slice(0, 3)) {
      bft!.candidates.discard(member);
      bft!.candidates.propose(member, true);
    }
    await network.until(isMember, 'voted in');
    await network.reach(network.nodes[0]!.chain.head().number + 4);
  });

  it('checks headers in order, however many batches are asked for at once', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(54);
    const { chain, schedule } = network.nodes[0]!;
    const headers = Array.from({ length: 54 }, (_, index) => ({
      header: chain.store.header(index + 1)!,
      hash: chain.store.hashOf(index + 1)!,
    }));
    const begun = { head: () => ({ ...chain.head(), number: 0 }), store: chain.store } as Chain;
    const { time } = network;
    const verifier = new HeaderVerifier({ chain: begun, schedule, timers: time });
    const batches = [0, 18, 36].map((at) => verifier.verify(headers.slice(at, at + 18)));
    expect(await Promise.all(batches)).toEqual([undefined, undefined, undefined]);
  });

  it('serves a newcomer that is not a validator', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(30);
    const newcomer = await memoryNode({
      hub: network.hub,
      genesis: GENESIS,
      secretKey: RICH,
      isMining: false,
    });
    network.nodes.push(newcomer);
    await network.reach(35);
    expect(newcomer.peers.progress).toBeUndefined();
  });
});
