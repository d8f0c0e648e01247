/**
 * `quorate devnet --dev`: four members on one node for development. Methods for development at each
 * member's address, private transactions between two of them, and the services.
 */
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  publicActions,
  webSocket,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devnetCommand } from '../../src/cli/devnet/devnet.ts';
import { parseOptions } from '../../src/io/options/options.ts';
import { until } from '../support/conditions.ts';
import { type RpcReceipt, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { STORE_CODE, setInput, VALUE_INPUT, word } from '../support/store-contract.ts';

const CHAIN = {
  id: 1337,
  name: 'devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
} as const;
const NOBODY = `0x${'77'.repeat(20)}` as const;

let network: TestDevnet;
beforeAll(async () => {
  network = await startTestDevnet({ isDevelopment: true });
});
afterAll(() => network?.close());

type Address = `0x${string}`;
const member = (index: number) => network.devnet.description.nodes[index]!;
const from = () => network.accounts[0]!.address as Address;
const call = (index: number, method: string, ...params: unknown[]) =>
  network.rpc[index]!.call<any>(method, ...params);

function testClient(index: number, mode: 'anvil' | 'hardhat') {
  const transport = http(member(index).rpc);
  return createTestClient({ mode, transport, chain: CHAIN }).extend(publicActions);
}

/** Of members 1 and 2. Its receipt is there at once. */
async function sendPrivately(fields: object): Promise<RpcReceipt> {
  const privateFor = [network.keys[1]];
  const args = { from: from(), gas: '0x47b760', privateFor, ...fields };
  return call(0, 'eth_getTransactionReceipt', await call(0, 'eth_sendTransaction', args));
}

const deploy = async () => (await sendPrivately({ data: STORE_CODE })).contractAddress as Address;
const codes = (to: string) =>
  Promise.all(network.rpc.map((rpc) => rpc.call<string>('eth_getCode', to, 'latest')));
const isThere = async (to: string) => (await codes(to)).map((code) => code !== '0x');
const value = async (index: number, to: string) =>
  BigInt(await call(index, 'eth_call', { to, data: VALUE_INPUT }, 'latest'));

it('is described as any network: each member with its address, key and accounts', async () => {
  const { nodes, explorer, signer, staking, ramp } = network.devnet.description;
  expect(nodes.map(({ name }) => name)).toEqual(['node1', 'node2', 'node3', 'node4']);
  expect(new Set(nodes.map(({ rpc }) => rpc)).size).toBe(4);
  expect(new Set(network.keys).size).toBe(4);
  for (const index of nodes.keys())
    expect(await call(index, 'eth_getPSI')).toBe(member(index).name);
  for (const url of [`${signer.rpc}/upcheck`, `${staking.apiUrl}/ready`, `${ramp.url}/ready`])
    expect((await fetch(url)).status).toBe(200);
  expect(await (await fetch(explorer)).text()).toContain('Quorate explorer');
});

describe('private transactions of two members', () => {
  it('are in a block at once, and not visible to the others', async () => {
    const to = await deploy();
    expect(await isThere(to)).toEqual([true, true, false, false]);
    await sendPrivately({ to, data: setInput(5) });
    expect([await value(0, to), await value(1, to)]).toEqual([5n, 5n]);
    expect(await call(2, 'eth_call', { to, data: VALUE_INPUT }, 'latest')).toBe('0x');
    const hash = (await sendPrivately({ to, data: setInput(6) })).transactionHash;
    const payloads = await Promise.all([0, 1, 2].map((at) => payloadOf(at, hash)));
    expect(payloads[0]).toContain('6');
    expect(payloads[1]).toBe(payloads[0]);
    expect(payloads[2]).toBe('0x');
    const query = `{ transaction(hash: "${hash}") { isPrivate privateInputData } }`;
    const inputs = await Promise.all([0, 1, 2].map((at) => inputOf(at, query)));
    expect(inputs).toEqual([setInput(6), setInput(6), '0x']);
  });

  it('go back with a snapshot of any member, in all states', async () => {
    const test = testClient(1, 'hardhat');
    const id = await testClient(2, 'anvil').snapshot();
    const to = await deploy();
    expect(await isThere(to)).toEqual([true, true, false, false]);
    await test.revert({ id });
    expect(await isThere(to)).toEqual([false, false, false, false]);
    // The same nonce, hence the same address.
    expect(await deploy()).toBe(to);
    expect(await isThere(to)).toEqual([true, true, false, false]);
  });

  it('an edit of a private state is of the member whose address takes it', async () => {
    const to = await deploy();
    await sendPrivately({ to, data: setInput(7) });
    const root = async () => (await call(0, 'eth_getBlockByNumber', 'latest', false)).stateRoot;
    const publicRoot = await root();
    await testClient(1, 'hardhat').setStorageAt({
      address: to,
      index: 0,
      value: word(8) as Address,
    });
    expect([await value(0, to), await value(1, to)]).toEqual([7n, 8n]);
    expect(await root()).toBe(publicRoot);
  });

  it('are sent by accounts without a key, to whom the member chooses', async () => {
    const test = testClient(1, 'anvil');
    await test.impersonateAccount({ address: NOBODY });
    const args = { from: NOBODY, data: STORE_CODE, gas: '0x47b760', privateFor: [network.keys[2]] };
    const hash = await call(1, 'eth_sendTransaction', args);
    const { contractAddress } = await call(1, 'eth_getTransactionReceipt', hash);
    expect(await isThere(contractAddress)).toEqual([false, true, true, false]);
    await test.stopImpersonatingAccount({ address: NOBODY });
  });

  async function inputOf(index: number, query: string): Promise<string> {
    const request = { method: 'POST', body: JSON.stringify({ query }) };
    const answer = await fetch(`${member(index).rpc}/graphql`, request);
    return ((await answer.json()) as any).data.transaction.privateInputData;
  }

  async function payloadOf(index: number, hash: string): Promise<string> {
    const { input } = await call(index, 'eth_getTransactionByHash', hash);
    return call(index, 'eth_getQuorumPayload', input);
  }
});

it('the public state is edited, and the clock moved, at any member for all', async () => {
  await testClient(3, 'hardhat').setBalance({ address: NOBODY, value: 123n });
  expect(await testClient(0, 'anvil').getBalance({ address: NOBODY })).toBe(123n);
  const { timestamp } = await testClient(0, 'anvil').getBlock();
  await testClient(2, 'anvil').increaseTime({ seconds: 3_600 });
  await testClient(1, 'hardhat').mine({ blocks: 1 });
  const after = await testClient(0, 'anvil').getBlock();
  expect(after.timestamp - timestamp).toBeGreaterThanOrEqual(3_600n);
});

it('an address is that of one member, whatever a request names', async () => {
  const ask = async (url: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getPSI', params: [] });
    const type = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
    return ((await answer.json()) as { result: unknown }).result;
  };
  expect(await ask(`${member(2).rpc}/?PSI=node1`, {})).toBe('node3');
  expect(await ask(member(2).rpc, { 'quorum-psi': 'node1' })).toBe('node3');
  const socket = createPublicClient({ transport: webSocket(member(3).ws), chain: CHAIN });
  const request = socket.request as (call: object) => Promise<unknown>;
  expect(await request({ method: 'eth_getPSI' })).toBe('node4');
  const heads: bigint[] = [];
  const end = socket.watchBlockNumber({ onBlockNumber: (number) => heads.push(number) });
  await until('a block is heard', async () => {
    await call(0, 'evm_mine');
    return heads.length > 0;
  });
  end();
  (await socket.transport.getRpcClient()).close();
});

it('the signing proxy signs for its accounts, publicly and for member 1 privately', async () => {
  const { rpc } = network.devnet.description.signer;
  const wallet = createWalletClient({ transport: http(rpc), chain: CHAIN, account: from() });
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n });
  expect(await call(3, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
  const send = wallet.request as (call: object) => Promise<string>;
  const args = { from: from(), data: STORE_CODE, gas: '0x47b760', privateFor: [network.keys[3]] };
  const sent = await send({ method: 'eth_sendTransaction', params: [args] });
  const { contractAddress } = await call(0, 'eth_getTransactionReceipt', sent);
  expect(await isThere(contractAddress)).toEqual([true, false, false, true]);
});

it('keeps its chain and its members’ states when it starts again', async () => {
  const to = await deploy();
  const block = await call(0, 'eth_getBlockByNumber', 'latest', true);
  const { devnet } = network;
  await devnet.process('node1').stop();
  await devnet.restart('node1');
  expect(await call(1, 'eth_getBlockByNumber', block.number, true)).toEqual(block);
  expect(await isThere(to)).toEqual([true, true, false, false]);
});

it.each([
  [['--consensus', 'raft'], 'Omit --consensus raft'],
  [['--permissioned'], 'Omit --permissioned'],
  [['--block-period', '2'], 'Omit --block-period'],
  [['--block-period-ms', '100'], 'Omit --block-period-ms'],
])('what one node that makes blocks at once cannot have is refused: %s', async (flags, text) => {
  const folder = ['--folder', `${network.folder}-refused`];
  const options = parseOptions(devnetCommand.rows, { argv: ['--dev', ...flags, ...folder] });
  await expect(devnetCommand.run(options)).rejects.toThrow(text);
});
