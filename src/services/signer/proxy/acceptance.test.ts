/**
 * What the acceptance tests of EthSigner and Web3Signer check in transactions and their answers,
 * with a simulated node.
 */
import { afterAll, describe, expect, it } from 'vitest';
import {
  type MemoryProxy,
  memoryProxy,
  nodeAnswer,
  upstreamOf,
} from '../../../../test/support/signing-proxy.ts';
import { A, ACCOUNT, B, G, KEY, TO, transfer } from '../../../../test/support/signing-vectors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { secp256k1 } from '../../../core/base/secp256k1.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';

const { nonce: _, ...free } = transfer;
const eea = { from: ACCOUNT, to: TO, data: '0x1234', privateFrom: A, restriction: 'restricted' };

const proxies: MemoryProxy[] = [];
afterAll(() => {
  for (const proxy of proxies) proxy.close();
});

/** `refusal`: the node's answer to every raw transaction. */
function play(refusal?: { readonly status: number; readonly error: object }, chainId = 1337n) {
  const upstream = upstreamOf(({ method, params, id }) => {
    if (/TransactionCount/.test(method)) return { result: '0x5' };
    if (!/Raw/.test(method)) return { result: `0x${'cd'.repeat(64)}` };
    if (refusal === undefined) return { result: toHex(keccak256(fromHex(params[0] as string))) };
    return nodeAnswer(refusal.status, { jsonrpc: '2.0', id, error: refusal.error });
  });
  const proxy = memoryProxy({ keys: [KEY], chainId, upstream });
  proxies.push(proxy);
  const ask = async (method: string, ...params: unknown[]) => {
    const { status, body } = await proxy.send({ jsonrpc: '2.0', id: 9, method, params });
    return { status, ...(JSON.parse(body) as { id: unknown; result?: string; error?: any }) };
  };
  const raws = () =>
    upstream.calls.filter(({ method }) => /Raw/.test(method) && !/store/.test(method));
  const signed = async (fields: object) => {
    const { status, result } = await ask('eth_sendTransaction', fields);
    const raw = raws().at(-1)!.params[0] as string;
    expect([status, result]).toEqual([200, toHex(keccak256(fromHex(raw)))]);
    return raw;
  };
  return { ask, raws, signed, calls: upstream.calls };
}

describe('members of a transaction', () => {
  it('that are missing or null mean the same, and so do all ways to name no recipient', async () => {
    const { signed } = play();
    const gas = { gas: '0x15f90', gasPrice: '0x0' };
    const whole = { ...transfer, ...gas, value: '0x0', data: '0x' };
    const raw = await signed(whole);
    for (const name of ['value', 'gas', 'gasPrice', 'data'] as const) {
      const { [name]: _value, ...rest } = whole;
      expect(await signed(rest)).toBe(raw);
      expect(await signed({ ...rest, [name]: null })).toBe(raw);
    }
    expect(await signed({ ...whole, to: TO.slice(2) })).toBe(raw);
    const { to: _to, ...creation } = { ...whole, data: '0x6001' };
    const created = await signed(creation);
    expect(decodeTransaction(fromHex(created)).to).toBeUndefined();
    for (const to of ['', '0x', null]) expect(await signed({ ...creation, to })).toBe(created);
  });

  it('that are not numbers are wrong parameters: nothing is signed', async () => {
    const { ask, calls } = play();
    for (const name of ['nonce', 'gas', 'gasPrice', 'value'])
      for (const method of ['eth_sendTransaction', 'eea_sendTransaction']) {
        const fields = method === 'eth_sendTransaction' ? transfer : { ...eea, privateFor: [B] };
        expect(await ask(method, { ...fields, [name]: 'NaN' })).toMatchObject({
          ...{ status: 400, id: 9 },
          error: { code: -32602, message: 'Invalid params' },
        });
      }
    expect(calls).toEqual([]);
  });

  it('from: any case and prefix; what is not an account here is a stranger', async () => {
    const { ask, signed, calls } = play();
    const raw = await signed(transfer);
    const mixed = '0x6370EF2f4Db3611D657b90667De398a2Cc2a370C';
    for (const from of [mixed, mixed.slice(2)])
      expect(await signed({ ...transfer, from })).toBe(raw);
    const before = calls.length;
    const publicKey = toHex(secp256k1().publicKey(KEY));
    const message = 'No unlocked account matches the Sender';
    for (const from of [
      ACCOUNT.slice(0, -2),
      `${ACCOUNT}00`,
      `0x${'zz'.repeat(20)}`,
      TO,
      publicKey,
    ]) {
      const error = { code: -32000, message };
      for (const [method, status, ...params] of [
        ['eth_sendTransaction', 400, { ...transfer, from }],
        ['eth_sendTransaction', 400, { ...free, from }],
        ['eea_sendTransaction', 400, { ...eea, from, privateFor: [B] }],
        ['eth_signTransaction', 200, { ...transfer, from }],
        ['eth_sign', 200, from, '0x00'],
        ['eth_signTypedData', 200, from, '{}'],
      ] as const)
        expect(await ask(method, ...params)).toMatchObject({ status, error });
    }
    expect(calls).toHaveLength(before);
  });
});

