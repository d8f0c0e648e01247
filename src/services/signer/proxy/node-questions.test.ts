import { decodeRlp } from 'ethers';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryProxy, nodeAnswer, upstreamOf } from '../../../../test/support/signing-proxy.ts';
import { A, B, KEY, transfer } from '../../../../test/support/signing-vectors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

function play(estimate: unknown, { estimatesGas = true, price = {} as unknown } = {}) {
  const upstream = upstreamOf(({ method, params }) => {
    if (/estimate/.test(method)) return estimate;
    if (/gasPrice/.test(method)) return price;
    if (/TransactionCount/.test(method)) return { result: '0x5' };
    return { result: toHex(keccak256(fromHex(params[0] as string))) };
  });
  const payloads = { storeRaw: () => Promise.resolve(new Uint8Array(64).fill(0xab)) };
  const keys = [KEY];
  const proxy = memoryProxy({ keys, chainId: 1337n, upstream, payloads, estimatesGas });
  ends.push(() => proxy.close());
  const sentBy = (method: RegExp) => {
    const sent = upstream.calls.find((call) => method.test(call.method))!;
    return decodeTransaction(fromHex(sent.params[0] as string));
  };
  const gasOf = (method: RegExp) => sentBy(method).gasLimit;
  const asked = () => upstream.calls.filter((call) => call.method === 'eth_estimateGas');
  return { proxy, gasOf, sentBy, asked, calls: upstream.calls };
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

describe('a private transaction with dynamic fees', () => {
  const { value: _, ...rest } = transfer;
  const secret = { ...rest, data: '0x01', gas: 50_000, privateFor: [B] };

  it.each([
    ['gas is free', '0x0', { maxFeePerGas: 9, maxPriorityFeePerGas: 3 }, 0n],
    ['gas has a price', '0x5', { maxFeePerGas: 9 }, 5n],
    ['it is more than is allowed', '0x5', { maxFeePerGas: 2, type: '0x2' }, 2n],
    ['the tip is higher', '0x5', { maxFeePerGas: 9, maxPriorityFeePerGas: 7, accessList: [] }, 7n],
  ])('is a legacy one at the price of the node: %s', async (_name, price, fees, gasPrice) => {
    const { proxy, sentBy } = play({}, { price: { result: price } });
    const { error } = await proxy.call('eth_sendTransaction', { ...secret, ...fees });
    expect(error).toBeUndefined();
    const { type, gasPrice: found, gasLimit } = sentBy(/sendRawPrivate/);
    expect([type, found, gasLimit]).toEqual([0, gasPrice, 50_000n]);
  });

  it('is one too where it is only signed, and where it is an EEA transaction', async () => {
    const { proxy, calls } = play({}, { price: { result: '0x5' } });
    const data = `0x${'ab'.repeat(64)}`;
    const { result } = await proxy.call('eth_signTransaction', {
      ...secret,
      data,
      maxFeePerGas: 9,
    });
    expect(decodeTransaction(fromHex(result))).toMatchObject({ type: 0, gasPrice: 5n });
    const terms = { privateFrom: A, restriction: 'restricted', maxFeePerGas: 9 };
    await proxy.call('eea_sendTransaction', { ...secret, ...terms });
    const [raw] = calls.find(({ method }) => method === 'eea_sendRawTransaction')!.params;
    expect((decodeRlp(raw as string) as string[])[1]).toBe('0x05');
  });

  it('gets gas and price where it names neither', async () => {
    const { proxy, sentBy } = play({ result: '0x7777' }, { price: { result: '0x5' } });
    await proxy.call('eth_sendTransaction', { ...secret, gas: undefined, maxFeePerGas: 9 });
    const { gasPrice, gasLimit } = sentBy(/sendRawPrivate/);
    expect([gasPrice, gasLimit]).toEqual([5n, 0x7777n]);
  });

  it('is not sent where the node does not tell the price', async () => {
    const error = { code: -32000, message: 'not now' };
    const refused = play({}, { price: { error } });
    const ask = (proxy: typeof refused.proxy) =>
      proxy.call('eth_sendTransaction', { ...secret, maxFeePerGas: 9 });
    expect((await ask(refused.proxy)).error).toEqual(error);
    const silent = play({}, { price: { result: null } });
    expect((await ask(silent.proxy)).error.data.reason).toContain('the price of gas');
    for (const { calls } of [refused, silent])
      expect(calls.map(({ method }) => method)).toEqual(['eth_gasPrice']);
  });
});

it('nothing is asked where gas is named, or unless it is wanted', async () => {
  const named = play({ result: '0x123456' });
  await named.proxy.call('eth_sendTransaction', { ...transfer, gas: '0x5300' });
  expect(named.gasOf(/sendRaw/)).toBe(0x5300n);
  const plain = play({ result: '0x123456' }, { estimatesGas: false });
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
