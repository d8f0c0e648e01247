/**
 * trace_*, muxTracer, block overrides and other requests of newer clients, on a chain of one
 * validator.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FROM, mined, miningNode } from '../../../../../test/support/mining-node.ts';
import type { RpcNode } from '../../../../../test/support/rpc-node.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../../core/base/secp256k1.ts';
import { signTransaction } from '../../../../core/chain/signing.ts';

const TO = `0x${'ab'.repeat(20)}`;
/** SSTORE(0, 42), then a CALL that sends 1 wei to TO; used as creation code of a contract. */
const CREATOR = `0x602a600055600060006000600060017f${TO.slice(2).padStart(64, '0')}5af100`;

let node: RpcNode;
let created: { hash: string; blockNumber: string; contractAddress: string };
let sent: { hash: string; blockNumber: string };

async function send(args: object): Promise<any> {
  const hash = await node.call('eth_sendTransaction', { from: FROM, gas: '0x30000', ...args });
  return { hash, ...(await mined(node, hash)) };
}

beforeAll(async () => {
  node = await miningNode({});
  created = await send({ data: CREATOR, value: '0x5' });
  sent = await send({ to: TO, value: '0x7' });
});
afterAll(() => node.close());

describe('trace_*', () => {
  it('the calls of a transaction, of its block and of a range are one list', async () => {
    const traces = await node.call('trace_transaction', created.hash);
    const place = { transactionHash: created.hash, transactionPosition: 0 };
    expect(traces).toMatchObject([
      {
        ...{ ...place, type: 'create', subtraces: 1, traceAddress: [] },
        blockNumber: Number(created.blockNumber),
        action: { from: FROM, value: '0x5', init: CREATOR },
        result: { address: created.contractAddress },
      },
      {
        ...{ ...place, type: 'call', subtraces: 0, traceAddress: [0] },
        action: { from: created.contractAddress, to: TO, value: '0x1', callType: 'call' },
        result: { output: '0x' },
      },
    ]);
    expect(await node.call('trace_block', created.blockNumber)).toEqual(traces);
    const all = await node.call('trace_filter', { fromBlock: '0x0', toBlock: 'latest' });
    const others = await node.call('trace_transaction', sent.hash);
    expect(all).toEqual([...traces, ...others]);
  });

  it('a filter takes sender and recipient, and pages', async () => {
    const range = { fromBlock: '0x1', toBlock: 'latest' };
    const filtered = (more: object) => node.call('trace_filter', { ...range, ...more });
    const toIt = await filtered({ toAddress: [TO] });
    expect(toIt.map((each: any) => each.action.value)).toEqual(['0x1', '0x7']);
    expect(await filtered({ toAddress: TO, fromAddress: FROM })).toEqual([toIt[1]]);
    expect(await filtered({ toAddress: [created.contractAddress] })).toMatchObject([
      { type: 'create' },
    ]);
    expect(await filtered({ toAddress: [TO], after: 1 })).toEqual([toIt[1]]);
    expect(await filtered({ toAddress: [TO], count: 1 })).toEqual([toIt[0]]);
    expect(await filtered({ toAddress: [FROM] })).toEqual([]);
  });

  it('a replay tells what a transaction changed', async () => {
    const asked = ['trace', 'stateDiff'];
    const { trace, stateDiff, vmTrace } = await node.call(
      'trace_replayTransaction',
      created.hash,
      asked,
    );
    expect([trace.length, vmTrace]).toEqual([2, null]);
    expect(trace[0]).not.toHaveProperty('blockNumber');
    const word = (value: string) => `0x${value.padStart(64, '0')}`;
    expect(stateDiff[TO]).toMatchObject({ balance: { '+': '0x1' } });
    expect(stateDiff[FROM].nonce).toEqual({ '*': { from: '0x0', to: '0x1' } });
    const { storage } = stateDiff[created.contractAddress];
    expect(JSON.stringify(storage)).toContain(word('2a'));
    expect(await node.call('trace_replayTransaction', created.hash, [])).toMatchObject({
      ...{ trace: [], stateDiff: null },
    });
  });

  it('a replay lists the opcodes, those of a call inside the opcode that made it', async () => {
    const { vmTrace } = await node.call('trace_replayTransaction', created.hash, ['vmTrace']);
    expect(vmTrace.code).toBe(CREATOR);
    expect(vmTrace.ops.map(({ op }: any) => op).join(' ')).toBe(
      `PUSH1 PUSH1 SSTORE ${'PUSH1 '.repeat(5)}PUSH32 GAS CALL STOP`,
    );
    expect(vmTrace.ops[2]).toMatchObject({
      ex: { store: { key: '0x0', val: '0x2a' }, push: [], mem: null },
      sub: null,
    });
    expect(vmTrace.ops[10]).toMatchObject({
      ex: { push: ['0x1'], mem: null },
      sub: { code: '0x', ops: [] },
    });
    const [one] = await node.call('trace_replayBlockTransactions', created.blockNumber, [
      'vmTrace',
    ]);
    expect(one.vmTrace).toEqual(vmTrace);
    expect([one.trace, one.stateDiff]).toEqual([[], null]);
  });

  it('a block is replayed whole, and one call is found by its position', async () => {
    const asked = ['trace', 'stateDiff'];
    const one = await node.call('trace_replayTransaction', created.hash, asked);
    expect(await node.call('trace_replayBlockTransactions', created.blockNumber, asked)).toEqual([
      one,
    ]);
    expect(await node.call('trace_replayBlockTransactions', '0x0', asked)).toEqual([]);
    const [outer, inner] = await node.call('trace_transaction', created.hash);
    expect(await node.call('trace_get', created.hash, [])).toEqual(outer);
    expect(await node.call('trace_get', created.hash, ['0x0'])).toEqual(inner);
    expect(await node.call('trace_get', created.hash, ['0x1'])).toBeNull();
    expect(await node.call('trace_get', `0x${'00'.repeat(32)}`, [])).toBeNull();
  });

  it('what was not sent is traced too: a call, and a signed transaction', async () => {
    const asked = ['trace', 'stateDiff'];
    const call = { from: FROM, to: TO, value: '0x3', gas: '0x30000' };
    const traced = await node.call('trace_call', call, asked, 'latest');
    expect(traced).toMatchObject({
      output: '0x',
      trace: [{ action: { from: FROM, to: TO, value: '0x3' }, subtraces: 0, type: 'call' }],
    });
    const { '*': change } = traced.stateDiff[TO].balance;
    expect(BigInt(change.to) - BigInt(change.from)).toBe(3n);
    const key = new Uint8Array(32).fill(0x77);
    const body = { nonce: 0n, gasPrice: 0n, gasLimit: 90_000n, to: undefined, value: 0n };
    const signed = signTransaction({ ...body, data: Uint8Array.of(0x00) }, key);
    const raw = await node.call('trace_rawTransaction', toHex(signed.raw), asked);
    expect(raw.trace).toMatchObject([
      { type: 'create', action: { from: toHex(addressOfSecretKey(key)), init: '0x00' } },
    ]);
    expect(await node.call('eth_getTransactionByHash', toHex(signed.hash))).toBeNull();
  });

  it('genesis has no traces; unknown kinds are said', async () => {
    expect(await node.call('trace_block', '0x0')).toEqual([]);
    expect(await node.call('trace_transaction', `0x${'00'.repeat(32)}`)).toBeNull();
    expect(await node.call('trace_replayTransaction', `0x${'00'.repeat(32)}`, [])).toBeNull();
    const failing = async (method: string, ...params: unknown[]) =>
      (await node.call(method, ...params).catch((error) => error)).message;
    expect(await failing('trace_block', '0xffff')).toBe('block #65535 not found');
    expect(await failing('trace_replayTransaction', sent.hash, ['x'])).toContain('found "x"');
    expect(await failing('trace_filter', 'x')).toContain('must be an object');
    expect(await failing('trace_filter', { after: -1 })).toContain('whole numbers');
  });
});

