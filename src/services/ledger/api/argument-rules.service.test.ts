/** What clients of GoQuorum rely on in JSON-RPC over HTTP: names, arguments, envelopes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FROM, miningNode } from '../../../../test/support/mining-node.ts';
import type { RpcNode } from '../../../../test/support/rpc-node.ts';

let node: RpcNode;
let url: string;
let close: () => Promise<unknown>;
beforeAll(async () => {
  node = await miningNode({});
  const served = await node.serve();
  close = () => served.close();
  url = served.httpUrl!;
});
afterAll(async () => {
  await close?.();
  await node?.close();
});

async function post(body: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

const call = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
const invalid = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"invalid request"}}`;
const result = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"0x539"}`;
const CHAIN = { method: 'eth_chainId' };

it.each<[string, string, string]>([
  [
    'an empty batch',
    '[]',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}',
  ],
  ['a batch of a number', '[1]', `[${invalid('null')}]`],
  ['a batch of null', '[null]', `[${invalid('null')}]`],
  ['a number', '1', invalid('null')],
  ['null', 'null', invalid('null')],
  ['an id that is a list', '{"id":[],"method":"eth_chainId"}', invalid('null')],
  ['an id that is an object', '{"id":{},"method":"eth_chainId"}', invalid('null')],
  ['no method', '{"id":1}', invalid('1')],
  ['a notification', JSON.stringify(CHAIN), ''],
  ['a batch of notifications', JSON.stringify([CHAIN, CHAIN]), ''],
  [
    'broken JSON',
    '{"id":1',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
  ],
  ['an empty body', '', ''],
  ['another version', '{"jsonrpc":"7","id":1,"method":"eth_chainId"}', result('1')],
  ['an id that is text', call('eth_chainId', [], 'x'), result('"x"')],
  ['an id that is true', call('eth_chainId', [], true), result('true')],
  ['an id that is null', call('eth_chainId', [], null), result('null')],
  [
    'a batch with a notification: in order',
    `[${call('eth_chainId', [], 2)},${JSON.stringify(CHAIN)},${call('eth_chainId', null, 1)}]`,
    `[${result('2')},${result('1')}]`,
  ],
])('envelope: %s', async (_, body, wanted) => {
  const { status, text } = await post(body);
  expect([status, text.trim()]).toEqual([200, wanted]);
});

const NEITHER = 'invalid arguments; neither block nor hash specified';

it.each<[string, unknown, number, string]>([
  ['rpcdiscover', [], -32601, 'the method rpcdiscover does not exist/is not available'],
  ['eth_nothing', [], -32601, 'the method eth_nothing does not exist/is not available'],
  ['none_call', [], -32601, 'the method none_call does not exist/is not available'],
  ['ETH_chainId', [], -32601, 'the method ETH_chainId does not exist/is not available'],
  ['eth_ChainId', [], -32601, 'the method eth_ChainId does not exist/is not available'],
  ['eth_chainId', { a: 1 }, -32602, 'non-array args'],
  ['eth_chainId', [1], -32602, 'too many arguments, want at most 0'],
  ['eth_getBalance', [], -32602, 'missing value for required argument 0'],
  ['eth_getBalance', ['0x12', 'latest'], -32602, 'invalid argument 0: '],
  ['eth_getBalance', [FROM, '12'], -32602, 'hex string without 0x prefix'],
  ['eth_getBalance', [FROM, '0x'], -32602, 'invalid argument 1: hex string "0x"'],
  ['eth_getBalance', [FROM, ''], -32602, 'invalid argument 1: empty hex string'],
  ['eth_getBalance', [FROM, '0x01'], -32602, 'hex number with leading zero digits'],
  ['eth_getBalance', [FROM, '0xzz'], -32602, 'invalid hex string'],
  ['eth_sendRawTransaction', ['0x123'], -32602, 'hex string of odd length'],
  ['eth_getBalance', [FROM, '0xffffffffffffffff'], -32602, 'larger than int64'],
  [
    'eth_getBalance',
    [FROM, { blockNumber: '0x0', blockHash: `0x${'00'.repeat(32)}` }],
    -32602,
    'cannot specify both BlockHash and BlockNumber, choose one or the other',
  ],
  ['eth_getBalance', [FROM, {}], -32000, NEITHER],
  ['eth_subscribe', ['newHeads'], -32000, 'notifications not supported'],
])('arguments: %s %j', async (method, params, code, message) => {
  const { error } = JSON.parse((await post(call(method, params))).text);
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
});

it.each([
  ['eth_chainId', undefined],
  ['eth_chainId', null],
  ['eth_chainId', []],
  ['eth_estimateGas', [{ from: FROM, to: FROM }]],
  ['eth_estimateGas', [{ from: FROM, to: FROM }, null]],
  ['eth_getBalance', [FROM, 'earliest']],
  ['eth_getBalance', [FROM, { blockNumber: '0x0' }]],
])('taken: %s %j', async (method, params) => {
  expect(JSON.parse((await post(call(method, params))).text)).toHaveProperty('result');
});

it('a GET without a body is a health check; HEAD too', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(url, { method });
    expect([method, answer.status, await answer.text()]).toEqual([method, 200, '']);
  }
});