describe('signatures', () => {
  it('hold for every nonce: r and s are positive, whatever their top bit', async () => {
    const { signed } = play();
    let tops = 0;
    for (let nonce = 0; nonce < 100; nonce++) {
      const { sender, r } = decodeTransaction(fromHex(await signed({ ...transfer, nonce })));
      expect(toHex(sender)).toBe(ACCOUNT);
      if (r >> 255n === 1n) tops++;
    }
    expect(tops).toBeGreaterThan(20);
  });

  it('carry a long chain id', async () => {
    const { signed } = play(undefined, 4_123_123_123n);
    for (const fees of [{ gasPrice: 1 }, { maxFeePerGas: 2, maxPriorityFeePerGas: 1 }]) {
      const decoded = decodeTransaction(fromHex(await signed({ ...transfer, ...fees })));
      expect([decoded.chainId, toHex(decoded.sender)]).toEqual([4_123_123_123n, ACCOUNT]);
    }
  });
});

describe("the node's refusals", () => {
  it.each([
    [200, -32001, 'Nonce too low', transfer],
    [200, -32004, 'Upfront cost exceeds account balance', transfer],
    [200, -32004, 'Upfront cost exceeds account balance', free],
    [400, -32000, 'Wrong chainId', free],
    [400, -32000, 'ChainId not supported', free],
    [200, -32601, 'Method not found', free],
    [200, -32604, 'Method not enabled', free],
  ])(
    'come through as they are, after one submission: %i %i %s',
    async (status, code, message, fields) => {
      const error = { code, message };
      const { ask, raws } = play({ status, error });
      const answer = await ask('eth_sendTransaction', fields);
      expect(answer).toEqual({ status, jsonrpc: '2.0', id: 9, error });
      expect(raws()).toHaveLength(1);
    },
  );

  it('of a node without an enclave, too', async () => {
    const error = { code: -50100, message: 'Privacy is not enabled' };
    const { ask } = play({ status: 200, error });
    const answer = await ask('eea_sendTransaction', { ...eea, privateFor: [B] });
    expect(answer).toMatchObject({ status: 200, error });
  });

  it('of calls that are not ours as well, whatever their status', async () => {
    for (const [status, code] of [
      [200, -32601],
      [200, -32604],
      [418, -1],
    ] as const) {
      const error = { code, message: 'no' };
      const upstream = upstreamOf(() => nodeAnswer(status, { jsonrpc: '2.0', id: 1, error }));
      const proxy = memoryProxy({ keys: [KEY], chainId: 1n, upstream });
      proxies.push(proxy);
      const reply = await proxy.send({ jsonrpc: '2.0', id: 1, method: 'eth_none', params: [] });
      expect([reply.status, JSON.parse(reply.body).error]).toEqual([status, error]);
    }
  });
});

describe('private transactions', () => {
  it('EEA: nonces are asked for by parties, or by group', async () => {
    const { ask, raws, calls } = play();
    await ask('eea_sendTransaction', { ...eea, privateFor: [B] });
    await ask('eea_sendTransaction', { ...eea, privacyGroupId: G, nonce: null });
    const counts = calls.filter(({ method }) => /Count/.test(method));
    expect(counts.map(({ method, params }) => [method, ...params])).toEqual([
      ['priv_getEeaTransactionCount', ACCOUNT, A, [B]],
      ['priv_getTransactionCount', ACCOUNT, G],
    ]);
    expect(raws().map(({ method }) => method)).toEqual([
      'eea_sendRawTransaction',
      'eea_sendRawTransaction',
    ]);
  });

  it.each<[string, object]>([
    ['value', { privateFor: [B], value: '0x1' }],
    ['no sender', { privateFor: [B], privateFrom: undefined }],
    ['no restriction', { privateFor: [B], restriction: undefined }],
    ['another restriction', { privateFor: [B], restriction: 'invalid' }],
    ['parties and a group', { privateFor: [B], privacyGroupId: G }],
    ['neither', {}],
    ['null', { privateFor: null }],
  ])('EEA: %s is refused before the node is asked', async (_name, change) => {
    const { ask, calls } = play();
    expect(await ask('eea_sendTransaction', { ...eea, ...change })).toMatchObject({
      ...{ status: 400, error: { code: -32602, message: 'Invalid params' } },
    });
    expect(calls).toEqual([]);
  });

  it('GoQuorum: the terms go along, with a sender only where one was named; value is refused', async () => {
    const { ask, raws } = play();
    const fields = { from: ACCOUNT, to: TO, data: '0x01', privateFor: [B] };
    for (const [nonce, terms] of [{}, { privateFrom: A }].entries()) {
      await ask('eth_sendTransaction', { ...fields, nonce, ...terms });
      const { method, params } = raws().at(-1)!;
      expect(method).toBe('eth_sendRawPrivateTransaction');
      expect(params[1]).toEqual({ privateFor: [B], ...terms });
    }
    const refused = await ask('eth_sendTransaction', { ...fields, nonce: 2, value: '0x1' });
    expect(refused).toMatchObject({ status: 200, error: { code: -30200 } });
    expect(refused.error.message).toBe('ether value is not supported for private transactions');
    expect(raws()).toHaveLength(2);
  });
});
