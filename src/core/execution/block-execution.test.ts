import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryChain, type PrivateNode } from '../../../test/support/memory-chain.ts';
import { fakeTransaction, senderOf } from '../../../test/support/pool-fixtures.ts';
import { recordedNode } from '../../../test/support/recorded-manager.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../test/vectors/goquorum-blocks.ts';
import { bareHex, fromHex, toHex } from '../base/hex.ts';
import { gasPace, type Pace } from '../base/pace.ts';
import { type Block, decodeBlock } from '../chain/block.ts';
import { bloomOfLogs } from '../chain/bloom.ts';
import { receiptsRoot } from '../chain/receipt.ts';
import { type PrivateAnswer, type PrivateQuery, queryKey } from '../privacy/inputs.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { BlockExecution } from './block-execution.ts';
import type { BlockJob } from './block-job.ts';
import type { ExecutedBlock } from './result.ts';

const PRIVATE_CHAIN = join(OWN_VECTORS, 'goquorum/private-chain');
const PUBLIC_CHAIN = join(OWN_VECTORS, 'goquorum/public-chain');

function blocksOf(recording: string): Block[] {
  return readBlocks(join(recording, 'chain/blocks.jsonl.gz'))
    .filter(({ number }) => number > 0)
    .map(({ rlp }) => decodeBlock(fromHex(rlp)));
}

function run(job: BlockJob, gasBudget = Number.MAX_SAFE_INTEGER): ExecutedBlock {
  const execution = new BlockExecution(job);
  while (execution.advance(gasPace(gasBudget)) === 'more');
  return execution.result();
}

const SENDER = senderOf(1);
const JOB: BlockJob = {
  rules: rulesOfFork('istanbul'),
  header: decodeBlock(fromHex(readBlocks(join(PUBLIC_CHAIN, 'chain/blocks.jsonl.gz'))[1]!.rlp))
    .header,
  transactions: [],
  hashes: () => undefined,
  base: MemoryReader.fromAlloc([]),
};
const deployment = (nonce: bigint, data: Uint8Array, gasLimit: bigint) => ({
  ...fakeTransaction(SENDER, { nonce, data, gasLimit }),
  to: undefined,
});

describe('answers that are missing', () => {
  it('are named until none is, and the public side never depends on them', async () => {
    const node = await recordedNode(PRIVATE_CHAIN, 'node3', false);
    const chain = new MemoryChain(genesisOf(PRIVATE_CHAIN), node);
    let waits = 0;
    for (const block of blocksOf(PRIVATE_CHAIN)) {
      const known = new Map<string, PrivateAnswer>();
      const inputs = { answer: (query: PrivateQuery) => known.get(queryKey(query)) };
      const job = { ...chain.job(block), inputs };
      let executed = run(job);
      while (executed.private.kind === 'waiting') {
        waits++;
        expect(toHex(executed.stateRoot)).toBe(toHex(block.header.stateRoot));
        expect(executed.private.wanted.length).toBeGreaterThan(0);
        for (const query of executed.private.wanted) {
          expect(known.has(queryKey(query))).toBe(false);
          known.set(queryKey(query), node.inputs.answer(query)!);
        }
        executed = run(job);
      }
      const whole = chain.import(block);
      if (executed.private.kind === 'done') {
        const [space] = executed.private.spaces.values();
        expect(toHex(space!.root)).toBe(toHex(whole.spaces.get('private')!.trie.root()));
      }
    }
    // Queries for plain payloads, markers, their inner payloads, and extension uuids found in logs.
    expect(waits).toBeGreaterThan(90);
  });
});

describe('slices', () => {
  it('give the same as one go', () => {
    const chain = new MemoryChain(genesisOf(PUBLIC_CHAIN));
    for (const block of blocksOf(PUBLIC_CHAIN)) {
      const sliced = run(chain.job(block), 1);
      const { executed } = chain.import(block);
      expect(toHex(sliced.stateRoot)).toBe(toHex(executed!.stateRoot));
      expect(toHex(sliced.receiptsRoot)).toBe(toHex(executed!.receiptsRoot));
    }
  });
});

