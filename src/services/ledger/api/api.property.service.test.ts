/** Any input gets a documented answer: no handler crashes, no error escapes, the node continues. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import { OPEN } from '../../../io/rpc/access.ts';
import type { Caller } from '../../../io/rpc/dispatcher.ts';
import { TABLE } from './table.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/public-chain');
const CALLER: Caller = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' };
/**
 * These take seconds (key derivation), connect to peers, write files to any path, or change whether
 * the node takes part in consensus.
 */
const LEFT_OUT = new Set([
  'personal_newAccount',
  'personal_importRawKey',
  'admin_addPeer',
  'admin_addTrustedPeer',
  'admin_exportChain',
  'miner_start',
  'miner_stop',
]);
const BLOCKS = 45;

let node: RpcNode;
const faults: string[] = [];

beforeAll(async () => {
  const keys = readJson(join(RECORDING, 'keys.json')).nodes[0];
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(keys.nodeKey),
    blocks: readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
      .slice(1, BLOCKS)
      .map(({ rlp }) => decodeBlock(fromHex(rlp))),
    log: (level, message, fields) => {
      if (level === 'error') faults.push(`${message} ${JSON.stringify(fields)}`);
    },
  });
  const account = await node.accounts.importKey(fromHex(keys.accountKey), 'test');
  await node.accounts.unlock(account, 'test', 0);
});

afterAll(() => node.close());

const METHODS = TABLE.methods
  .flatMap(({ names, params }) => names.map((name) => ({ name, count: params.length })))
  .filter(({ name }) => !LEFT_OUT.has(name));

/** Values that are valid for some parameter, so that arguments get past the first check. */
const PLAUSIBLE = [
  '0x3b6e48156697B1f89A8F50fa5B647D4E902d2246',
  '0x4fd3616e83af0bf23a22d3322006df068223c085',
  '0x72a5e0fdf3b68b36c499df00befa1ef1eeb4bd05',
  '0x1193e44cc2fa6a587b042c8f7f2b4cb57a26ec0c4c783e59d3fb58cc50e995b9',
  '0x9ee60167352eaa2f383831d7423d3239eb3555ae37a565d23dc342abafb8c9ac',
  'latest',
  'pending',
  'earliest',
  '0x5',
  '0x',
  '0x28',
  '',
  5,
  40,
  -1,
  1.5,
  1e300,
  true,
  false,
  null,
  [],
  {},
  { tracer: 'callTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: 'constructor' },
  { tracer: '4byteTracer', timeout: '1ms' },
  { blockHash: '0x12' },
  { blockNumber: '0x5' },
  { fromBlock: '0x0', toBlock: 'latest', topics: [null, ['0x1']] },
  { from: '0x72a5e0fdf3b68b36c499df00befa1ef1eeb4bd05', data: '0x60fe', gas: '0x5208' },
  { to: '0x4fd3616e83af0bf23a22d3322006df068223c085', data: '0x18160ddd', value: '0x1' },
  {
    to: '0x4fd3616e83af0bf23a22d3322006df068223c085',
    input: '0x18160ddd',
    gas: `0x${'f'.repeat(20)}`,
  },
  { '0x4fd3616e83af0bf23a22d3322006df068223c085': { state: { '0x1': '0x2' } } },
  { '0x4fd3616e83af0bf23a22d3322006df068223c085': null },
  { privateFor: [], from: '0x72a5e0fdf3b68b36c499df00befa1ef1eeb4bd05', data: '0x00' },
  { accessList: [null], to: '0x4fd3616e83af0bf23a22d3322006df068223c085' },
  { accessList: [{ address: 5 }] },
  ['0x0', '0x1'],
  [null],
];

const argument = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...PLAUSIBLE) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  {
    weight: 1,
    arbitrary: fc.bigInt({ min: 0n, max: 1n << 260n }).map((n) => `0x${n.toString(16)}`),
  },
);

async function ask(request: unknown): Promise<any> {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const reply = await node.dispatcher.handle(text, CALLER);
  return reply === '' ? undefined : JSON.parse(reply);
}

describe('bad input', () => {
  it('no argument of any method crashes its handler', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...METHODS),
        fc.array(argument, { maxLength: 6 }),
        async ({ name, count }, args) => {
          const params = args.slice(0, count + 1);
          const reply = await ask({ jsonrpc: '2.0', id: 1, method: name, params });
          expect(reply.id).toBe(1);
          expect(reply.error?.message).not.toBe('method handler crashed');
        },
      ),
      { numRuns: runs(3_000) },
    );
    expect(faults).toEqual([]);
  }, 120_000);

  it('every method refuses each wrong type by itself', async () => {
    for (const { name, count } of METHODS) {
      for (const wrong of [null, true, 1.5, -1, 'x', [], {}, [[]], { a: 1 }, '0x', '\u0000']) {
        const params = Array.from({ length: count }, () => wrong);
        const reply = await ask({ jsonrpc: '2.0', id: 1, method: name, params });
        expect(reply.error?.message, name).not.toBe('method handler crashed');
      }
    }
    expect(faults).toEqual([]);
  });

  it('no text escapes the envelope', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ id: 1, method: value, params: value })),
      fc.array(fc.jsonValue()).map((values) => JSON.stringify(values)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        const reply = await node.dispatcher.handle(each, CALLER);
        if (reply !== '') JSON.parse(reply);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('deep nesting is an answer, not an end', async () => {
    const deep = 200_000;
    for (const text of [
      '['.repeat(deep),
      '['.repeat(deep) + ']'.repeat(deep),
      `{"id":1,"method":"eth_call","params":${'['.repeat(deep)}${']'.repeat(deep)}}`,
      `{"id":${'['.repeat(deep)}${']'.repeat(deep)},"method":"eth_chainId"}`,
      `{"id":1,"method":"eth_getLogs","params":[{"topics":${'['.repeat(deep)}${']'.repeat(deep)}}]}`,
      `{"a":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
    ]) {
      const reply = await ask(text);
      expect(reply.error ?? reply[0].error).toBeDefined();
    }
    expect(faults).toEqual([]);
  });

  it('huge batches are refused or answered in full', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    expect(await ask(Array.from({ length: 1_000 }, () => call))).toHaveLength(1_000);
    const refused = await ask(Array.from({ length: 20_000 }, () => call));
    expect(refused.error).toMatchObject({ code: -32600 });
  });

  it('names of prototypes are neither methods nor members', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'eth___proto__',
      'eth_constructor',
    ]) {
      const reply = await ask({ jsonrpc: '2.0', id: 1, method: name, params: [] });
      expect(reply.error.code).toBe(-32601);
    }
    const reply = await ask(
      '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"__proto__":{"to":1}},"latest"]}',
    );
    expect(reply.error?.message).not.toBe('method handler crashed');
  });

  it('an endless call ends with the gas or the time it is given', async () => {
    const loop = '0x5b600056';
    const reply = await ask({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ data: loop }, 'latest'],
    });
    expect(reply.error.message).toMatch(/out of gas|execution aborted/);
  });
});
