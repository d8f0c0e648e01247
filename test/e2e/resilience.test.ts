/** Validators that stop and return, and are voted out and in again. */
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import {
  headOf,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import type { Rpc } from '../support/rpc-client.ts';

/** Deploys one byte of code: STOP. */
const CREATION = '0x60016000f3';

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

async function untilValidators(at: number, count: number): Promise<void> {
  await until(`node${at + 1} counts ${count} validators`, async () => {
    const validators = await net.rpc[at]!.call<string[]>('istanbul_getValidators', 'latest');
    return validators.length === count;
  });
}

it('a validator that was away catches up and takes part again', async () => {
  await net.devnet.process('node4').stop();
  const [from, to] = [net.accounts[0]!.address, net.accounts[1]!.address];
  const hash = await net.rpc[0]!.call('eth_sendTransaction', { from, to, value: '0x1' });
  const { blockNumber, blockHash } = await untilMined(net.rpc[0]!, hash);
  await untilBlock(net.rpc[0]!, Number(blockNumber) + 2);
  await net.devnet.restart('node4');
  expect((await untilMined(net.rpc[3]!, hash)).blockHash).toBe(blockHash);
  const back = await headOf(net.rpc[0]!);
  const own = net.devnet.description.nodes[3]!.address;
  await until('node4 proposes a block', async () => {
    const head = await headOf(net.rpc[3]!);
    for (let number = back; number <= head; number++) {
      const tag = `0x${number.toString(16)}`;
      const { miner } = await net.rpc[3]!.call<{ miner: string }>(
        'eth_getBlockByNumber',
        tag,
        false,
      );
      if (miner === own) return true;
    }
    return false;
  });
});

it('what a validator acknowledged just before it was stopped is mined while it is away', async () => {
  const wallet = new Wallet(net.accounts[2]!.privateKey);
  const fields = { to: wallet.address, chainId: 1337, gasLimit: 21_000, gasPrice: 0, type: 0 };
  const hashes: string[] = [];
  // The first one makes those behind it wait, to be sent to peers together.
  for (let nonce = 0; nonce < 8; nonce++) {
    const raw = await wallet.signTransaction({ ...fields, nonce });
    hashes.push(await net.rpc[3]!.call('eth_sendRawTransaction', raw));
  }
  await net.devnet.process('node4').stop();
  for (const hash of hashes) await untilMined(net.rpc[0]!, hash);
  await net.devnet.restart('node4');
});

it('nothing is decided with half of the validators stopped by miner_stop; miner_start brings the blocks back', async () => {
  const [a, b, c, d] = net.rpc as [Rpc, Rpc, Rpc, Rpc];
  const from = net.accounts[0]!.address;
  await c.call('miner_stop');
  await untilBlock(a, (await headOf(a)) + 3);
  await d.call('miner_stop');
  // COMMITs of the last height may be on their way: a transaction sent now comes after it.
  const stoppedAt = await headOf(a);
  const hash = await a.call('eth_sendTransaction', { from, data: CREATION, gas: '0x20000' });
  const { timestamp } = await a.call<{ timestamp: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  );
  await until('ten seconds have passed without a block', async () => {
    expect(await headOf(a)).toBeLessThanOrEqual(stoppedAt + 1);
    return Date.now() / 1000 - Number(timestamp) > 10;
  });
  expect(await a.call('eth_getTransactionReceipt', hash)).toBeNull();
  for (const rpc of [c, d]) await rpc.call('miner_start');
  const { contractAddress } = await untilMined(b, hash);
  expect(await b.call('eth_getCode', contractAddress, 'latest')).toBe('0x00');
});

it('a validator is voted out, and in again, by istanbul_propose', async () => {
  const candidate = net.devnet.description.nodes[3]!.address;
  const vote = (isIn: boolean) =>
    Promise.all(net.rpc.slice(0, 3).map((rpc) => rpc.call('istanbul_propose', candidate, isIn)));
  await vote(false);
  for (const at of [0, 3]) await untilValidators(at, 3);
  expect(await net.rpc[0]!.call('istanbul_getValidators', 'latest')).not.toContain(candidate);
  await untilBlock(net.rpc[3]!, (await headOf(net.rpc[0]!)) + 2);
  await vote(true);
  for (const at of [0, 3]) await untilValidators(at, 4);
  await untilBlock(net.rpc[0]!, (await headOf(net.rpc[0]!)) + 4);
});
