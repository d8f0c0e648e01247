/**
 * The API on a growing chain of one validator, for what recordings of finished chains cannot show.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FROM, mined, miningNode, VALIDATOR } from '../../../../test/support/mining-node.ts';
import type { RpcNode } from '../../../../test/support/rpc-node.ts';
import { toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { OPEN } from '../../../io/rpc/access.ts';
import type { Caller, Channel } from '../../../io/rpc/dispatcher.ts';

const TO = `0x${'ab'.repeat(20)}`;
const CALLER: Caller = { transport: 'ws', psi: undefined, access: OPEN, remote: '' };

/** PUSH1 42, PUSH1 0, LOG1 with empty data, then returns nothing; deployed as creation code. */
const EMITTER = '0x602a60006000a100';

let node: RpcNode;

beforeAll(async () => {
  node = await miningNode({ emptyBlockPeriodSeconds: 1 });
});

afterAll(() => node.close());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('pending', () => {
  it('shows what the pool holds as a block, a state and a nonce', async () => {
    await node.call('miner_stop');
    const head = await node.call('eth_blockNumber');
    const before = await node.call('eth_getTransactionCount', FROM, 'latest');
    const hash = await node.call('eth_sendTransaction', { from: FROM, to: TO, value: '0x5' });
    const block = await node.call('eth_getBlockByNumber', 'pending', true);
    expect(Number(block.number)).toBe(Number(head) + 1);
    expect([block.hash, block.nonce, block.miner]).toEqual([null, null, null]);
    expect(block.transactions.map((each: any) => each.hash)).toEqual([hash]);
    expect(await node.call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1');
    expect(await node.call('eth_getBalance', TO, 'pending')).toBe('0x5');
    expect(await node.call('eth_getBalance', TO, 'latest')).toBe('0x0');
    expect(await node.call('debug_dumpAddress', TO, 'pending')).toMatchObject({
      balance: '5',
      nonce: 0,
      code: '',
      storage: {},
    });
    const next = await node.call('eth_getTransactionCount', FROM, 'pending');
    expect(Number(next)).toBe(Number(before) + 1);
    expect(await node.call('eth_pendingTransactions')).toMatchObject([{ hash, blockHash: null }]);
    expect(await node.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
    await node.call('miner_start');
    expect((await mined(node, hash)).status).toBe('0x1');
    expect(await node.call('eth_getBalance', TO, 'latest')).toBe('0x5');
  });

  it('resends with another gas limit', async () => {
    await node.call('miner_stop');
    const args = { from: FROM, to: TO, value: '0x1', gas: '0x5208' };
    const nonce = await node.call('eth_getTransactionCount', FROM, 'pending');
    const hash = await node.call('eth_sendTransaction', { ...args, nonce });
    const error = await node
      .call('eth_resend', { ...args, nonce }, '0x0', '0x7530')
      .catch((e) => e);
    // A replacement must pay more, which is impossible on a network without fees.
    expect(error.message).toBe('replacement transaction underpriced');
    await expect(
      node.call('eth_resend', { ...args, nonce, value: '0x2' }, '0x0', '0x7530'),
    ).rejects.toThrow(/^transaction 0x[0-9a-f]{64} not found$/);
    await node.call('miner_start');
    await mined(node, hash);
  });
});

describe('filters and subscriptions', () => {
  it('notify about blocks, transactions and logs as they come', async () => {
    const sent: any[] = [];
    const channel: Channel = {
      subscriptions: new Map(),
      send: (text) => void sent.push(JSON.parse(String(text))),
    };
    const ask = async (method: string, ...params: unknown[]) =>
      JSON.parse(
        await node.dispatcher.handle(
          JSON.stringify({ id: 1, method, params }),
          { ...CALLER, transport: 'ipc' },
          channel,
        ),
      ).result;
    const [heads, logs, pending] = [
      await ask('eth_subscribe', 'newHeads'),
      await ask('eth_subscribe', 'logs', {}),
      await ask('eth_subscribe', 'newPendingTransactions'),
    ];
    const blockFilter = await node.call('eth_newBlockFilter');
    const pendingFilter = await node.call('eth_newPendingTransactionFilter');
    const logFilter = await node.call('eth_newFilter', { topics: [] });
    const hash = await node.call('eth_sendTransaction', {
      from: FROM,
      data: EMITTER,
      gas: '0x30d40',
    });
    const receipt = await mined(node, hash);
    expect(receipt.logs).toHaveLength(1);
    const of = (id: string) =>
      sent.filter((each) => each.params.subscription === id).map((each) => each.params.result);
    await until(() => of(logs).length > 0 && of(heads).length > 0);
    expect(of(logs)).toEqual(receipt.logs);
    expect(of(pending)).toContain(hash);
    expect(of(heads).map((head: any) => head.hash)).toContain(receipt.blockHash);
    expect(await node.call('eth_getFilterChanges', blockFilter)).toContain(receipt.blockHash);
    expect(await node.call('eth_getFilterChanges', pendingFilter)).toContain(hash);
    expect(await node.call('eth_getFilterChanges', logFilter)).toEqual(receipt.logs);
    expect(await node.call('eth_getFilterChanges', logFilter)).toEqual([]);
    expect(await node.call('eth_getFilterLogs', logFilter)).toEqual(receipt.logs);
    expect(await node.call('eth_uninstallFilter', logFilter)).toBe(true);
    expect(await node.call('eth_uninstallFilter', logFilter)).toBe(false);
    await expect(node.call('eth_getFilterChanges', logFilter)).rejects.toThrow('filter not found');
    for (const close of channel.subscriptions.values()) close();
  });
});

it('tells that it catches up, and when it is done, as geth does', async () => {
  const sent: any[] = [];
  const channel: Channel = {
    subscriptions: new Map(),
    send: (text) => void sent.push(JSON.parse(String(text)).params.result),
  };
  const request = '{"id":1,"method":"eth_subscribe","params":["syncing"]}';
  await node.dispatcher.handle(request, CALLER, channel);
  node.node.events.emit('syncing', true);
  node.node.events.emit('syncing', false);
  const numbers = ['StartingBlock', 'CurrentBlock', 'HighestBlock', 'PulledStates', 'KnownStates'];
  const status = Object.fromEntries(numbers.map((name) => [name, 0]));
  expect(sent).toEqual([{ syncing: true, status }, false]);
  for (const close of channel.subscriptions.values()) close();
});

it('writes the text of miner_setExtra into its blocks', async () => {
  expect(await node.call('miner_setExtra', 'set while it runs')).toBe(true);
  const hash = await node.call('eth_sendTransaction', { from: FROM, to: TO });
  const { blockNumber } = await mined(node, hash);
  const { extraData } = await node.call('eth_getBlockByNumber', blockNumber, false);
  expect(extraData).toContain(Buffer.from('set while it runs').toString('hex'));
  await expect(node.call('miner_setExtra', 'x'.repeat(33))).rejects.toThrow(
    'extra exceeds max length. 33 > 32',
  );
});

describe('newer than GoQuorum', () => {
  it('fee history, tips, receipts of a block, safe and finalized', async () => {
    const hash = await node.call('eth_sendTransaction', { from: FROM, to: TO, value: '0x1' });
    const receipt = await mined(node, hash);
    expect(await node.call('eth_getBlockReceipts', receipt.blockNumber)).toEqual([receipt]);
    const history = await node.call('eth_feeHistory', '0x2', 'latest', [10, 90]);
    expect(history.baseFeePerGas).toEqual(['0x0', '0x0', '0x0']);
    expect(history.reward).toHaveLength(2);
    expect(await node.call('eth_maxPriorityFeePerGas')).toBe('0x0');
    for (const tag of ['safe', 'finalized'])
      expect(await node.call('eth_getBlockByNumber', tag, false)).toMatchObject({
        miner: toHex(addressOfSecretKey(VALIDATOR)),
      });
  });

  it('traces take the configuration of newer geth', async () => {
    const hash = await node.call('eth_sendTransaction', {
      from: FROM,
      data: EMITTER,
      gas: '0x30d40',
    });
    await mined(node, hash);
    const trace = (options: object) => node.call('debug_traceTransaction', hash, options);
    const call = await trace({ tracer: 'callTracer', tracerConfig: { withLog: true } });
    expect(call).toMatchObject({ type: 'CREATE', from: FROM });
    expect(call.logs).toHaveLength(1);
    const difference = await trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } });
    expect(Object.keys(difference)).toEqual(['pre', 'post']);
    expect(await trace({ tracer: 'flatCallTracer' })).toHaveLength(1);
    expect((await trace({ limit: 2 })).structLogs).toHaveLength(2);
    const assumed = await node.call('debug_traceCall', { to: TO }, 'latest', {
      tracer: 'opcountTracer',
      stateOverrides: { [TO]: { code: '0x600160020100' } },
    });
    expect(assumed).toBe(4);
  });

  it('describes itself: every method that is served, once', async () => {
    const document = await node.call('rpc.discover');
    const names: string[] = document.methods.map((each: any) => each.name);
    expect(document.openrpc).toMatch(/^1\./);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['eth_call', 'debug_traceTransaction', 'rpc.discover']),
    );
    for (const each of document.methods) {
      expect(each.summary).not.toBe('');
      for (const param of each.params) expect(param.schema).toBeTypeOf('object');
    }
  });
});
