/** The heart of the node in networks of four, over virtual links, disks and time. */
import { afterEach, describe, expect, it } from 'vitest';
import { type MemoryNode, memoryNode } from '../../../../test/support/memory-network.ts';
import {
  MINUTE_MS,
  TOPOLOGY,
  ValidatorNetwork,
} from '../../../../test/support/validator-network.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { bareHex, fromHex, toHex } from '../../../core/base/hex.ts';
import type { Log } from '../../../core/base/ports.ts';
import { addressOfSecretKey, secp256k1 } from '../../../core/base/secp256k1.ts';
import { decodeQbftExtra } from '../../../core/chain/extra-data.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { memoryFrom } from '../../../core/consensus/bft/memory-loss.ts';
import type { HeldPayload } from '../../../core/privacy/inputs.ts';
import { queryKey } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';
import type { Chain } from './chain/chain.ts';
import { HeaderVerifier } from './consensus/header-verifier.ts';

const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);
const RICH = fromHex(TOPOLOGY.accounts[0]!.privateKey);
const FRIEND = fromHex(TOPOLOGY.accounts[1]!.address);

function transfer(nonce: number, value = 1n) {
  return signTransaction({ nonce: BigInt(nonce), gasLimit: 21_000n, to: FRIEND, value }, RICH, {
    chainId: 1337n,
  });
}

function balanceOf(node: MemoryNode, who: Uint8Array): bigint {
  return (
    node.chain.store.stateAt(PUBLIC_SPACE, node.chain.head().number).account(who)?.balance ?? 0n
  );
}

