import { afterAll, describe, expect, it } from 'vitest';
import { closeProxies, eea, play } from '../../../../test/support/played-proxy.ts';
import { memoryProxy, nodeAnswer, upstreamOf } from '../../../../test/support/signing-proxy.ts';
import { B, KEY, transfer } from '../../../../test/support/signing-vectors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import { decodeEea } from '../../../core/privacy/eea.ts';
import { FORGETFUL_JOURNAL } from './journal.ts';
import { EVERYBODY } from './open-guard.ts';

afterAll(closeProxies);

describe('answers of nodes to a transaction without a nonce', () => {
  const { nonce: _, ...free } = transfer;
  const unclear = (status: number, text: string) => sendRaw([nodeAnswer(status, text)]);
  const send = async (answers: unknown[]) => {
    const { reply, raws } = await sendRaw(answers);
    return { raws, body: JSON.parse(reply.body) };
  };
  const sendRaw = async (answers: unknown[]) => {
    let turn = 0;
    const raws: string[] = [];
    const upstream = upstreamOf(({ method, params }) => {
      if (method === 'eth_getTransactionCount') return { result: `0x${turn.toString(16)}` };
      if (!/Raw/.test(method)) return { result: null };
      raws.push(params[0] as string);
      return answers[Math.min(turn++, answers.length - 1)];
    });
    const proxy = memoryProxy({ keys: [KEY], chainId: 1337n, upstream });
    const reply = await proxy.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_sendTransaction',
      params: [free],
    });
    proxy.close();
    return { reply, raws };
  };
  const failed = (code: number, message: string) => ({ error: { code, message } });
  const fine = { result: '0xfine' };

  it.each<[string, object]>([
    ['Besu', failed(-32001, 'Nonce too low')],
    [
      'Besu with a reason',
      failed(-32001, 'Nonce too low (transaction nonce 1 below sender account nonce 2)'),
    ],
    ['geth', failed(-32000, 'nonce too low: next nonce 2, tx nonce 1')],
    ['GoQuorum', failed(-32000, 'replacement transaction underpriced')],
    ['Nethermind', failed(-32010, 'OldNonce')],
  ])('a nonce that is taken is noticed: %s', async (_name, taken) => {
    const { raws, body } = await send([taken, fine]);
    expect(body.result).toBe('0xfine');
    expect(raws.map((raw) => Number(decodeTransaction(fromHex(raw)).nonce))).toEqual([0, 1]);
  });

  it.each([
    failed(-32000, 'already known'),
    failed(-32000, 'Known transaction'),
    failed(-32010, 'AlreadyKnown'),
  ])('what the node has already is success with the hash: %j', async (known) => {
    const { raws, body } = await send([known]);
    expect(raws).toHaveLength(1);
    expect(body.result).toBe(toHex(keccak256(fromHex(raws[0]!))));
  });

  it.each([
    failed(-32000, 'insufficient funds for gas * price + value'),
    failed(-32003, 'Intrinsic gas exceeds gas limit'),
    failed(-32000, 'unknown transaction type'),
    failed(-32001, 'eth_sendRawTransaction - access denied'),
    failed(-32601, 'the method does not exist'),
  ])(
    'a refusal is handed on as it is, once, and its nonce goes to the next: %j',
    async (refusal) => {
      const { raws, body } = await send([refusal]);
      expect(raws).toHaveLength(1);
      expect(body.error).toEqual((refusal as any).error);
    },
  );

  it.each([
    [503, 'busy'],
    [200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'],
    [429, '{"error":"too many requests"}'],
  ])(
    'what is unclear goes out again as it is, and is handed on at last with the hash: %s %s',
    async (status, text) => {
      const { reply, raws } = await unclear(status, text);
      expect(new Set(raws).size).toBe(1);
      expect(raws.length).toBeGreaterThan(2);
      expect([reply.status, reply.body]).toEqual([status, text]);
      expect(reply.headers).toContain('X-Transaction-Hash');
    },
  );
});

