/**
 * Transactions that take long to execute, in networks of four nodes with virtual execution time.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryNode, MemoryNodeOptions } from '../../../../../test/support/memory-network.ts';
import { TOPOLOGY, ValidatorNetwork } from '../../../../../test/support/validator-network.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { keccak256 } from '../../../../core/base/keccak.ts';
import { decodeQbftExtra } from '../../../../core/chain/extra-data.ts';
import { genesisFromJson } from '../../../../core/chain/genesis.ts';
import { signTransaction } from '../../../../core/chain/signing.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';

/** One block per second, and rounds of four seconds. */
const GENESIS = genesisOf(0);
const [HOSTILE, FRIEND] = TOPOLOGY.accounts.map(({ privateKey }) => fromHex(privateKey));
const RECIPIENT = fromHex(TOPOLOGY.accounts[2]!.address);
/** One second is 2.5 million gas. */
const NANOSECONDS_PER_GAS = 400;
const GAS_A_SECOND = 2_500_000;
/** Runs until its gas is used up. */
const LOOP = fromHex('0x5b600056');

function loop(nonce: number, seconds: number): Transaction {
  const gasLimit = BigInt(GAS_A_SECOND * seconds);
  const fields = { nonce: BigInt(nonce), gasLimit, data: LOOP };
  return signTransaction(fields, HOSTILE!, { chainId: 1337n });
}

function transfer(nonce: number, key = FRIEND!): Transaction {
  const fields = { nonce: BigInt(nonce), gasLimit: 21_000n, to: RECIPIENT, value: 1n };
  return signTransaction(fields, key, { chainId: 1337n });
}

function genesisOf(emptyBlockPeriodSeconds: number, roundSeconds = 4) {
  const json = devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds }) as {
    config: { qbft: object };
  };
  Object.assign(json.config.qbft, { requestTimeoutSeconds: roundSeconds });
  return genesisFromJson(json);
}

let network: ValidatorNetwork;
afterEach(() => network.stop());

async function start(
  more: (index: number) => Partial<MemoryNodeOptions> = () => ({}),
  genesis = GENESIS,
): Promise<void> {
  network = new ValidatorNetwork(genesis);
  await network.start(4, (index) => ({ nanosecondsPerGas: NANOSECONDS_PER_GAS, ...more(index) }));
  await network.reach(genesis === GENESIS ? 2 : 1);
}

const isMined = ({ hash }: Transaction, { chain }: MemoryNode) =>
  chain.store.transactionByHash(hash) !== undefined;

/**
 * Rounds of the blocks since all nodes are connected, and the seconds between each block and the
 * one before it.
 */
function blocks({ chain }: MemoryNode): { round: number; seconds: number }[] {
  const found = [];
  for (let number = 3; number <= chain.head().number; number++) {
    const { extraData, timestamp } = chain.store.header(number)!;
    const before = chain.store.header(number - 1)!.timestamp;
    found.push({ round: decodeQbftExtra(extraData).round, seconds: Number(timestamp - before) });
  }
  return found;
}

/** Checks that no block was more than one period late, and no round was changed. */
function expectOnTime(node: MemoryNode): void {
  for (const { round, seconds } of blocks(node)) {
    expect(round).toBe(0);
    expect(seconds).toBeLessThanOrEqual(2);
  }
}

it('transactions of more than 8 MB are proposed in several blocks, which peers accept', async () => {
  await start(() => ({ nanosecondsPerGas: 1 }));
  const data = new Uint8Array(60_000);
  const all = Array.from({ length: 150 }, (_, nonce) =>
    signTransaction({ nonce: BigInt(nonce), gasLimit: 300_000n, to: RECIPIENT, data }, HOSTILE!, {
      chainId: 1337n,
    }),
  );
  const [first] = network.nodes as [MemoryNode];
  for (const transaction of all) await first.intake.submit(transaction);
  await network.until(
    () => network.nodes.every((node) => isMined(all.at(-1)!, node)),
    'the last transaction is mined',
  );
  const { store } = first.chain;
  const numbers = new Set(all.map(({ hash }) => store.transactionByHash(hash)!.block));
  expect(numbers.size).toBeGreaterThan(1);
  for (const number of numbers) {
    const { transactions } = store.block(number)!;
    const bytes = transactions.reduce((sum, { raw }) => sum + raw.length, 0);
    expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  }
  expectOnTime(first);
});

