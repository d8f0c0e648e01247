/**
 * `quorate node --dev` as developers' tools use it: viem's test client, ethers, private states for
 * the keys of two managers, and a restart.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonRpcProvider, Wallet } from 'ethers';
import { createTestClient, http, publicActions } from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVELOPMENT_PROBES } from '../../../../../test/support/development-probes.ts';
import { FROM, miningNode } from '../../../../../test/support/mining-node.ts';
import { type TestPtm, testPtm, untilKnown } from '../../../../../test/support/ptm.ts';
import {
  STORE_CODE,
  setInput,
  VALUE_INPUT,
  word,
} from '../../../../../test/support/store-contract.ts';
import { parseOptions } from '../../../../io/options/options.ts';
import { OPEN } from '../../../../io/rpc/access.ts';
import { developmentAccountMethods } from '../../api/development/accounts.ts';
import { developmentBlockMethods } from '../../api/development/blocks.ts';
import { developmentStateMethods } from '../../api/development/states.ts';
import { ledgerConfig } from '../../config.ts';
import { NODE_ROWS } from '../../options.ts';
import { type RunningNode, startNode } from '../../start.ts';

const [FIRST, SECOND] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
] as const;
const NOBODY = `0x${'77'.repeat(20)}` as const;
const OTHER = `0x${'ab'.repeat(20)}` as const;

const DEVELOPMENT_METHODS = [
  ...developmentBlockMethods,
  ...developmentStateMethods,
  ...developmentAccountMethods,
];
const STRANGER = { transport: 'http', psi: undefined, access: OPEN, remote: 'test' } as const;

const folder = mkdtempSync(join(tmpdir(), 'quorate-development-'));
let own: TestPtm;
let other: TestPtm;
let node: RunningNode;

const argv = () => [
  ...['--dev', '--datadir', folder, '--http.port', '0', '--ptm.url', own.q2tUrl],
  '--graphql',
];

async function start(flags: readonly string[] = argv()): Promise<RunningNode> {
  return startNode(ledgerConfig(parseOptions(NODE_ROWS, { argv: [...flags] })), {
    log: () => {},
    privateConfig: undefined,
    environment: {},
    onFault: (error) => {
      throw error;
    },
  });
}

beforeAll(async () => {
  own = await testPtm(1, []);
  other = await testPtm(2, [own.p2pUrl]);
  await untilKnown(own, other.key);
  node = await start();
}, 60_000);
afterAll(async () => {
  await node?.close();
  await other?.close();
  await own?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function rpc(method: string, ...params: unknown[]): Promise<any> {
  const answer = await fetch(node.httpUrl!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result: unknown; error?: object };
  if (error) throw Object.assign(new Error((error as Error).message), error);
  return result;
}

function client(mode: 'anvil' | 'hardhat' = 'anvil') {
  const transport = http(node.httpUrl);
  return createTestClient({ mode, transport, chain: foundry }).extend(publicActions);
}

describe("viem's test client", () => {
  it.each(['anvil', 'hardhat'] as const)('edits accounts as %s does', async (mode) => {
    const test = client(mode);
    await test.setBalance({ address: NOBODY, value: 12_345n });
    expect(await test.getBalance({ address: NOBODY })).toBe(12_345n);
    await test.setNonce({ address: NOBODY, nonce: 7 });
    expect(await test.getTransactionCount({ address: NOBODY })).toBe(7);
    await test.setCode({ address: OTHER, bytecode: '0x60005460005260206000f3' });
    await test.setStorageAt({ address: OTHER, index: 0, value: word(42) as `0x${string}` });
    expect(await test.call({ to: OTHER })).toEqual({ data: word(42) });
    await test.setCode({ address: OTHER, bytecode: '0x' });
    expect(await test.getCode({ address: OTHER })).toBeUndefined();
  });

  it('sends from accounts without a key, until it stops', async () => {
    const test = client();
    await test.setBalance({ address: NOBODY, value: 1_000n });
    const send = () =>
      rpc('eth_sendTransaction', { from: NOBODY, to: SECOND, value: '0x5', gas: '0x5208' });
    await expect(send()).rejects.toThrow('unknown account');
    await test.impersonateAccount({ address: NOBODY });
    const hash = await send();
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      from: NOBODY,
      status: '0x1',
    });
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({
      from: NOBODY,
      value: '0x5',
    });
    await test.stopImpersonatingAccount({ address: NOBODY });
    await expect(send()).rejects.toThrow('unknown account');
    await rpc('anvil_autoImpersonateAccount', true);
    expect(await rpc('eth_getTransactionReceipt', await send())).toMatchObject({ from: NOBODY });
    await rpc('anvil_autoImpersonateAccount', false);
  });

  it('moves the clock', async () => {
    const test = client();
    const before = await test.getBlock();
    await test.increaseTime({ seconds: 86_400 });
    await test.mine({ blocks: 1 });
    const after = await test.getBlock();
    expect(after.number).toBe(before.number + 1n);
    expect(after.timestamp - before.timestamp).toBeGreaterThanOrEqual(86_400n);
    await test.setNextBlockTimestamp({ timestamp: after.timestamp + 1_000n });
    await test.mine({ blocks: 3, interval: 10 });
    const times = await Promise.all(
      [1n, 2n, 3n].map(
        async (by) => (await test.getBlock({ blockNumber: after.number + by })).timestamp,
      ),
    );
    expect(times.map((each) => each - after.timestamp)).toEqual([1_000n, 1_010n, 1_020n]);
    await test.setBlockTimestampInterval({ interval: 5 });
    await test.mine({ blocks: 2 });
    expect((await test.getBlock()).timestamp).toBe(times[2]! + 10n);
    await test.removeBlockTimestampInterval();
    await expect(test.setNextBlockTimestamp({ timestamp: 1n })).rejects.toThrow('is not later');
  });

  it('mines when asked only, and drops what waits', async () => {
    const test = client();
    await test.setAutomine(false);
    expect(await test.getAutomine()).toBe(false);
    const sent = { from: FIRST, to: SECOND, value: '0x1', gas: '0x5208' };
    const [kept, dropped] = [
      await rpc('eth_sendTransaction', sent),
      await rpc('eth_sendTransaction', sent),
    ];
    expect(await rpc('eth_getTransactionReceipt', kept)).toBeNull();
    await test.dropTransaction({ hash: dropped });
    await rpc('evm_mine');
    expect(await rpc('eth_getTransactionReceipt', kept)).toMatchObject({ status: '0x1' });
    expect(await rpc('eth_getTransactionByHash', dropped)).toBeNull();
    await test.setAutomine(true);
    const mined = await rpc('eth_sendTransaction', sent);
    expect(await rpc('eth_getTransactionReceipt', mined)).toMatchObject({ status: '0x1' });
  });

  it('sets what blocks have', async () => {
    const test = client();
    const { gasLimit } = await test.getBlock();
    await test.setBlockGasLimit({ gasLimit: 30_000_000n });
    await test.mine({ blocks: 2 });
    expect(await test.getBlock()).toMatchObject({ gasLimit: 30_000_000n });
    await expect(test.setCoinbase({ address: OTHER })).rejects.toThrow('names the validator');
    await test.setBlockGasLimit({ gasLimit });
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n });
    await expect(test.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })).rejects.toThrow(
      'gas is free',
    );
    await expect(rpc('evm_setBlockGasLimit', '0x1')).rejects.toThrow('at least 5000');
    expect(await rpc('web3_clientVersion')).toMatch(/^anvil\/Quorate/);
  });

  it('goes back to snapshots, each once', async () => {
    const test = client();
    const value = (await test.getBalance({ address: NOBODY })) + 1n;
    const [first, number] = [await test.snapshot(), await test.getBlockNumber()];
    await test.setBalance({ address: NOBODY, value });
    const second = await test.snapshot();
    const hash = await rpc('eth_sendTransaction', { from: FIRST, to: OTHER, value: '0x1' });
    await test.revert({ id: second });
    expect(await rpc('eth_getTransactionByHash', hash)).toBeNull();
    expect(await test.getBalance({ address: NOBODY })).toBe(value);
    await test.revert({ id: first });
    expect(await test.getBlockNumber({ cacheTime: 0 })).toBe(number);
    expect(await test.getBalance({ address: NOBODY })).toBe(value - 1n);
    expect(await rpc('evm_revert', second)).toBe(false);
    expect(await rpc('evm_revert', first)).toBe(false);
  });
});

describe('private states', () => {
  const value = (to: string) => rpc('eth_call', { to, data: VALUE_INPUT }, 'latest');
  const receipt = (hash: string) => rpc('eth_getTransactionReceipt', hash);
  const send = (args: object) =>
    rpc('eth_sendTransaction', { gas: '0x47b760', privateFor: [other.key], ...args });
  let contract: string;

  beforeAll(async () => {
    ({ contractAddress: contract } = await receipt(await send({ from: FIRST, data: STORE_CODE })));
  });

  it('a private transaction has taken effect when its hash is answered', async () => {
    expect(await rpc('eth_getCode', contract, 'latest')).not.toBe('0x');
    await send({ from: FIRST, to: contract, data: setInput(5) });
    expect(BigInt(await value(contract))).toBe(5n);
  });

  it('are edited where the account is, and the public root tells nothing of it', async () => {
    const root = async () => (await rpc('eth_getBlockByNumber', 'latest', false)).stateRoot;
    const [publicRoot, privateRoot] = [await root(), await rpc('eth_storageRoot', contract)];
    await rpc('hardhat_setStorageAt', contract, '0x0', word(77));
    expect(BigInt(await value(contract))).toBe(77n);
    expect(await root()).toBe(publicRoot);
    expect(await rpc('eth_storageRoot', contract)).not.toBe(privateRoot);
    const fresh = `0x${'cd'.repeat(20)}`;
    await rpc('anvil_setCode', fresh, '0x60005460005260206000f3', 'private');
    await rpc('anvil_setStorageAt', fresh, '0x0', word(9), 'private');
    expect(BigInt(await rpc('eth_call', { to: fresh }, 'latest'))).toBe(9n);
    expect(await root()).toBe(publicRoot);
  });

  it('go back with the public one', async () => {
    const id = await rpc('evm_snapshot');
    await send({ from: FIRST, to: contract, data: setInput(11) });
    expect(BigInt(await value(contract))).toBe(11n);
    expect(await rpc('evm_revert', id)).toBe(true);
    expect(BigInt(await value(contract))).toBe(77n);
    await send({ from: FIRST, to: contract, data: setInput(12) });
    expect(BigInt(await value(contract))).toBe(12n);
  });

  it('take transactions of impersonated accounts', async () => {
    await rpc('hardhat_impersonateAccount', NOBODY);
    const hash = await send({ from: NOBODY, to: contract, data: setInput(13) });
    expect(await receipt(hash)).toMatchObject({ from: NOBODY, status: '0x1' });
    expect(BigInt(await value(contract))).toBe(13n);
  });
});

describe('GraphQL', () => {
  async function ask(query: string): Promise<{ status: number; data?: any; errors?: any[] }> {
    const body = JSON.stringify({ query });
    const answer = await fetch(`${node.httpUrl}/graphql`, { method: 'POST', body });
    return { status: answer.status, ...((await answer.json()) as object) };
  }

  it('shows private transactions, the pool and sent transactions, and goes back with the chain', async () => {
    const args = { from: FIRST, data: STORE_CODE, gas: '0x47b760', privateFor: [other.key] };
    const id = await rpc('evm_snapshot');
    const hash = await rpc('eth_sendTransaction', args);
    const query = `{ transaction(hash: "${hash}") { isPrivate privateInputData } }`;
    expect(await ask(query)).toEqual({
      status: 200,
      data: { transaction: { isPrivate: true, privateInputData: STORE_CODE } },
    });
    await rpc('evm_setAutomine', false);
    const waits = await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' });
    const pooled = await ask(`{ transaction(hash: "${waits}") { hash block { number } } }`);
    expect(pooled.data).toEqual({ transaction: { hash: waits, block: null } });
    await rpc('evm_setAutomine', true);
    await rpc('evm_revert', id);
    expect(await ask(query)).toEqual({ status: 200, data: { transaction: null } });
    const wallet = Wallet.fromPhrase('test test test test test test test test test test test junk');
    const raw = await wallet.signTransaction({
      ...{ chainId: 1337, type: 0, gasPrice: 0, gasLimit: 21_000, to: OTHER, value: 3 },
      nonce: Number(await rpc('eth_getTransactionCount', FIRST, 'latest')),
    });
    const sent = await ask(`mutation { sendRawTransaction(data: "${raw}") }`);
    expect(await rpc('eth_getTransactionReceipt', sent.data.sendRawTransaction)).toMatchObject({
      status: '0x1',
    });
  });

  it('has the limits of any node', async () => {
    const { status, errors } = await ask(
      `{ block ${'{ parent '.repeat(19)}{ number }${' }'.repeat(19)} }`,
    );
    expect([status, errors![0].message]).toEqual([
      400,
      'the query is too large: fields stand 21 deep within each other: at most 20',
    ]);
  });
});

it('bounds what one call makes', async () => {
  await expect(rpc('anvil_mine', '0x2711')).rejects.toThrow('at most 10000 blocks at a time');
  await expect(rpc('evm_mine', { blocks: 10_001 })).rejects.toThrow('at most 10000 blocks');
  await expect(rpc('evm_increaseTime', '0xffffffffff')).rejects.toThrow('a hundred years');
  await expect(rpc('anvil_setStorageAt', OTHER, '0x', '0x1')).rejects.toThrow('32 bytes in hex');
  await expect(rpc('anvil_setBalance', OTHER, '0x1', 'mine')).rejects.toThrow('"public" or');
});

it('on any other chain these methods say where they are, and do nothing', async () => {
  const usual = await miningNode({});
  try {
    const ask = async (method: string, params: readonly unknown[] = []) => {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return JSON.parse(await usual.dispatcher.handle(request, STRANGER)).error;
    };
    const account = () => usual.call('eth_getBalance', FROM, 'latest');
    const before = await account();
    const target = { contract: FROM, from: FROM, hash: word(1) };
    for (const { names } of DEVELOPMENT_METHODS)
      for (const name of names) {
        const { code, message } = await ask(name, DEVELOPMENT_PROBES[names[0]!]!(target)[0]!);
        expect([name, code]).toEqual([name, -32601]);
        expect(message).toContain('does not exist/is not available');
        expect(message).toContain('"quorate node --dev" or "quorate devnet --dev"');
        expect((await ask(name)).message).toBe(message);
      }
    expect(await account()).toBe(before);
    expect(await ask('evm_unknown')).toMatchObject({ code: -32601 });
    await expect(usual.call('rpc_modules')).resolves.not.toHaveProperty('evm');
  } finally {
    await usual.close();
  }
});

it('a folder with another chain is not taken for one', async () => {
  const usual = mkdtempSync(join(tmpdir(), 'quorate-usual-'));
  try {
    mkdirSync(join(usual, 'quorate'));
    writeFileSync(join(usual, 'quorate', 'genesis.json'), '{}');
    await expect(start(['--dev', '--datadir', usual, '--http.port', '0'])).rejects.toThrow(
      'holds a chain that is not for development',
    );
  } finally {
    rmSync(usual, { recursive: true, force: true });
  }
});

it('ethers finds transactions in blocks at once', async () => {
  const provider = new JsonRpcProvider(node.httpUrl);
  const signer = await provider.getSigner(FIRST);
  const sent = await signer.sendTransaction({ to: SECOND, value: 1n });
  expect((await sent.wait())!.status).toBe(1);
  provider.destroy();
});

it('a restart has all of it, impersonated senders too', async () => {
  await rpc('hardhat_impersonateAccount', NOBODY);
  const hash = await rpc('eth_sendTransaction', { from: NOBODY, to: SECOND, value: '0x0' });
  const before = await rpc('eth_getBlockByNumber', 'latest', true);
  await node.close();
  const asUsual = argv().filter((flag) => flag !== '--dev');
  await expect(start([...asUsual, '--http'])).rejects.toThrow('a chain for development');
  node = await start();
  expect(await rpc('eth_getBlockByNumber', 'latest', true)).toEqual(before);
  expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ from: NOBODY });
  expect(await rpc('eth_getBalance', OTHER, 'latest')).toMatch(/^0x/);
}, 60_000);

it('hardhat_reset begins again', async () => {
  expect(await rpc('hardhat_reset')).toBe(true);
  expect(await rpc('eth_blockNumber')).toBe('0x0');
  expect(BigInt(await rpc('eth_getBalance', FIRST, 'latest'))).toBe(10n ** 22n);
  expect(await rpc('hardhat_metadata')).toMatchObject({ chainId: 1337, latestBlockNumber: 0 });
  expect(await rpc('anvil_nodeInfo')).toMatchObject({
    currentBlockNumber: '0x0',
    hardFork: 'cancun',
  });
});