describe('a transaction that takes long', () => {
  // Loops forever, so that it uses all its gas.
  const LOOP = fromHex('0x5b600056');

  it('is left and taken up again wherever it is, and ends as in one go', () => {
    const transactions = [deployment(0n, LOOP, 20_000_000n), deployment(1n, LOOP, 60_000n)];
    const job = { ...JOB, transactions };
    const execution = new BlockExecution(job);
    let pauses = 0;
    while (execution.advance(gasPace(1_000_000)) === 'more') pauses++;
    expect(pauses).toBeGreaterThan(15);
    expect(execution.result()).toMatchObject({
      gasUsed: 20_060_000n,
      stateRoot: run(job).stateRoot,
    });
  });

  it('ends when the pace says so: a builder continues as if it had not been tried', () => {
    const execution = new BlockExecution(JOB);
    const pace = (budget: number): Pace => {
      let left = budget;
      return (gas) => {
        left -= gas;
        return left < 0 ? 'stop' : 'go';
      };
    };
    expect(execution.include(deployment(0n, new Uint8Array(0), 60_000n), pace(0))).toBe('done');
    const { gasLeft } = execution;
    const long = deployment(1n, LOOP, 20_000_000n);
    expect(() => execution.include(long, pace(5_000_000))).toThrow('execution aborted');
    expect(execution.gasLeft).toBe(gasLeft);
    expect(execution.include(deployment(1n, LOOP, 60_000n), pace(0))).toBe('done');
    execution.advance();
    expect(execution.result().receipts.length).toBe(2);
  });
});

describe('a block with many logs', () => {
  const KB = 1024;
  /** Logs `bytes` of its memory, which are zero, `count` times. */
  const logging = (count: number, bytes: number) => {
    const push = (value: number) => `63${value.toString(16).padStart(8, '0')}`;
    // for (count; count > 0; count--) LOG0(0, bytes)
    return fromHex(`0x${push(count)}5b${push(bytes)}5fa0600190038060055700`);
  };
  const job = { ...JOB, rules: rulesOfFork('shanghai') };
  const creation = (data: Uint8Array) => deployment(0n, data, 60_000_000n);
  const pausesOf = (execution: BlockExecution, advance: () => 'more' | 'done') => {
    let pauses = 0;
    while (advance() === 'more') pauses++;
    return { pauses, execution };
  };

  it('pauses while its receipts are hashed', () => {
    const execution = new BlockExecution(job);
    while (execution.include(creation(logging(24, 256 * KB))) === 'more');
    const { pauses } = pausesOf(execution, () => execution.advance(() => 'pause'));
    // 24 pieces of 256 KB are encoded, and then hashed.
    expect(pauses).toBeGreaterThanOrEqual(48);
    const { receipts, receiptsRoot: root } = execution.result();
    expect(receipts[0]!.logs).toHaveLength(24);
    expect(toHex(root)).toBe(toHex(receiptsRoot(receipts)));
  });

  it('pauses while its logs are read and put into its bloom, which the pace of a builder can end', () => {
    const execution = new BlockExecution(job);
    const tx = creation(logging(10_240, 0));
    let told = 0;
    const counted: Pace = (gas) => {
      told += gas;
      return told > 18_000_000 ? 'stop' : 'go';
    };
    expect(() => execution.include(tx, counted)).toThrow('execution aborted');
    expect(execution.include(tx)).toBe('done');
    execution.advance();
    const [receipt] = execution.result().receipts;
    expect(receipt!.gasUsed).toBeLessThan(8_000_000n);
    expect(receipt!.logs).toHaveLength(10_240);
    expect(toHex(receipt!.bloom)).toBe(toHex(bloomOfLogs(receipt!.logs)));
  });
});

