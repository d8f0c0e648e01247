/**
 * GraphQL over HTTP beyond the recorded queries: limits on the cost of a query, and access control.
 */
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import type { ServedApi } from '../serve.ts';
import { QueryRoom } from './query-room.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/public-chain');

let node: RpcNode;
let api: ServedApi;

beforeAll(async () => {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(7),
    blocks: readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
      .filter(({ number }) => number > 0)
      .map(({ rlp }) => decodeBlock(fromHex(rlp))),
    argv: ['--graphql', '--graphql.vhosts', 'graph.example'],
  });
  api = await node.serve();
}, 60_000);
afterAll(async () => {
  await api.close();
  await node.close();
});

async function ask(query: string, variables?: object) {
  const body = JSON.stringify({ query, variables });
  const reply = await fetch(api.graphqlUrl!, { method: 'POST', body });
  return { status: reply.status, ...((await reply.json()) as { data?: any; errors?: any[] }) };
}

const messageOf = async (query: string) => {
  const { status, errors } = await ask(query);
  return `${status} ${errors?.[0]?.message}`;
};

describe('limits', () => {
  it('fields within each other', async () => {
    const deep = (levels: number) =>
      `{ block ${'{ parent '.repeat(levels)}{ number }${' }'.repeat(levels)} }`;
    expect((await ask(deep(18))).data.block.parent.parent).toBeDefined();
    expect(await messageOf(deep(19))).toBe(
      '400 the query is too large: fields stand 21 deep within each other: at most 20',
    );
    const parts = Array.from({ length: 11 }, (_, at) => {
      const next = at < 10 ? `...f${at + 1}` : 'number';
      return `fragment f${at} on Block { parent { parent { ${next} } } }`;
    });
    expect(await messageOf(`{ block { ...f0 } } ${parts.join(' ')}`)).toContain('24 deep');
  });

  it('words of a query', async () => {
    const query = `{ ${'gasPrice '.repeat(10_001)} }`;
    expect(await messageOf(query)).toMatch(/^400 Syntax Error: .* more tha. 10000 tokens/);
  });

  it('nesting that would exhaust the stack of a parser', async () => {
    expect((await ask(`{ block ${'{ parent '.repeat(4_000)}`)).status).toBe(400);
  });

  it('questions about the schema; tools may read it whole', async () => {
    const whole = await ask(getIntrospectionQuery());
    expect(whole.data.__schema.types.length).toBeGreaterThan(15);
    const many = Array.from(
      { length: 200 },
      (_, at) => `a${at}: fields { type { fields { name } } }`,
    );
    expect(await messageOf(`{ __schema { types { ${many.join(' ')} } } }`)).toBe(
      '400 the query is too large: it asks for too much of the schema',
    );
  });

  it('transactions of a mutation, in fragments too', async () => {
    const sends = (count: number) =>
      Array.from({ length: count }, (_, at) => `s${at}: sendRawTransaction(data: "0x0${at % 10}")`);
    const query = `mutation { ...some } fragment some on Mutation { ${sends(51).join(' ')} }`;
    expect(await messageOf(query)).toBe(
      '400 the query is too large: a mutation sends at most 50 transactions',
    );
  });

  it('fields of an answer', async () => {
    const aliases = Array.from({ length: 1_600 }, (_, at) => `n${at}: number`).join(' ');
    expect(await messageOf(`{ blocks(from: 0, to: 200) { ${aliases} } }`)).toBe(
      '400 the answer has more than 200000 fields: ask in parts',
    );
  });

  it('a search that is asked for again and again ends with the time of one call', () => {
    let isUp = false;
    const room = new QueryRoom({ gasCap: 0n, shouldStop: () => isUp, timeoutText: '5s' });
    const some = room.list([1, 2, 3], (each) => each);
    room.take(1);
    expect(some.next().value).toBe(1);
    isUp = true;
    expect(() => room.take(1)).toThrow('query aborted (timeout = 5s)');
    expect(some.next().done).toBe(true);
  });

  it('bytes, and payloads that the manager is asked for', () => {
    const room = () => new QueryRoom({ gasCap: 0n });
    expect(() => room().takeBytes(64 * 1024 * 1024 + 1)).toThrow('more than 64 MB: ask in parts');
    const full = room();
    for (let count = 0; count < 64; count++) full.takePayload();
    expect(() => full.takePayload()).toThrow('more than 64 private payloads: ask in parts');
    expect(() => full.take(1)).toThrow('more than 64 private payloads');
  });
});

it('numbers are taken in variables, as decimal text and as hex', async () => {
  const query = 'query q($n: Long) { block(number: $n) { number } }';
  for (const n of [5, '5', '0x5'])
    expect(await ask(query, { n })).toEqual({ status: 200, data: { block: { number: 5 } } });
  for (const n of [-1, 99_999_999, '9223372036854775807'])
    expect(await ask(query, { n })).toEqual({ status: 200, data: { block: null } });
  expect((await ask(query, { n: 'five' })).status).toBe(400);
});

it('what cannot be answered is reported field by field, with status 400', async () => {
  const { status, data, errors } = await ask(
    '{ gasPrice block { number account(address: "0x4fd3616e83af0bf23a22d3322006df068223c085") { address } call(data: { gas: 5 }) { status } } }',
  );
  expect(status).toBe(400);
  expect(errors).toEqual([
    { message: expect.stringContaining('intrinsic gas too low'), path: ['block', 'call'] },
  ]);
  expect(data.block.call).toBeNull();
  expect(data.block.account.address).toBe('0x4fd3616e83af0bf23a22d3322006df068223c085');
});

it("bodies that are not a query are refused in Go's words", async () => {
  const answer = async (body: string) => {
    const reply = await fetch(`${api.graphqlUrl}/`, { method: 'POST', body });
    return `${reply.status} ${await reply.text()}`;
  };
  expect(await answer('')).toBe('400 EOF\n');
  expect(await answer('{')).toBe('400 unexpected EOF\n');
  expect(await answer('[]')).toContain('400 ');
  expect(await answer('{"query":5}')).toBe('400 "query" is not a string\n');
  expect(await answer('x'.repeat(6 * 1024 * 1024)).catch(() => '413')).toContain('413');
});

it('host names are those of --graphql.vhosts', async () => {
  const { request } = await import('node:http');
  const statusFor = (host: string) =>
    new Promise((resolve) => {
      const { port } = new URL(api.graphqlUrl!);
      const asked = request(
        { port, path: '/graphql', method: 'POST', headers: { host } },
        (reply) => resolve(reply.resume().statusCode),
      );
      asked.end('{"query":"{ gasPrice }"}');
    });
  expect(await statusFor('graph.example')).toBe(200);
  expect(await statusFor('localhost')).toBe(403);
});

it('the page needs nothing from elsewhere', async () => {
  const page = await (await fetch(`${api.graphqlUrl}/ui`)).text();
  expect(page).toContain('GraphQL of this node');
  expect(page).not.toMatch(/(src|href)=/);
});

it('nothing is there without the flag', async () => {
  const silent = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(3),
  });
  const served = await silent.serve();
  for (const path of ['/graphql', '/graphql/ui'])
    expect((await fetch(served.httpUrl + path)).status).toBe(404);
  await served.close();
  await silent.close();
});
