/**
 * Reads on a node as operators run it: in threads of their own, apart from the consensus thread.
 */
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDevnet, type TestDevnet, untilBlock, untilMined } from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';

/** JUMPDEST, PUSH1 0, JUMP: loops until the gas is used up. */
const ENDLESS = '0x5b600056';
const HOSTILE_CLIENTS = 8;
const BLOCKS = 20;

let net: TestDevnet;

beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
  await untilBlock(net.rpc[0]!, 1);
});

afterAll(async () => {
  await net?.close();
});

/** Code that returns the sum of balances. */
function sumOfBalances(...addresses: string[]): string {
  const [first, ...rest] = addresses.map((each) => `73${each.slice(2)}31`);
  return `0x${first}${rest.map((each) => `${each}01`).join('')}60005260206000f3`;
}

interface Block {
  readonly number: string;
  readonly timestamp: string;
}

describe('reads', () => {
  it('see the block of a receipt, each a single block, while others send', async () => {
    const { url } = net.rpc[0]!;
    const [from, to] = net.accounts.map(({ privateKey }) => new Wallet(privateKey));
    const balanceOf = async (...who: string[]) =>
      BigInt(await rpcClient(url).call('eth_call', { data: sumOfBalances(...who) }, 'latest'));
    const total = await balanceOf(from!.address, to!.address);
    const isOver = { value: false };
    const sums = Array.from({ length: 3 }, async () => {
      const seen = new Set<bigint>();
      while (!isOver.value) seen.add(await balanceOf(from!.address, to!.address));
      return seen;
    });
    let nonce = Number(await net.rpc[0]!.call('eth_getTransactionCount', from!.address, 'pending'));
    for (let round = 0; round < 6; round++) {
      const before = await balanceOf(to!.address);
      const raw = await from!.signTransaction({
        type: 0,
        to: to!.address,
        value: 5n,
        nonce: nonce++,
        gasLimit: 21_000n,
        gasPrice: 0n,
        chainId: BigInt(await net.rpc[0]!.call('eth_chainId')),
      });
      const hash = await net.rpc[round % 4]!.call('eth_sendRawTransaction', raw);
      const { blockNumber, blockHash } = await untilMined(net.rpc[0]!, hash);
      expect(await balanceOf(to!.address)).toBe(before + 5n);
      const node = rpcClient(url);
      const receipts = await node.call<any[]>('eth_getBlockReceipts', blockNumber);
      expect(receipts.map((each) => each.transactionHash)).toContain(hash);
      const proof = await node.call<any>('eth_getProof', to!.address, [], blockNumber);
      expect(BigInt(proof.balance)).toBe(before + 5n);
      const trace = await node.call<any[]>('debug_traceBlockByHash', blockHash, {
        tracer: 'callTracer',
      });
      expect(trace.length).toBe(receipts.length);
    }
    isOver.value = true;
    for (const seen of await Promise.all(sums)) expect([...seen]).toEqual([total]);
  });

  it('of eight endless clients delay no block, and each gets its answers', async () => {
    const node = net.rpc[0]!;
    const isOver = { value: false };
    const answers = Array.from({ length: HOSTILE_CLIENTS }, async () => {
      const texts: string[] = [];
      while (!isOver.value)
        texts.push(await node.call('eth_call', { data: ENDLESS }, 'latest').catch(String));
      return texts;
    });
    const first = await node.call<Block>('eth_getBlockByNumber', 'latest', false);
    const number = Number(first.number) + BLOCKS;
    await untilBlock(node, number);
    isOver.value = true;
    const last = await node.call<Block>('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
    // Blocks come each second; one round change would take ten.
    expect(Number(last.timestamp) - Number(first.timestamp)).toBeLessThanOrEqual(BLOCKS + 2);
    for (const texts of await Promise.all(answers)) {
      expect(texts.length).toBeGreaterThan(0);
      for (const text of texts) expect(text).toMatch(/out of gas|execution aborted/);
    }
  });
});

it('a node reports how long its thread was blocked, and is ready', async () => {
  const page = await fetch(`${net.rpc[0]!.url}/ready`);
  expect(page.status).toBe(200);
  expect(await page.json()).toMatchObject({ ready: true, lagMs: expect.any(Number) });
});