it('bytes count as time, beside that of execution', async () => {
  await start(() => ({ nanosecondsPerGas: 16 }));
  const data = new Uint8Array(60_000);
  data.set(LOOP);
  // 5 ms of execution, and 7.2 for the bytes.
  const gasLimit = 53_000n + BigInt(4 * 59_997 + 16 * 3) + 12_500n;
  const all = Array.from({ length: 150 }, (_, at) =>
    signTransaction({ nonce: 0n, gasLimit, data }, keccak256(Uint8Array.of(99, at)), {
      chainId: 1337n,
    }),
  );
  const [first] = network.nodes as [MemoryNode];
  for (const transaction of all) await first.intake.submit(transaction);
  await network.until(() => first.pool.stats.pending === 0, 'the last transaction is mined');
  const { store } = first.chain;
  const numbers = all.map(({ hash }) => store.transactionByHash(hash)!.block);
  const counts = [...new Set(numbers)].map((n) => numbers.filter((each) => each === n).length);
  expect(Math.max(...counts)).toBeGreaterThan(60);
  expect(Math.max(...counts)).toBeLessThan(90);
  expectOnTime(first);
});

it('what logs cost later counts too: fewer such transactions go into a block', async () => {
  await start(() => ({ nanosecondsPerGas: 2 }));
  // Creates nothing, with a log of 4 MB.
  const data = fromHex('0x624000006000a0');
  const all = Array.from({ length: 4 }, (_, nonce) =>
    signTransaction({ nonce: BigInt(nonce), gasLimit: 80_000_000n, data }, HOSTILE!, {
      chainId: 1337n,
    }),
  );
  const [first] = network.nodes as [MemoryNode];
  for (const transaction of all) await first.intake.submit(transaction);
  await network.until(() => isMined(all.at(-1)!, first), 'the last transaction is mined');
  const { store } = first.chain;
  const numbers = all.map(({ hash }) => store.transactionByHash(hash)!.block);
  const counts = [...new Set(numbers)].map((n) => numbers.filter((each) => each === n).length);
  // Three of them would be executed in the time of one block.
  expect(Math.max(...counts)).toBe(2);
  expectOnTime(first);
});

describe('a transaction that takes longer than half a round', () => {
  it('delays no block by more than a period, and is dropped; other transactions are mined meanwhile', async () => {
    await start();
    const [first] = network.nodes as [MemoryNode];
    const endless = loop(0, 40);
    const later = transfer(1, HOSTILE);
    await first.intake.submit(endless);
    await first.intake.submit(later);
    for (let nonce = 0; nonce < 12; nonce++) {
      await network.nodes[nonce % 4]!.intake.submit(transfer(nonce));
      await network.until(
        () => network.nodes.every((node) => isMined(transfer(nonce), node)),
        `transfer ${nonce} is mined`,
        6_000,
      );
    }
    const isGone = ({ pool }: MemoryNode) => !pool.has(endless.hash);
    await network.until(() => network.nodes.every(isGone), 'it is dropped everywhere');
    expectOnTime(first);
    const why = 'transaction takes too long to execute: more than 2s of CPU time';
    await expect(first.intake.submit(endless)).rejects.toThrow(why);
    // The sender's next transaction waits until another one has the dropped one's nonce.
    expect(first.pool.status(later.hash)).toBe('queued');
    await first.intake.submit(transfer(0, HOSTILE));
    await network.until(() => network.nodes.every((node) => isMined(later, node)), 'it is mined');
  });

  it('does not make others wait for an empty block period', async () => {
    await start(undefined, genesisOf(60));
    await network.nodes[0]!.intake.submit(loop(0, 40));
    await network.nodes[0]!.intake.submit(transfer(0));
    const isEverywhere = () => network.nodes.every((node) => isMined(transfer(0), node));
    await network.until(isEverywhere, 'the transfer is mined', 10_000);
  });

  it('does not stand in the way again after kill -9', async () => {
    await start();
    const endless = loop(0, 40);
    await network.nodes[0]!.intake.submit(endless);
    const head = network.nodes[0]!.chain.head().number;
    await network.reach(head + 2);
    const killed = network.nodes.splice(0);
    for (const node of killed) await node.kill();
    for (const [index, { disk }] of killed.entries()) {
      const more = { disk, nanosecondsPerGas: NANOSECONDS_PER_GAS };
      network.nodes.push(await network.node(index, more));
    }
    const [first] = network.nodes as [MemoryNode];
    expect(first.pool.has(endless.hash)).toBe(true);
    await network.reach(head + 14);
    expect(network.nodes.map(({ pool }) => pool.has(endless.hash))).toEqual(Array(4).fill(false));
    expectOnTime(first);
    // A dropped transaction is no longer in the journal either.
    await first.kill();
    network.nodes[0] = await network.node(0, { disk: first.disk });
    expect(network.nodes[0].pool.has(endless.hash)).toBe(false);
  });

  it('is dropped by whom it was sent to, though that one proposes nothing else', async () => {
    await start();
    for (let nonce = 0; nonce < 3; nonce++) {
      await network.nodes[0]!.intake.submit(loop(nonce, 40));
    }
    await network.until(
      () => network.nodes.every(({ pool }) => pool.stats.pending === 0),
      'nothing executable is left',
      120_000,
    );
    expect(network.nodes.map(({ pool }) => pool.stats.queued)).toEqual([2, 2, 2, 2]);
    expectOnTime(network.nodes[0]!);
  });
});

