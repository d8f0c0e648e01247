/**
 * eth_simulateV1 on a node with private state, and its limits (the vectors of go-ethereum are in
 * test/vectors).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { decodeBlock } from '../../../../core/chain/block.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/gas-price-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
  .filter(({ number }) => number > 0)
  .map(({ rlp }) => decodeBlock(fromHex(rlp)));
/** Stores its input in slot 0; without input it returns the slot. */
const KEEPER = '0x3615600c57600035600055005b60005460005260206000f3';
const FROM = `0x${'c0'.repeat(20)}`;
const PLAIN = `0x${'c1'.repeat(20)}`;
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

let node: RpcNode;
let contract: string;

beforeAll(async () => {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(7),
    blocks: BLOCKS,
    manager: await recordedManager(RECORDING, 'node1'),
  });
  await until(() => node.node.follower!.cursor() === BLOCKS.length, 'the private state follows');
  contract = await privateContract();
});
afterAll(() => node.close());

async function privateContract(): Promise<string> {
  for (const { hash, isPrivate, to } of BLOCKS.flatMap(({ transactions }) => transactions)) {
    if (!isPrivate || to) continue;
    const id = `0x${Buffer.from(hash).toString('hex')}`;
    const { contractAddress } = await node.call('eth_getTransactionReceipt', id);
    if ((await node.call('eth_getCode', contractAddress, 'latest')) !== '0x')
      return contractAddress;
  }
  throw new Error('the recording has no private contract');
}

const simulate = (options: object) => node.call('eth_simulateV1', options, 'latest');
const failure = (options: object) =>
  simulate(options).then(
    () => 'none',
    ({ number, code, message }) => `${number ?? code} ${message}`,
  );

/** Stores a value in one simulated block, and reads it in the next. */
async function kept(to: string, value: number): Promise<any[]> {
  const [first, second] = [
    { from: FROM, to, input: word(value) },
    { from: FROM, to },
  ];
  const stateOverrides = { [to]: { code: KEEPER } };
  return simulate({ blockStateCalls: [{ stateOverrides, calls: [first] }, { calls: [second] }] });
}

it('a private contract keeps what it did from block to block, and no root reveals it', async () => {
  const runs = await Promise.all([kept(contract, 5), kept(contract, 6)]);
  expect(runs.map((blocks) => blocks[1].calls[0].returnData)).toEqual([word(5), word(6)]);
  expect(runs[0]!.map(({ stateRoot }) => stateRoot)).toEqual(
    runs[1]!.map(({ stateRoot }) => stateRoot),
  );
  const open = await Promise.all([kept(PLAIN, 5), kept(PLAIN, 6)]);
  expect(open[0]![1].calls[0].returnData).toBe(word(5));
  expect(open[0]![0].stateRoot).not.toBe(open[1]![0].stateRoot);
});

it('nothing of it happens', async () => {
  const before = await node.call('eth_getStorageAt', contract, '0x0', 'latest');
  const head = await node.call('eth_getBlockByNumber', 'latest', false);
  const [block] = await kept(contract, 77);
  expect(block).toMatchObject({
    parentHash: head.hash,
    number: `0x${(Number(head.number) + 1).toString(16)}`,
    timestamp: `0x${(Number(head.timestamp) + 12).toString(16)}`,
  });
  expect(await node.call('eth_getStorageAt', contract, '0x0', 'latest')).toBe(before);
  expect(await node.call('eth_blockNumber')).toBe(head.number);
});

