/** Contracts, transfers, events and subscriptions through widely used client libraries. */
import { type Contract, ContractFactory, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers';
import { createPublicClient, parseAbi, webSocket } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { WebSocket } from 'ws';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { postJson } from '../support/rpc-client.ts';
import {
  STORE_ABI,
  STORE_CODE,
  STORE_JSON_ABI,
  STORED_TOPIC,
  setInput,
  VALUE_INPUT,
  word,
} from '../support/store-contract.ts';

import { viemClients } from '../support/viem-clients.ts';

const POLLING_INTERVAL_MS = 200;

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

describe('ethers', () => {
  it('deploys, calls, reads events and sends with a local wallet and an account of the node', async () => {
    const provider = new JsonRpcProvider(net.rpc[0]!.url, undefined, {
      pollingInterval: POLLING_INTERVAL_MS,
    });
    const wallet = new Wallet(net.accounts[0]!.privateKey, provider);
    const store = (await new ContractFactory(STORE_ABI, STORE_CODE, wallet).deploy()) as Contract;
    await store.waitForDeployment();
    await (await store.getFunction('set')(7n)).wait();
    expect(await store.getFunction('value')()).toBe(7n);

    const signer = await provider.getSigner(net.accounts[1]!.address);
    await (await (store.connect(signer) as Contract).getFunction('set')(8n)).wait();
    const events = await store.queryFilter('Stored');
    expect(events.map(({ topics }) => topics[0])).toEqual([STORED_TOPIC, STORED_TOPIC]);
    expect(events.map(({ data }) => data)).toEqual([word(7), word(8)]);

    const to = Wallet.createRandom().address;
    for (const from of [wallet, signer])
      await (await from.sendTransaction({ to, value: 5n })).wait();
    expect(await provider.getBalance(to)).toBe(10n);
    provider.destroy();
  });

  it('receives blocks and events over WebSocket', async () => {
    const provider = new WebSocketProvider(net.devnet.description.nodes[1]!.ws);
    const wallet = new Wallet(net.accounts[0]!.privateKey, provider);
    const store = (await new ContractFactory(STORE_ABI, STORE_CODE, wallet).deploy()) as Contract;
    await store.waitForDeployment();
    const heard: bigint[] = [];
    const blocks: number[] = [];
    await store.on('Stored', (_by, value) => heard.push(value));
    await provider.on('block', (number: number) => blocks.push(number));
    await (await store.getFunction('set')(3n)).wait();
    await until('the event is heard', () => heard.length > 0);
    await until('two blocks are heard', () => blocks.length > 1);
    expect(heard).toEqual([3n]);
    expect(blocks[1]).toBe(blocks[0]! + 1);
    await provider.destroy();
  });
});

describe('viem', () => {
  const abi = parseAbi(STORE_ABI);

  it('deploys, calls, reads events and sends with a local and a remote account', async () => {
    const clients = viemClients(net.rpc[0]!.url);
    const { node } = clients;
    const local = clients.local(net.accounts[1]!.privateKey);
    const remote = clients.remote(net.accounts[2]!.address);
    const mined = (hash: `0x${string}`) => node.waitForTransactionReceipt({ hash });
    const deployed = await mined(
      await local.deployContract({ abi, bytecode: STORE_CODE as `0x${string}` }),
    );
    const address = deployed.contractAddress!;
    const functionName = 'set' as never;
    for (const [client, value] of [
      [local, 1n],
      [remote, 2n],
    ] as const) {
      const args = [value] as never;
      const hash = await client.writeContract({ abi, address, functionName, args } as never);
      expect((await mined(hash)).status).toBe('success');
    }
    expect(await node.readContract({ abi, address, functionName: 'value' as never })).toBe(2n);
    const events = await node.getLogs({ address, fromBlock: deployed.blockNumber });
    expect(events.map(({ data }) => data)).toEqual([word(1), word(2)]);
    await mined(await remote.sendTransaction({ to: `0x${'ab'.repeat(20)}`, value: 9n }));
    expect(await node.getBalance({ address: `0x${'ab'.repeat(20)}` })).toBe(9n);
  });

  it('subscribes to blocks and pending transactions', async () => {
    const node = createPublicClient({ transport: webSocket(net.devnet.description.nodes[0]!.ws) });
    const pending: string[] = [];
    const blocks: bigint[] = [];
    const stopPending = node.watchPendingTransactions({
      onTransactions: (hashes) => pending.push(...hashes),
    });
    const stopBlocks = node.watchBlockNumber({ onBlockNumber: (number) => blocks.push(number) });
    await until('a block is heard', () => blocks.length > 0);
    const [from, to] = [net.accounts[0]!.address, net.accounts[1]!.address];
    const hash = await net.rpc[0]!.call('eth_sendTransaction', { from, to, value: '0x1' });
    await until('the pending transaction is heard', () => pending.includes(hash));
    stopPending();
    stopBlocks();
    (await node.transport.getRpcClient()).close();
  });
});

describe('web3', () => {
  it('deploys, calls, reads events and sends with its wallet and an account of the node', async () => {
    const web3 = new Web3(net.rpc[0]!.url);
    web3.eth.transactionPollingInterval = POLLING_INTERVAL_MS;
    const from = web3.eth.accounts.wallet.add(net.accounts[2]!.privateKey)[0]!.address;
    const store = await new web3.eth.Contract(STORE_JSON_ABI)
      .deploy({ data: STORE_CODE })
      .send({ from });
    const first = await store.methods.set!(5 as never).send({ from });
    await store.methods.set!(6 as never).send({ from: net.accounts[0]!.address });
    expect(await store.methods.value!().call()).toBe(6n);
    const events = await store.getPastEvents('Stored', { fromBlock: first.blockNumber });
    expect(events.map((event) => (event as { data: string }).data)).toEqual([word(5), word(6)]);
    const to = `0x${'cd'.repeat(20)}`;
    await web3.eth.sendTransaction({ from: net.accounts[1]!.address, to, value: 4n });
    expect(await web3.eth.getBalance(to)).toBe(4n);
  });
});

describe('plain JSON-RPC', () => {
  it('answers a batch in order, each call with its own error', async () => {
    const answer = await postJson(net.rpc[0]!.url, [
      { jsonrpc: '2.0', id: 'a', method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 'b', method: 'eth_nothing', params: [] },
      { jsonrpc: '2.0', id: 'c', method: 'net_version' },
    ]);
    expect(answer).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0x539' },
      {
        jsonrpc: '2.0',
        id: 'b',
        error: { code: -32601, message: 'the method eth_nothing does not exist/is not available' },
      },
      { jsonrpc: '2.0', id: 'c', result: '1337' },
    ]);
  });

  it('streams heads, logs and pending transactions over one WebSocket', async () => {
    const socket = new WebSocket(net.devnet.description.nodes[2]!.ws);
    const answers = new Map<number, string>();
    const told = new Map<string, { number?: string; data?: string }[]>();
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.id !== undefined) answers.set(message.id, message.result);
      else {
        const { subscription, result } = message.params;
        told.set(subscription, [...(told.get(subscription) ?? []), result]);
      }
    };
    await until('the socket is open', () => socket.readyState === WebSocket.OPEN);
    const subscribe = async (id: number, ...params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
      return until(`subscription ${id}`, () => answers.get(id));
    };
    const heads = await subscribe(1, 'newHeads');
    const logs = await subscribe(2, 'logs', { topics: [STORED_TOPIC] });
    const pending = await subscribe(3, 'newPendingTransactions');
    const from = net.accounts[0]!.address;
    const deployed = await net.rpc[0]!.call('eth_sendTransaction', {
      from,
      data: STORE_CODE,
      gas: '0x47b760',
    });
    const to = (await untilMined(net.rpc[0]!, deployed)).contractAddress;
    const set = await net.rpc[0]!.call('eth_sendTransaction', {
      from,
      to,
      data: setInput(77),
      gas: '0x47b760',
    });
    await until('the log is told', () => told.get(logs)?.length);
    expect(told.get(logs)!.map(({ data }) => data)).toEqual([word(77)]);
    expect(told.get(pending)).toEqual([deployed, set]);
    const numbers = told.get(heads)!.map(({ number }) => Number(number));
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    const isThere = async () =>
      (await net.rpc[2]!.call('eth_call', { to, data: VALUE_INPUT }, 'latest')) === word(77);
    await until('another node has the value', isThere);
    socket.close();
  });
});

it('describes itself and its peers as GoQuorum does', async () => {
  const [node] = net.rpc;
  expect(await node!.call('admin_nodeInfo')).toMatchObject({ plugins: {} });
  const peers = await node!.call<Record<string, any>[]>('admin_peers');
  expect(peers).toHaveLength(3);
  for (const peer of peers) {
    const names = ['enode', 'id', 'name', 'caps', 'network', 'protocols'];
    expect(Object.keys(peer)).toEqual(names);
    expect(peer.caps).toEqual(expect.arrayContaining(['eth/66', 'istanbul/99', 'istanbul/100']));
    const { eth, istanbul } = peer.protocols;
    expect(Object.keys(eth)).toEqual(['version', 'difficulty', 'head']);
    expect(istanbul).toEqual({ ...eth, version: 100 });
    const block = await node!.call<object>('eth_getBlockByHash', eth.head, false);
    expect(block).toMatchObject({ number: `0x${(eth.difficulty - 1).toString(16)}` });
  }
});