describe('a transaction that takes more than a block has, and less than half a round', () => {
  it('is mined, alone in front of the others', async () => {
    await start();
    const heavy = loop(0, 1.6);
    await network.nodes[0]!.intake.submit(heavy);
    await network.until(
      () => network.nodes.every((node) => isMined(heavy, node)),
      'it is mined',
      60_000,
    );
    const { number } = network.nodes[0]!.chain.head();
    await network.reach(number + 4);
    expect(blocks(network.nodes[0]!).every(({ round }) => round === 0)).toBe(true);
    expect(network.nodes[0]!.pool.stats.pending).toBe(0);
  });
});

describe('a flood of transactions from accounts that are new each time', () => {
  /** Number of blocks until every node has mined this transaction. */
  async function blocksUntilMined(nonce: number): Promise<number> {
    const [first] = network.nodes as [MemoryNode];
    const { number } = first.chain.head();
    await network.nodes[nonce % 4]!.intake.submit(transfer(nonce));
    const isMinedAll = () => network.nodes.every((node) => isMined(transfer(nonce), node));
    await network.until(isMinedAll, `transfer ${nonce} is mined`, 40_000);
    return first.chain.head().number - number;
  }

  function flood(seconds: number, from: number): Promise<unknown> {
    const keys = Array.from({ length: 40 }, (_, at) => keccak256(Uint8Array.of(from, at)));
    const gasLimit = BigInt(GAS_A_SECOND * seconds);
    const fields = { nonce: 0n, gasLimit, data: LOOP };
    const all = keys.map((key) => signTransaction(fields, key, { chainId: 1337n }));
    return Promise.all(all.map((each, at) => network.nodes[at % 4]!.intake.submit(each)));
  }

  it.each([
    ['take most of a block each', 0.7],
    ['take more than a block each', 1.6],
    ['end in no time', 40],
  ])('lets others through: those that %s', async (_, seconds) => {
    await start();
    await flood(seconds, 1);
    for (let nonce = 0; nonce < 4; nonce++) {
      expect(await blocksUntilMined(nonce)).toBeLessThanOrEqual(4);
      await flood(seconds, 2 + nonce);
    }
    for (const { round } of blocks(network.nodes[0]!)) expect(round).toBe(0);
  });

  it('delays only the first blocks: later ones take less of it', async () => {
    await start();
    for (let from = 1; from <= 4; from++) await flood(0.1, from);
    const [first] = network.nodes as [MemoryNode];
    await network.until(() => first.pool.stats.pending === 0, 'the flood is mined');
    expectOnTime(first);
    const late = blocks(first).filter(({ seconds }) => seconds > 1);
    expect(late.length).toBeLessThanOrEqual(2);
  });

  it.each([
    { seconds: 40, roundSeconds: 4 },
    { seconds: 0.1, roundSeconds: 12 },
  ])(
    'lets others through on a machine that has little time for the node: $seconds s each',
    async ({ seconds, roundSeconds }) => {
      await start(() => ({ processorShare: 0.25 }), genesisOf(0, roundSeconds));
      await flood(seconds, 1);
      for (let nonce = 0; nonce < 2; nonce++) {
        expect(await blocksUntilMined(nonce)).toBeLessThanOrEqual(4);
      }
    },
  );
});

describe('a proposer that keeps to no bound', () => {
  it('loses its rounds, and the height continues', async () => {
    // This node executes in no time, so it never interrupts the transaction.
    await start((index) => (index === 3 ? { nanosecondsPerGas: 0 } : {}));
    const endless = loop(0, 20);
    await network.nodes[3]!.intake.submit(endless);
    const { number } = network.nodes[0]!.chain.head();
    await network.reach(number + 12, network.nodes.slice(0, 3), 150_000);
    const rounds = blocks(network.nodes[0]!).map(({ round }) => round);
    expect(Math.max(...rounds)).toBe(1);
    expect(rounds.filter((round) => round === 1).length).toBeGreaterThan(2);
    expect(isMined(endless, network.nodes[0]!)).toBe(false);
  });
});
