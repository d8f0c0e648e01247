import { afterAll, describe, expect, it } from 'vitest';
import { memoryProxy, nodeAnswer, upstreamOf } from '../../../../test/support/signing-proxy.ts';
import { B, KEY, transfer } from '../../../../test/support/signing-vectors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

function play(estimate: unknown, estimatesGas = true) {
  const upstream = upstreamOf(({ method, params }) => {
    if (/estimate/.test(method)) return estimate;
    if (/TransactionCount/.test(method)) return { result: '0x5' };
    return { result: toHex(keccak256(fromHex(params[0] as string))) };
  });
  const payloads = { storeRaw: () => Promise.resolve(new Uint8Array(64).fill(0xab)) };
  const keys = [KEY];
  const proxy = memoryProxy({ keys, chainId: 1337n, upstream, payloads, estimatesGas });
  ends.push(() => proxy.close());
  const gasOf = (method: RegExp) => {
    const sent = upstream.calls.find((call) => method.test(call.method))!;
    return decodeTransaction(fromHex(sent.params[0] as string)).gasLimit;
  };
  const asked = () => upstream.calls.filter((call) => call.method === 'eth_estimateGas');
  return { proxy, gasOf, asked };
}

describe('a transaction that names no gas', () => {
  it('gets what the node estimates, without a price', async () => {
    const { proxy, gasOf, asked } = play({ result: '0x123456' });
    const accessList = [{ address: transfer.to, storageKeys: [`0x${'01'.repeat(32)}`] }];
    await proxy.call('eth_sendTransaction', { ...transfer, maxFeePerGas: 7, accessList });
    expect(gasOf(/sendRaw/)).toBe(0x123456n);
    const { from, to } = transfer;
    expect(asked()[0]!.params).toEqual([{ from, to, value: '0x1', data: '0x', accessList }]);
  });

  it('is estimated as the private one that it is', async () => {
    const { proxy, gasOf, asked } = play({ result: '0x123456' });
    const terms = { privateFor: [B], privacyFlag: 1 };
    await proxy.call('eth_sendTransaction', { ...transfer, value: 0, data: '0x0102', ...terms });
    expect(gasOf(/sendRawPrivate/)).toBe(0x123456n);
    expect(asked()[0]!.params[0]).toMatchObject({ data: '0x0102', ...terms });
  });

  it('is estimated before it is signed only', async () => {
    const { proxy } = play({ result: '0x123456' });
    const { result } = await proxy.call('eth_signTransaction', transfer);
    expect(decodeTransaction(fromHex(result)).gasLimit).toBe(0x123456n);
  });

  it('is not sent where the node refuses it: its error is the answer', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const { proxy, asked } = play({ error });
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'eth_sendTransaction', params: [transfer] },
      { jsonrpc: '2.0', id: 'b', method: 'eth_accounts' },
    ];
    const [first] = JSON.parse((await proxy.send(batch)).body);
    expect(first).toEqual({ jsonrpc: '2.0', id: 'a', error });
    expect(asked()).toHaveLength(1);
  });

  it.each([
    { result: '0x' },
    { result: null },
    nodeAnswer(200, 'nonsense'),
    nodeAnswer(200, 'null'),
  ])('is not sent where the node says nothing that counts: %j', async (answer) => {
    const { proxy } = play(answer);
    const { error } = await proxy.call('eth_sendTransaction', transfer);
    expect(error).toMatchObject({
      code: -32603,
      data: { reason: expect.stringContaining('the gas that') },
    });
  });
});

it('nothing is asked where gas is named, or unless it is wanted', async () => {
  const named = play({ result: '0x123456' });
  await named.proxy.call('eth_sendTransaction', { ...transfer, gas: '0x5300' });
  expect(named.gasOf(/sendRaw/)).toBe(0x5300n);
  const plain = play({ result: '0x123456' }, false);
  await plain.proxy.call('eth_sendTransaction', transfer);
  expect(plain.gasOf(/sendRaw/)).toBe(90_000n);
  expect([...named.asked(), ...plain.asked()]).toEqual([]);
});

it('an error of the node that stores a payload has the id of the client', async () => {
  const upstream = upstreamOf(() => ({ error: { code: -32601, message: 'no such method' } }));
  const proxy = memoryProxy({ keys: [KEY], chainId: 1337n, upstream });
  ends.push(() => proxy.close());
  const fields = { ...transfer, value: 0, data: '0x01', privateFor: [B] };
  const call = { jsonrpc: '2.0', id: 'mine', method: 'eth_sendTransaction', params: [fields] };
  expect(JSON.parse((await proxy.send(call)).body).id).toBe('mine');
});
