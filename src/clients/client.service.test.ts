import { readFileSync } from 'node:fs';
import { Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../test/support/effort.ts';
import { signPrivate } from '../../test/support/private-transactions.ts';
import { TABLE } from '../services/ledger/api/table.ts';
import { type Hex, ManagerError, markPrivate, PrivateManager, quorumRpc } from './client.ts';

const NAMESPACES = {
  Privacy: 'eth',
  Extension: 'quorumExtension',
  Permission: 'quorumPermission',
  Istanbul: 'istanbul',
  Raft: 'raft',
};

it('marks what ethers signs without a chain id as private', async () => {
  const word = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((key) => key.some((b) => b > 0 && b < 255));
  const fields = fc.record({
    key: word,
    nonce: fc.nat(),
    gasPrice: fc.bigInt({ min: 0n, max: 2n ** 70n }),
    to: fc.option(fc.constant(`0x${'17'.repeat(20)}`)),
    data: fc.uint8Array({ maxLength: 300 }).map((data) => `0x${Buffer.from(data).toString('hex')}`),
  });
  const check = async ({
    key,
    ...given
  }: {
    key: Uint8Array;
    nonce: number;
    gasPrice: bigint;
    to: string | null;
    data: string;
  }) => {
    const wallet = new Wallet(`0x${Buffer.from(key).toString('hex')}`);
    const signed = await wallet.signTransaction({ type: 0, gasLimit: 0x47b760, ...given });
    const marked = markPrivate(signed as Hex);
    expect(marked).toBe(signPrivate(wallet.privateKey, given));
    expect([37n, 38n]).toContain(Transaction.from(marked).signature!.networkV);
  };
  await fc.assert(fc.asyncProperty(fields, check), { numRuns: runs(60) });
});

it('marks nothing else', async () => {
  const wallet = new Wallet(`0x${'42'.repeat(32)}`);
  const fields = { nonce: 0, gasLimit: 90_000, data: '0x12' };
  const good = (await wallet.signTransaction({ type: 0, gasPrice: 0, ...fields })) as Hex;
  const others = await Promise.all([
    wallet.signTransaction({ type: 0, gasPrice: 0, chainId: 1337, ...fields }),
    wallet.signTransaction({ type: 1, gasPrice: 0, chainId: 1337, ...fields }),
    wallet.signTransaction({ type: 2, chainId: 1337, ...fields }),
  ]);
  const damaged = [
    '0x',
    '',
    '0xzz',
    '0xc0',
    '0xf8ff',
    good.slice(0, 40),
    `${good}00`,
    markPrivate(good),
  ];
  for (const text of [...others, ...damaged]) {
    expect(() => markPrivate(text as Hex)).toThrow(TypeError);
  }
});

it('has calls that the node has, with no more parameters than they take', () => {
  for (const [name, namespace] of Object.entries(NAMESPACES)) {
    const file = new URL(`./ledger/calls/${name.toLowerCase()}.ts`, import.meta.url);
    const source = readFileSync(file, 'utf8');
    const [, body] = new RegExp(`export interface ${name} \\{\n(.*?)\n\\}`, 's').exec(source)!;
    const calls = [...body!.matchAll(/^ {2}(\w+)\(([^)]*)\)/gm)];
    expect(calls.length).toBeGreaterThan(5);
    for (const [, method, parameters] of calls) {
      const row = TABLE.methods.find(({ names }) => names.includes(`${namespace}_${method}`));
      const count = parameters!.split(',').filter((each) => each.trim() !== '').length;
      expect([method, row && row.params.length >= count]).toEqual([method, true]);
    }
  }
});

it('writes bigints as quantities, at any depth, and nothing for what is undefined', async () => {
  const calls: unknown[] = [];
  const rpc = quorumRpc({
    request: async (call) => {
      calls.push(call);
    },
  });
  await rpc.extension.cancelExtension('0x12', {
    from: '0x34',
    gas: 255n,
    nonce: undefined as never,
  });
  await rpc.istanbul.status(1n, 16n);
  expect(calls).toEqual([
    { method: 'quorumExtension_cancelExtension', params: ['0x12', { from: '0x34', gas: '0xff' }] },
    { method: 'istanbul_status', params: ['0x1', '0x10'] },
  ]);
  expect(await rpc.raft).toBe(rpc.raft);
});

it('asks a manager as configured, and passes its refusal on', async () => {
  const asked: [string, RequestInit][] = [];
  const answers = [
    Response.json({ key: Buffer.from('ab'.repeat(64), 'hex').toString('base64') }),
    new Response('Invalid Base64 key provided', { status: 400 }),
    new Response('', { status: 502 }),
  ];
  const manager = new PrivateManager('https://manager.example/tm/', {
    headers: { authorization: 'Bearer x' },
    fetch: (async (url: string, init: RequestInit) => {
      asked.push([url, init]);
      return answers.shift()!;
    }) as typeof fetch,
  });
  expect(await manager.storeRaw('0x00ff', 'own=')).toBe(`0x${'ab'.repeat(64)}`);
  const [[url, { headers, body }]] = asked as [[string, RequestInit]];
  expect([url, headers, body]).toEqual([
    'https://manager.example/tm/storeraw',
    { 'content-type': 'application/json', authorization: 'Bearer x' },
    JSON.stringify({ payload: 'AP8=', from: 'own=' }),
  ]);
  const refused = manager.storeRaw('0x00');
  await expect(refused).rejects.toThrow('manager, status 400: Invalid Base64 key provided');
  await expect(refused).rejects.toBeInstanceOf(ManagerError);
  await expect(manager.upCheck()).rejects.toMatchObject({ status: 502, name: 'ManagerError' });
});