it('muxTracer runs several tracers over one run', async () => {
  const callTracer = { withLog: true };
  const each = async (tracer: string, tracerConfig: object) =>
    node.call('debug_traceTransaction', created.hash, { tracer, tracerConfig });
  const mux = await each('muxTracer', { callTracer, prestateTracer: {}, '4byteTracer': {} });
  expect(mux).toEqual({
    callTracer: await each('callTracer', callTracer),
    prestateTracer: await each('prestateTracer', {}),
    '4byteTracer': await each('4byteTracer', {}),
  });
  await expect(each('muxTracer', { muxTracer: {} })).rejects.toThrow('at most 8 other tracers');
  await expect(each('muxTracer', { nothing: {} })).rejects.toThrow("'nothing' undefined");
});

describe('block overrides', () => {
  /** Code that returns the word that an opcode reads from the block. */
  const reader = (opcode: string) => ({ [TO]: { code: `0x${opcode}60005260206000f3` } });
  const word = async (opcode: string, block: object) =>
    BigInt(await node.call('eth_call', { to: TO }, 'latest', reader(opcode), block));

  it('are what code sees', async () => {
    expect(await word('43', { number: '0x1234' })).toBe(0x1234n);
    expect(await word('42', { time: '0x77777777' })).toBe(0x77777777n);
    expect(await word('45', { gasLimit: '0x5555555' })).toBe(0x5555555n);
    expect(await word('44', { prevRandao: `0x${'99'.repeat(32)}` })).toBe(
      BigInt(`0x${'99'.repeat(32)}`),
    );
    expect(await word('48', { baseFeePerGas: '0x0' })).toBe(0n);
    expect(await word('4a', { blobBaseFee: '0x77' })).toBe(0x77n);
    expect(await word('41', { feeRecipient: TO })).toBe(BigInt(TO));
    expect(await word('41', { coinbase: FROM })).toBe(BigInt(FROM));
    expect(await word('43', {})).toBe(BigInt(await node.call('eth_blockNumber')));
  });

  it('are in traced calls too, and a wrong name is said', async () => {
    const options = { stateOverrides: reader('43'), blockOverrides: { number: '0x99' } };
    const traced = await node.call('debug_traceCall', { to: TO }, 'latest', options);
    expect(BigInt(`0x${traced.returnValue}`)).toBe(0x99n);
    await expect(word('43', { numbr: '0x1' })).rejects.toThrow('unknown block override "numbr"');
  });
});

