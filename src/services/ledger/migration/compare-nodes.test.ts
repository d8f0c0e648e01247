/** Two nodes that answer from one chain: what is asked of both, and what counts as a difference. */
import { describe, expect, it } from 'vitest';
import type { RpcAnswer, RpcCall } from '../../../io/ledger-client/rpc-batch.ts';
import { type ComparedNode, compareAnswers, compareNodes } from './compare-nodes.ts';

const HEAD = 40;
const hash = (kind: number, number: number) =>
  `0x${`${kind}${String(number).padStart(5, '0')}`.padStart(64, '0')}`;
const TO = `0x${'42'.repeat(20)}`;

/**
 * Answers everything about a chain of blocks with one transaction each; `change` may say otherwise.
 */
function node(change: (call: RpcCall) => RpcAnswer | undefined = () => undefined) {
  const asked: RpcCall[] = [];
  const answer = (call: RpcCall): RpcAnswer => {
    const number = Number(call.params[0]);
    if (call.method === 'eth_blockNumber') return { result: '0x28' };
    if (call.method !== 'eth_getBlockByNumber') return { result: call.params };
    const transactions = [{ hash: hash(2, number), from: TO, to: TO, v: '0x25', input: '0x01' }];
    return { result: { hash: hash(1, number), miner: TO, transactions } };
  };
  const compared: ComparedNode = {
    async ask(calls) {
      asked.push(...calls);
      return calls.map((call) => change(call) ?? answer(call));
    },
  };
  return { ...compared, asked };
}

const OPTIONS = { samples: 900, seed: 7, isPublic: false, onProgress: () => {} };

describe('two nodes of one chain', () => {
  it('are asked the same, about all that the chain names', async () => {
    const [old, now] = [node(), node()];
    const { methods, differences, asked, upTo } = await compareNodes(old, now, OPTIONS);
    expect({ asked, upTo, differences }).toEqual({ asked: 900, upTo: HEAD, differences: [] });
    expect(now.asked).toEqual(old.asked);
    expect([...methods.keys()]).toEqual(
      expect.arrayContaining([
        ...['eth_getTransactionReceipt', 'eth_getStorageAt', 'eth_getQuorumPayload'],
        ...['debug_privateStateRoot', 'istanbul_getValidators', 'debug_traceTransaction'],
      ]),
    );
  });

  it('that differ in one answer are found out', async () => {
    const wrong = ({ method, params }: RpcCall) =>
      method === 'eth_getStorageAt' && params[1] === '0x2' ? { result: '0x05' } : undefined;
    const { differences, methods } = await compareNodes(node(), node(wrong), OPTIONS);
    expect(differences.length).toBeGreaterThan(0);
    expect(differences[0]).toMatchObject({ call: { method: 'eth_getStorageAt' }, now: '"0x05"' });
    expect(methods.get('eth_getBlockByNumber')!.different).toBe(0);
  });

  it('of different chains are refused', async () => {
    const other = ({ method }: RpcCall) =>
      method === 'eth_getBlockByNumber' ? { result: { hash: hash(9, 0) } } : undefined;
    await expect(compareNodes(node(), node(other), OPTIONS)).rejects.toMatchObject({
      code: 'MIGRATION_OTHER_CHAIN',
    });
  });
});

it.each<[string, RpcAnswer, RpcAnswer, string]>([
  ['a member more', { result: { a: 1 } }, { result: { a: 1, b: 2 } }, 'same'],
  ['a member less', { result: { a: 1, b: 2 } }, { result: { a: 1 } }, 'different'],
  ['null and absent', { result: { a: null } }, { result: {} }, 'same'],
  ['null and an empty list', { result: { a: null } }, { result: { a: [] } }, 'same'],
  ['the time of a trace', { result: { time: '1ms' } }, { result: { time: '2ms' } }, 'same'],
  ['seals of its own', { result: { Committers: [1] } }, { result: { Committers: [2] } }, 'same'],
  [
    'a private transaction in no marker',
    { error: { message: 'private transaction not found for this participant' } },
    { result: null },
    'untold',
  ],
  ['a list in another order', { result: [1, 2] }, { result: [2, 1] }, 'different'],
  ['errors on both sides', { error: { message: 'x' } }, { error: { message: 'y' } }, 'same'],
  ['an error at the new one', { result: 1 }, { error: { message: 'y' } }, 'different'],
  ['pruned state', { error: { message: 'missing trie node 00' } }, { result: 1 }, 'untold'],
])('%s', (_what, old, now, verdict) => {
  expect(compareAnswers(old, now)).toBe(verdict);
});