describe('a builder', () => {
  it('includes one transaction after the other, and a refused one leaves nothing behind', () => {
    const chain = new MemoryChain(genesisOf(PUBLIC_CHAIN));
    for (const block of blocksOf(PUBLIC_CHAIN)) {
      const execution = new BlockExecution({ ...chain.job(block), transactions: [] });
      for (const tx of block.transactions) {
        execution.include(tx);
        const { gasLeft } = execution;
        expect(() => execution.include(tx)).toThrow(
          /nonce too low: address 0x[0-9a-fA-F]{40}, tx: /,
        );
        expect(execution.gasLeft).toBe(gasLeft);
      }
      while (execution.advance(gasPace(1_000_000)) === 'more');
      expect(toHex(execution.result().stateRoot)).toBe(toHex(block.header.stateRoot));
      chain.import(block);
    }
  });
});

describe('what a manager says', () => {
  type Change = (answer: PrivateAnswer) => PrivateAnswer;
  const held = (terms: object): Change => {
    return (answer) => (answer.kind === 'held' ? { ...answer, ...terms } : answer);
  };
  // With gas prices, on several private states and on one: parties and strangers must compute the
  // same payments.
  it.each([
    ['private-chain', false],
    ['gas-price-chain', false],
    ['mps-chain', true],
  ])(
    'cannot make a block of %s bad: foreign, empty and flagged payloads end in the private receipt',
    async (name, isMps) => {
      const recording = join(OWN_VECTORS, 'goquorum', name);
      const real = await recordedNode(recording, 'node1', isMps);
      const blocks = blocksOf(recording);
      const changes: Change[] = [
        held({ payload: new Uint8Array(0) }),
        held({ payload: fromHex('0xfe') }),
        held({ flag: 3, execHash: undefined }),
        held({ flag: 1, affected: [] }),
        held({ flag: 3, execHash: new Uint8Array(32).fill(1) }),
        held({ managedParties: ['nobody’s'] }),
        () => ({ kind: 'notParty' }),
        () => ({ kind: 'fact', value: true }),
      ];
      for (const change of changes) {
        const node: PrivateNode = {
          ...real,
          inputs: { answer: (query) => change(real.inputs.answer(query)!) },
        };
        const chain = new MemoryChain(genesisOf(recording), node);
        // import() compares every public root with the header.
        for (const block of blocks) chain.import(block);
        expect(chain.head.block.header.number).toBe(blocks.at(-1)!.header.number);
      }
    },
  );

  it('is noted where it made a transaction fail', async () => {
    const node = await recordedNode(PRIVATE_CHAIN, 'node1', false);
    const chain = new MemoryChain(genesisOf(PRIVATE_CHAIN), node);
    for (const block of blocksOf(PRIVATE_CHAIN)) chain.import(block);
    const notes = chain.nodes.flatMap(({ executed }) => executed?.notes ?? []);
    expect(notes.map(({ text }) => text)).toContain(
      'verification of contract interaction differs from the one returned by Tessera',
    );
  });
});

describe('a block that must be refused', () => {
  it('names the transaction and the reason', () => {
    const chain = new MemoryChain(genesisOf(PUBLIC_CHAIN));
    const blocks = blocksOf(PUBLIC_CHAIN);
    const block = blocks.find(({ transactions }) => transactions.length > 0)!;
    for (const earlier of blocks) {
      if (earlier === block) break;
      chain.import(earlier);
    }
    const [tx] = block.transactions;
    const job = chain.job(block);
    const name = `could not apply tx 1 [0x${bareHex(tx!.hash)}]: nonce too low`;
    expect(() => run({ ...job, transactions: [tx!, tx!] })).toThrow(name);
    const priced = { ...job, rules: { ...job.rules, isQuorum: true, isGasPriceEnabled: true } };
    expect(() => run({ ...priced, header: { ...job.header, gasLimit: 20_000n } })).toThrow(
      'gas limit reached',
    );
    const refused = () => {
      throw Object.assign(new Error('account is not authorised'), { code: 'PERMISSION_DENIED' });
    };
    expect(() => run({ ...job, authorize: refused })).toThrow(
      /^could not apply tx 0 \[0x[0-9a-f]{64}\]: account is not authorised$/,
    );
  });
});