describe('what newer clients ask', () => {
  it('versions, prices and refusals', async () => {
    expect(await node.call('eth_protocolVersion')).toBe('0x42');
    expect(await node.call('eth_blobBaseFee')).toBe('0x1');
    await expect(node.call('debug_setHead', '0x0')).rejects.toThrow('blocks are final here');
    const { info, methods } = await node.call('rpc_discover');
    expect(info.version).toBe('v0.0.0');
    expect(await node.call('rpc.discover')).toEqual({ openrpc: '1.3.2', info, methods });
    expect(await node.call('rpc_modules')).not.toHaveProperty(['rpc.discover']);
    expect(methods.map(({ name }: { name: string }) => name)).toContain('trace_filter');
  });

  it('a raw transaction is answered with its receipt, or with the hash when time is up', async () => {
    const secretKey = new Uint8Array(32).fill(9);
    expect(toHex(addressOfSecretKey(secretKey))).toBe(FROM);
    const raw = (nonce: bigint) => {
      const body = { nonce, gasPrice: 0n, gasLimit: 21_000n, value: 1n, data: new Uint8Array() };
      return toHex(
        signTransaction(
          { ...body, type: 0, to: addressOfSecretKey(secretKey), chainId: 1337n },
          secretKey,
        ).raw,
      );
    };
    const nonce = BigInt(await node.call('eth_getTransactionCount', FROM, 'pending'));
    expect(await node.call('eth_sendRawTransactionSync', raw(nonce))).toMatchObject({
      status: '0x1',
      from: FROM,
    });
    await node.call('miner_stop');
    const late = await node.call('eth_sendRawTransactionSync', raw(nonce + 1n), 50).catch((e) => e);
    expect(late).toMatchObject({ code: 4, data: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(late.message).toContain("wasn't processed in 50ms");
    await node.call('miner_start');
    await mined(node, late.data);
  });
});
