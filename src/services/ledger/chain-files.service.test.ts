/**
 * admin_exportChain and admin_importChain: copies the recorded chain of GoQuorum from one node to
 * another.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RpcNode, rpcNode } from '../../../test/support/rpc-node.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../core/base/hex.ts';
import { decodeBlock } from '../../core/chain/block.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/public-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'));
const HEAD = BLOCKS.length - 1;
const folder = scratchFolder('quorate-chain-files-');
const at = (name: string) => join(folder, name);
const plain = (numbers: readonly number[]) =>
  Buffer.concat(numbers.map((number) => fromHex(BLOCKS[number]!.rlp)));

let full: RpcNode;
let empty: RpcNode;

beforeAll(async () => {
  const shared = { genesis: genesisOf(RECORDING), secretKey: new Uint8Array(32).fill(7) };
  const blocks = BLOCKS.slice(1).map(({ rlp }) => decodeBlock(fromHex(rlp)));
  full = await rpcNode({ ...shared, blocks });
  empty = await rpcNode(shared);
}, 60_000);
afterAll(async () => {
  await full.close();
  await empty.close();
});

it('a node writes its chain, whole or in part, as geth does', async () => {
  expect(await full.call('admin_exportChain', at('all.rlp'))).toBe(true);
  expect(readFileSync(at('all.rlp'))).toEqual(plain(BLOCKS.map(({ number }) => number)));
  expect(await full.call('admin_exportChain', at('some.rlp.gz'), 2, 3)).toBe(true);
  expect(gunzipSync(readFileSync(at('some.rlp.gz')))).toEqual(plain([2, 3]));
});

it('what cannot be written is refused, and nothing stays behind', async () => {
  const refused = (...params: unknown[]) =>
    expect(full.call('admin_exportChain', ...params)).rejects;
  writeFileSync(at('there'), 'kept');
  await refused(at('there')).toThrow('location would overwrite an existing file');
  expect(readFileSync(at('there'), 'utf8')).toBe('kept');
  await refused(at('none/x')).toThrow('no such file or folder');
  await refused(at('x'), null, 2).toThrow('last cannot be specified without first');
  await refused(at('x'), 3, 2).toThrow(`no blocks 3 to 2: the head is ${HEAD}`);
  await refused(at('x'), 0, HEAD + 1).toThrow(`the head is ${HEAD}`);
  expect(existsSync(at('x'))).toBe(false);
});

it('another node takes what follows its head, and passes over what it has', async () => {
  writeFileSync(at('first.rlp'), plain([0, 1, 2]));
  expect(await empty.call('admin_importChain', at('first.rlp'))).toBe(true);
  expect(await empty.call('eth_blockNumber')).toBe('0x2');
  writeFileSync(at('whole.rlp'), plain(BLOCKS.map(({ number }) => number)));
  expect(await empty.call('admin_importChain', at('whole.rlp'))).toBe(true);
  expect(Number(await empty.call('eth_blockNumber'))).toBe(HEAD);
});

it('a file without blocks, or whose blocks do not fit, is refused in words', async () => {
  const refused = (path: string) => expect(full.call('admin_importChain', path)).rejects;
  await refused(at('none')).toThrow('there is no such file or folder');
  writeFileSync(at('text'), 'text');
  await refused(at('text')).toThrow('byte 0: no block begins here');
  const other = Buffer.from(plain([2]));
  // A byte of the parent's hash.
  other[20] = other[20]! ^ 1;
  writeFileSync(at('other.rlp'), other);
  await refused(at('other.rlp')).toThrow(/this chain has block 0x[0-9a-f]{64} there/);
});

it('one file at a time', async () => {
  const both = await Promise.allSettled([
    full.call('admin_exportChain', at('a.rlp')),
    full.call('admin_exportChain', at('b.rlp')),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(String((both.find(({ status }) => status === 'rejected') as any).reason)).toContain(
    'another file of blocks is being written or read',
  );
  expect(await full.call('admin_exportChain', at('c.rlp'), 0, 0)).toBe(true);
});

it('over HTTP no file of the machine is written or read', async () => {
  const api = await full.serve();
  try {
    for (const method of ['admin_exportChain', 'admin_importChain']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [at('http.rlp')] });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(api.httpUrl!, { method: 'POST', headers, body });
      const { error } = (await reply.json()) as { error: { code: number; message: string } };
      expect(error).toMatchObject({ code: -32_000 });
      expect(error.message).toContain('for callers of its IPC socket');
    }
    expect(existsSync(at('http.rlp'))).toBe(false);
  } finally {
    await api.close();
  }
});

it("debug_gcStats has the members of Go's, and counts", async () => {
  const stats = await full.call('debug_gcStats');
  expect(stats).toEqual({
    LastGC: stats.PauseEnd[0] ?? '0001-01-01T00:00:00Z',
    NumGC: expect.any(Number),
    PauseTotal: expect.any(Number),
    Pause: expect.any(Array),
    PauseEnd: expect.any(Array),
    PauseQuantiles: null,
  });
  expect(stats.Pause.length).toBe(Math.min(stats.NumGC, 256));
});