/** Makes every block of `node` take its time to the disk. */
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
  /** Of one block, once the nodes have told each other of their connections. */
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
    // One proposal, four PREPAREs and four COMMITs, each to three; blocks begin and end while it is counted.
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
      log: (level, message, facts) => {
        const isBlock = /Imported new chain segment|Successfully sealed new block/.test(message);
        if (level === 'info' && isBlock) told[index]!.push(Number(facts?.number));
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

  it('goes on with three, and the fourth catches up', async () => {
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

  it('stands still with two, and goes on with three', async () => {
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

  describe('with a validator that has lost its file of votes', () => {
    /** All stop at a height above 0; the last one's votes are gone. Returns what it says from now on. */
    async function lost(files: readonly string[], back: readonly number[]) {
      network = new ValidatorNetwork(GENESIS);
      await network.start();
      await network.reach(3);
      const disks = network.nodes.map(({ disk }) => disk);
      await network.stop();
      for (const file of files) disks[3]!.dropSlots(file);
      const told: string[] = [];
      const log = (level: string, message: string) => {
        if (message.startsWith('This validator')) told.push(`${level}: ${message}`);
      };
      for (const index of back) {
        const more = index === 3 ? { log } : {};
        network.nodes.push(await network.node(index, { disk: disks[index]!, ...more }));
      }
      return { told, disk: disks[3]! };
    }

    const ABSTAINS = 'error: This validator abstains until it has seen a block decided';
    const ALL = ['votes', 'votes-written'];

    it.each([
      ['deleted', ALL],
      ['deleted, but for the note of what was written', ['votes']],
    ])('%s: it abstains until it has seen a block decided, then votes again', async (_, files) => {
      const { told } = await lost(files, [0, 1, 2, 3]);
      await network.reach(8);
      expect(told).toEqual([ABSTAINS, 'info: This validator votes again']);
      const [away] = network.nodes.splice(0, 1);
      await away!.stop();
      await network.reach(12);
    });

    it('abstains too where the file is an older copy', async () => {
      network = new ValidatorNetwork(GENESIS);
      await network.start();
      await network.reach(2);
      const { disk } = network.nodes[3]!;
      const copy = [0, 1].map((slot) => disk.slots('votes').read(slot)!.slice());
      await network.reach(20);
      const [victim] = network.nodes.splice(3, 1);
      await victim!.stop();
      disk.dropSlots('votes-written');
      for (const [slot, bytes] of copy.entries()) await disk.slots('votes').write(slot, bytes);
      const reasons: unknown[] = [];
      const log: Log = (_, message, facts) => {
        if (message.startsWith('This validator')) reasons.push(facts?.reason);
      };
      network.nodes.push(await network.node(3, { disk, log }));
      await network.reach(24);
      expect(reasons).toEqual([expect.stringMatching(/older than the chain/), undefined]);
    });

    it('does not make up a quorum, until its operator says what it has not voted on', async () => {
      const { told, disk } = await lost(ALL, [0, 1, 3]);
      const height = () => network.nodes[0]!.chain.head().number;
      const head = height();
      await network.time.pass(5 * MINUTE_MS);
      expect([height(), told]).toEqual([head, [ABSTAINS]]);
      const [amnesiac] = network.nodes.splice(2, 1);
      await amnesiac!.stop();
      const votes = new VoteFile(disk.slots('votes'), disk.slots('votes-written'));
      await votes.remember(memoryFrom(head + 1));
      network.nodes.push(await network.node(3, { disk }));
      await network.reach(head + 3, network.nodes, 5 * MINUTE_MS);
    });
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
    const isMember = () => {
      const { schedule, chain } = network.nodes[0]!;
      return schedule!
        .validatorsAfter(chain.head().number)
        .some((each) => equalBytes(each, member));
    };
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

describe('a clock that is set while a validator runs', () => {
  const HOUR_MS = 3_600_000;
  /** By how much the clock of each was set. */
  const setMs = [0, 0, 0, 0, 0];
  const calendarOf = (index: number) => ({ nowMs: () => network.time.nowMs() + setMs[index]! });
  const startWithClocks = async () => {
    setMs.fill(0);
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => ({ calendar: calendarOf(index) }));
    await network.reach(4);
  };
  const head = () => network.nodes[0]!.chain.head();

  it('holds up nobody where all are set back, and again where they start anew', async () => {
    await startWithClocks();
    setMs.fill(-HOUR_MS);
    await network.reach(head().number + 10);
    const { disk, kill } = network.nodes[3]!;
    await kill();
    const told: string[] = [];
    const log: Log = (level, message) => level === 'warn' && told.push(message);
    network.nodes[3] = await network.node(3, { disk, calendar: calendarOf(3), log });
    await network.reach(head().number + 10);
    expect(told).toContain("This machine's clock is behind the chain's: set it right");
    const { timestamp } = head().header;
    const trueSeconds = BigInt(Math.floor(network.time.nowMs() / 1000));
    expect(timestamp <= trueSeconds + 1n).toBe(true);
  });

  it('holds up nobody where all are set forth and back again', async () => {
    await startWithClocks();
    setMs.fill(HOUR_MS);
    await network.reach(head().number + 6);
    setMs.fill(0);
    await network.reach(head().number + 10);
  });

  it('keeps one validator in agreement that was set back', async () => {
    await startWithClocks();
    setMs[2] = -HOUR_MS;
    const before = head().number;
    await network.reach(before + 8);
    const rounds = Array.from({ length: 8 }, (_, i) => {
      const { extraData } = network.nodes[2]!.chain.store.header(before + 1 + i)!;
      return decodeQbftExtra(extraData).round;
    });
    expect(rounds).toEqual(rounds.map(() => 0));
  });

  it('costs the turns of one that lives an hour ahead, and no more', async () => {
    await startWithClocks();
    setMs[1] = HOUR_MS;
    await network.reach(head().number + 9, network.nodes, 3 * MINUTE_MS);
    expect(head().header.timestamp < BigInt(network.time.nowMs()) / 1000n + 60n).toBe(true);
  });

  it('lets a newcomer follow whose clock is an hour behind', async () => {
    await startWithClocks();
    setMs[4] = -HOUR_MS;
    const more = { hub: network.hub, genesis: GENESIS, secretKey: RICH, isMining: false };
    network.nodes.push(await memoryNode({ ...more, calendar: calendarOf(4) }));
    await network.reach(head().number + 6);
  });
});

describe('private state', () => {
  const hash = new Uint8Array(64).fill(7);
  const code = fromHex('0x600a600c600039600a6000f3602a60005260206000f3');
  const held: HeldPayload = {
    kind: 'held',
    payload: code,
    flag: 0,
    affected: [],
    execHash: undefined,
    managedParties: ['A'],
    senderKey: 'A',
  };
  const creation = signTransaction({ nonce: 0n, gasLimit: 1_000_000n, data: hash }, RICH, {
    isPrivate: true,
  });

  /** Knows the payload, while `isUp`. */
  function party(isUp: () => boolean): Manager {
    return {
      ...managerNotInUse(),
      ask: async (queries) => {
        if (!isUp()) throw new Error('connection refused');
        return new Map(queries.map((query) => [queryKey(query), held]));
      },
    };
  }

  const contract = fromHex('0x42699a7612a82f1d9c36148af9c77354759b210b');
  const codeAt = ({ chain }: MemoryNode) => {
    const space = { kind: 'private', psi: 'private' } as const;
    const reader = chain.store.stateAt(space, chain.store.cursor(space));
    const account = reader.account(contract);
    return account ? toHex(reader.code(account.codeHash)) : undefined;
  };

  it('is with the parties alone', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => (index < 2 ? { manager: party(() => true) } : {}));
    await network.nodes[0]!.intake.submit(creation);
    await network.until(
      () =>
        network.nodes.every(
          ({ chain }) => chain.store.transactionByHash(creation.hash) !== undefined,
        ),
      'mined',
    );
    expect(network.nodes.map(codeAt)).toEqual([
      '0x602a60005260206000f3',
      '0x602a60005260206000f3',
      '0x',
      '0x',
    ]);
  });

  it('waits for its manager while blocks go on, and heals in order', async () => {
    let isUp = false;
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => (index === 1 ? { manager: party(() => isUp) } : {}));
    await network.nodes[0]!.intake.submit(creation);
    const node = network.nodes[1]!;
    const cursor = () => node.chain.store.cursor({ kind: 'private', psi: 'private' });
    await network.reach(10);
    expect(cursor()).toBeLessThan(10);
    expect(await node.follower!.arrival()).toBe(false);
    isUp = true;
    await network.until(
      () => cursor() === node.chain.head().number,
      'private state is at the head',
    );
    expect(codeAt(node)).toBe('0x602a60005260206000f3');
  });

  it('that is not at the head yet is waited for', async () => {
    let answer: Promise<void> = Promise.resolve();
    let release = () => {};
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) =>
      index === 1
        ? {
            manager: {
              ...party(() => true),
              ask: async (queries) => {
                await answer;
                return party(() => true).ask(queries);
              },
            },
          }
        : {},
    );
    const node = network.nodes[1]!;
    const cursor = () => node.chain.store.cursor({ kind: 'private', psi: 'private' });
    await network.reach(2);
    answer = new Promise<void>((resolve) => {
      release = resolve;
    });
    await network.nodes[0]!.intake.submit(creation);
    await network.until(() => cursor() < node.chain.head().number, 'private state is behind');
    let isDeployed: boolean | undefined;
    const base = node.follower!.headBase('private').then(({ reader }) => {
      isDeployed = reader.account(contract) !== undefined;
    });
    let hasArrived: boolean | undefined;
    const arrival = node.follower!.arrival().then((isThere) => {
      hasArrived = isThere;
    });
    release();
    const isOver = () => isDeployed !== undefined && hasArrived !== undefined;
    await network.until(isOver, 'private state is at the head');
    await Promise.all([base, arrival]);
    expect([isDeployed, hasArrived]).toEqual([true, true]);
  });
});
