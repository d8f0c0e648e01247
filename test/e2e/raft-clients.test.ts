/** Client libraries against a Raft devnet, whose answers carry timestamps in seconds. */
import { once } from 'node:events';
import { type Contract, ContractFactory, JsonRpcProvider, SigningKey, Wallet } from 'ethers';
import { parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { WebSocket } from 'ws';
import { quorumRpc } from '../../src/clients/client.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { docstringExamples, runExample } from '../support/docstring-examples.ts';
import { STORE_ABI, STORE_CODE, STORE_JSON_ABI, word } from '../support/store-contract.ts';
import { viemClients } from '../support/viem-clients.ts';

const YEAR_2100_SECONDS = 4_102_444_800n;
const POLLING_INTERVAL_MS = 200;
/**
 * Raft makes no empty blocks, and mines within the quarter of a second for which ethers caches
 * answers: without its cache, ethers does not miss the only block that it waits for.
 */
const ETHERS_OPTIONS = { pollingInterval: POLLING_INTERVAL_MS, cacheTimeout: -1 };

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet({ consensus: 'raft' });
});
afterAll(() => net?.close());

describe('a Raft devnet', () => {
  it('serves ethers over HTTP and WebSocket', async () => {
    const provider = new JsonRpcProvider(net.rpc[1]!.url, undefined, {
      ...ETHERS_OPTIONS,
    });
    const wallet = new Wallet(net.accounts[0]!.privateKey, provider);
    const store = (await new ContractFactory(STORE_ABI, STORE_CODE, wallet).deploy()) as Contract;
    await store.waitForDeployment();
    const socket = new WebSocket(net.devnet.description.nodes[2]!.ws);
    const heads: { timestamp: string }[] = [];
    socket.on('message', (data) => {
      const { params } = JSON.parse(String(data)) as { params?: { result: { timestamp: string } } };
      if (params) heads.push(params.result);
    });
    await once(socket, 'open');
    const subscribe = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
    socket.send(JSON.stringify(subscribe));
    await once(socket, 'message');
    const receipt = await (await store.getFunction('set')(7n)).wait();
    expect(await store.getFunction('value')()).toBe(7n);
    const block = await provider.getBlock(receipt!.blockNumber);
    expect(Math.abs(block!.date!.getTime() - Date.now())).toBeLessThan(60_000);
    expect((await store.queryFilter('Stored')).map(({ data }) => data)).toEqual([word(7)]);
    await until('the head is heard', () => heads.length > 0);
    expect(BigInt(heads[0]!.timestamp)).toBeLessThan(YEAR_2100_SECONDS);
    socket.close();
    provider.destroy();
  });

  it('serves viem', async () => {
    const clients = viemClients(net.rpc[0]!.url);
    const { node } = clients;
    const wallet = clients.local(net.accounts[1]!.privateKey);
    const abi = parseAbi(STORE_ABI);
    const bytecode = STORE_CODE as `0x${string}`;
    const hash = await wallet.deployContract({ abi, bytecode });
    const deployed = await node.waitForTransactionReceipt({ hash });
    const block = await node.getBlock({ blockNumber: deployed.blockNumber });
    expect(block.timestamp).toBeLessThan(YEAR_2100_SECONDS);
    const pending = await node.getBlock({ blockTag: 'pending' });
    expect(pending.timestamp).toBeLessThan(YEAR_2100_SECONDS);
    expect(await node.getCode({ address: deployed.contractAddress! })).toMatch(/^0x6080/);
  });

  it('serves web3', async () => {
    const web3 = new Web3(net.rpc[2]!.url);
    web3.eth.transactionPollingInterval = POLLING_INTERVAL_MS;
    const from = web3.eth.accounts.wallet.add(net.accounts[0]!.privateKey)[0]!.address;
    const contract = new web3.eth.Contract(STORE_JSON_ABI);
    const store = await contract.deploy({ data: STORE_CODE }).send({ from });
    const { blockNumber: fromBlock } = await store.methods.set!(5 as never).send({ from });
    expect(await store.methods.value!().call()).toBe(5n);
    const events = await store.getPastEvents('Stored', { fromBlock });
    expect(events.map((event) => (event as { data: string }).data)).toEqual([word(5)]);
    const { timestamp } = await web3.eth.getBlock('latest');
    expect(timestamp).toBeLessThan(YEAR_2100_SECONDS);
  });

  it('shows its members and its account as GoQuorum does', async () => {
    const [rpc] = net.rpc;
    const [first] = await rpc!.call<string[]>('eth_accounts');
    expect(await rpc!.call('eth_coinbase')).toBe(first);
    const names = ['raftId', 'nodeId', 'p2pPort', 'raftPort', 'hostname', 'role', 'nodeActive'];
    for (const member of await rpc!.call<object[]>('raft_cluster'))
      expect(Object.keys(member)).toEqual(names);
  });

  it('mints many transactions of one sender in order, in successive blocks', async () => {
    const provider = new JsonRpcProvider(net.rpc[2]!.url, undefined, {
      ...ETHERS_OPTIONS,
    });
    const wallet = new Wallet(net.accounts[2]!.privateKey, provider);
    const to = Wallet.createRandom().address;
    const first = await wallet.getNonce();
    const sent = [];
    for (let at = 0; at < 150; at++) {
      sent.push(
        await wallet.sendTransaction({ to, value: 1n, nonce: first + at, gasLimit: 21_000n }),
      );
    }
    await sent.at(-1)!.wait();
    expect(await provider.getBalance(to)).toBe(150n);
    await until('all nodes have the same head', async () => {
      const heads = await Promise.all(
        net.rpc.map((rpc) => rpc.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)),
      );
      return new Set(heads.map(({ hash }) => hash)).size === 1;
    });
    provider.destroy();
  });
});

describe('the examples of src/clients/ledger/calls/raft.ts', () => {
  const enodeOf = (key: number, port: number) => {
    const { publicKey } = new SigningKey(`0x${String(key).repeat(64)}`);
    return `enode://${publicKey.slice(4)}@127.0.0.1:${port}?discport=0&raftport=${port + 1}`;
  };

  it.each(docstringExamples('src/clients/ledger/calls/raft.ts'))('%s', async (_, text) => {
    const rpc = quorumRpc({
      request: ({ method, params }) => net.rpc[0]!.call(method, ...(params as unknown[])),
    });
    const console = { log: (value: unknown) => expect(value).toBeDefined() };
    const given = { newPeer: enodeOf(1, 30_001), learner: enodeOf(2, 30_003) };
    await runExample(text, { rpc, console, ...given });
  });
});