describe('a simulation has limits', () => {
  const calls = (count: number) => Array(count).fill({ from: FROM, to: PLAIN });
  const block = (count: number) => ({ calls: calls(count) });

  it('of blocks and calls', async () => {
    expect(await failure({ blockStateCalls: [] })).toBe('-32602 empty input');
    expect(await failure({ blockStateCalls: Array(257).fill({}) })).toBe('-38026 too many blocks');
    const far = { blockOverrides: { number: '0xffffff' } };
    expect(await failure({ blockStateCalls: [far] })).toBe('-38026 too many blocks');
    expect(await failure({ blockStateCalls: [block(5_001)] })).toBe(
      '-38026 too many calls in block: 5001 > 5000',
    );
    expect(await failure({ blockStateCalls: Array(3).fill(block(4_000)) })).toBe(
      '-38026 too many calls: 12000 > 10000',
    );
  });

  it('of gas: that of one call for all of them together', async () => {
    const loop = { code: '0x5b600056' };
    const endless = { from: FROM, to: PLAIN, gas: '0x2faf080' };
    const stateOverrides = { [PLAIN]: loop };
    const [
      {
        calls: [ran],
      },
    ] = await simulate({
      blockStateCalls: [{ stateOverrides, calls: [endless] }],
    });
    expect(ran).toMatchObject({ status: '0x0', gasUsed: '0x17d7840' });
    expect(ran.error.message).toContain("capped by the RPC server's global gas cap");
    const more = [{ stateOverrides, calls: [endless] }, { calls: [endless] }];
    expect(await failure({ blockStateCalls: more })).toContain('-38013 err: intrinsic gas too low');
  });

  it('of gas in a block', async () => {
    const blockOverrides = { gasLimit: '0x7530' };
    const wanted = { blockOverrides, calls: [{ ...calls(1)[0], gas: '0x9c40' }] };
    expect(await failure({ blockStateCalls: [wanted] })).toBe(
      '-38015 block gas limit reached: remaining: 30000, required: 40000',
    );
  });
});

describe('with gas for seconds, a simulation still ends', () => {
  const WIDE = '0x7fffffffffffffff';
  const blockOverrides = { gasLimit: WIDE };
  const call = { from: FROM, to: PLAIN };
  let wide: RpcNode;
  beforeAll(async () => {
    wide = await rpcNode({
      genesis: genesisOf(RECORDING),
      secretKey: new Uint8Array(32).fill(7),
      argv: ['--rpc.gascap', '3000000000', '--vm.calltimeout', '1'],
    });
  });
  afterAll(() => wide.close());
  const failureOf = (code: string, calls: readonly object[]) => {
    const block = { blockOverrides, stateOverrides: { [PLAIN]: { code } }, calls };
    return wide.call('eth_simulateV1', { blockStateCalls: [block] }, 'latest').then(
      () => 'none',
      ({ message }) => message,
    );
  };

  it('after the time of one call', async () => {
    expect(await failureOf('0x5b600056', [call])).toBe('execution aborted (timeout = 1s)');
  });

  it('at the bytes of one answer', async () => {
    // Returns one megabyte, which is two in hex.
    expect(await failureOf('0x621000006000f3', Array(80).fill({ ...call, gas: '0x400000' }))).toBe(
      'the answer is longer than 128 MB: simulate fewer calls at a time',
    );
  });
});

it('what it does not know is refused by name', async () => {
  const one = (block: object) => failure({ blockStateCalls: [block] });
  expect(await one({ blockOverrides: { numbr: '0x1' } })).toContain('unknown block override');
  expect(await one({ calls: [{ gasPrice: '0x0', maxFeePerGas: '0x0' }] })).toContain(
    'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  );
  expect(await failure({ blockStateCalls: 1 })).toContain('must be a list');
  expect(await failure({ blockStateCalls: [{}], validation: 1 })).toContain('true or false');
});

it('eth_call moves precompiles too', async () => {
  const identity = `0x${'00'.repeat(19)}04`;
  const moved = { [identity]: { movePrecompileToAddress: PLAIN } };
  const at = (to: string) => node.call('eth_call', { to, data: '0x1234' }, 'latest', moved);
  expect(await at(PLAIN)).toBe('0x1234');
  expect(await at(identity)).toBe('0x');
});