it('the private state that a request names is kept with it: COMPAT the header before the URL', async () => {
  const kept: (string | undefined)[] = [];
  const add = async ({ psi }: { psi?: string | undefined }) => void kept.push(psi);
  const { proxy } = play({ journal: { ...FORGETFUL_JOURNAL, add } });
  const send = (path: string, ...headers: string[]) =>
    proxy.send(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_sendTransaction',
        params: [{ ...transfer, nonce: undefined }],
      },
      EVERYBODY,
      { path, headers },
    );
  await send('/');
  await send('/?a=b&PSI=PS%203');
  await send('/?PSI=PS3', 'Quorum-Psi', 'PS1');
  await send('/?PSI=PS3', 'Ledger-PSI', '');
  await send('/?PSI=');
  expect(kept).toEqual([undefined, 'PS 3', 'PS1', 'PS3', undefined]);
});

/** A private group with other members. */
const GROUP = Buffer.alloc(32, 7).toString('base64');

describe('nonces that a client names, and nonces that come back', () => {
  const pool = new Map<number, { raw: string; price: bigint }>();
  let isPoor = false;
  const { proxy } = play({
    upstream: upstreamOf(({ method, params }) => {
      if (method === 'eth_getTransactionCount') return { result: '0x0' };
      if (isPoor) return { error: { code: -32000, message: 'insufficient funds' } };
      const raw = params[0] as string;
      const { nonce, gasPrice, hash } = decodeTransaction(fromHex(raw));
      const there = pool.get(Number(nonce));
      if (there && there.price >= gasPrice)
        return { error: { code: -32000, message: 'replacement transaction underpriced' } };
      pool.set(Number(nonce), { raw, price: gasPrice });
      return { result: toHex(hash) };
    }),
  });
  const { nonce: _, ...free } = transfer;

  it('a higher price replaces what stands at the nonce, an equal one is refused as the node says', async () => {
    const send = (fields: object) =>
      proxy.call('eth_sendTransaction', { ...transfer, nonce: 1, ...fields });
    expect((await send({ gasPrice: 1 })).result).toMatch(/^0x/);
    expect((await send({ gasPrice: 1, value: 2 })).error.message).toContain('underpriced');
    expect((await send({ gasPrice: 2 })).result).toMatch(/^0x/);
    expect(pool.get(1)!.price).toBe(2n);
    for (const nonce of [0, 2]) {
      await proxy.call('eth_sendTransaction', free);
      expect([...pool.keys()]).toContain(nonce);
    }
  });

  it('an EEA transaction is replaced in the same way, each under its own group', async () => {
    const waiting = new Map<string, bigint>();
    const { proxy: eeaProxy } = play({
      upstream: upstreamOf(({ method, params }) => {
        if (method !== 'eea_sendRawTransaction') return { result: '0x0' };
        const raw = fromHex(params[0] as string);
        const { nonce, gasPrice, groupId } = decodeEea(raw);
        const place = `${nonce} ${toHex(groupId)}`;
        if ((waiting.get(place) ?? -1n) >= gasPrice)
          return { error: { code: -32000, message: 'replacement transaction underpriced' } };
        waiting.set(place, gasPrice);
        return { result: toHex(keccak256(raw)) };
      }),
    });
    const send = (fields: object) =>
      eeaProxy.call('eea_sendTransaction', { ...eea, nonce: 1, ...fields });
    const parties = { privateFor: [B] };
    const first = await send({ ...parties, gasPrice: 10 });
    expect(first.result).toMatch(/^0x/);
    expect((await send({ ...parties, gasPrice: 10, data: '0x99' })).error.message).toContain(
      'underpriced',
    );
    const second = await send({ ...parties, gasPrice: 11 });
    expect(second.result).toMatch(/^0x/);
    expect(second.result).not.toBe(first.result);
    expect((await send({ gasPrice: 10, privacyGroupId: GROUP })).result).toMatch(/^0x/);
    expect([...waiting.values()]).toEqual([11n, 10n]);
  });

  it('a nonce that was refused goes to the next', async () => {
    isPoor = true;
    expect((await proxy.call('eth_sendTransaction', free)).error.message).toContain('funds');
    isPoor = false;
    await proxy.call('eth_sendTransaction', free);
    expect([...pool.keys()].sort()).toEqual([0, 1, 2, 3]);
  });
});
