/**
 * The signing proxy in front of node 1 of a devnet: nonces, private transactions, the client
 * libraries.
 */
import { Contract, ContractFactory, JsonRpcProvider } from 'ethers';
import { createWalletClient, defineChain, http, publicActions, recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet, untilBlock, untilMined } from '../support/devnet.ts';
import { readStore } from '../support/private-transactions.ts';
import { postJson, type Rpc, rpcClient } from '../support/rpc-client.ts';
import { STORE_ABI, STORE_CODE, setInput, word } from '../support/store-contract.ts';

const TO = `0x${'77'.repeat(20)}`;

interface PrivateReceipt {
  readonly contractAddress: string;
  readonly status: string;
  readonly logs: readonly { readonly data: string }[];
}

let net: TestDevnet;
let proxy: Rpc;
let accounts: readonly string[];
beforeAll(async () => {
  net = await startTestDevnet();
  proxy = rpcClient(net.devnet.description.signer.rpc);
  accounts = net.accounts.map(({ address }) => address);
});
afterAll(() => net?.close());

describe('accounts and reads', () => {
  it('lists the funded accounts, and forwards reads', async () => {
    expect(await proxy.call('eth_accounts')).toEqual([...accounts].sort());
    expect(await proxy.call('eth_chainId')).toBe('0x539');
    const [direct, through] = await Promise.all(
      [net.rpc[0]!, proxy].map((rpc) => rpc.call('eth_getBlockByNumber', '0x0', true)),
    );
    expect(through).toEqual(direct);
    await expect(proxy.call('eth_nothing')).rejects.toThrow('does not exist');
  });
});

describe('value', () => {
  it('moves once for each kind of transaction, and not at all when refused', async () => {
    const [from] = accounts;
    const to = `0x${'78'.repeat(20)}`;
    const balanceOf = async (who: string) => {
      const [direct, through] = await Promise.all(
        [net.rpc[0]!, proxy].map((rpc) => rpc.call<string>('eth_getBalance', who, 'latest')),
      );
      expect(through).toBe(direct);
      return BigInt(direct!);
    };
    const balances = async () => [await balanceOf(from!), await balanceOf(to)] as const;
    const [had] = await balances();
    const terms = { from, to, value: '0x5', gas: '0x5208' };
    const noFee = { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' };
    for (const [fields, type] of [
      [terms, '0x0'],
      [{ ...terms, ...noFee }, '0x2'],
    ] as const) {
      const hash = await proxy.call<string>('eth_sendTransaction', fields);
      await untilMined(net.rpc[0]!, hash);
      expect(await proxy.call('eth_getTransactionReceipt', hash)).toMatchObject({ type });
    }
    expect(await balances()).toEqual([had - 10n, 10n]);
    const send = (fields: object) => proxy.call('eth_sendTransaction', { ...terms, ...fields });
    await expect(send({ from: to })).rejects.toThrow('No unlocked account matches the Sender');
    await expect(send({ value: `0x${(had * 2n).toString(16)}` })).rejects.toThrow('insufficient');
    expect(await balances()).toEqual([had - 10n, 10n]);
  });
});

describe('nonces', () => {
  it('1,000 concurrent transactions without a nonce are all mined, each once', async () => {
    const before = await Promise.all(accounts.map((each) => countOf(each)));
    const sends = Array.from({ length: 1_000 }, (_, index) => ({
      jsonrpc: '2.0',
      id: index,
      method: 'eth_sendTransaction',
      params: [{ from: accounts[index % 3], to: TO, value: '0x1', gas: '0x5208' }],
    }));
    // One by one, and in batches of ten.
    const singles = sends.slice(0, 500).map((each) => postJson(proxy.url, each));
    const batches = Array.from({ length: 50 }, (_, index) =>
      postJson(proxy.url, sends.slice(500 + index * 10, 510 + index * 10)),
    );
    const answers = (await Promise.all([...singles, ...batches])).flat() as { result: string }[];
    const hashes = answers.map(({ result }) => result);
    expect(new Set(hashes).size).toBe(1_000);
    await until('all are mined', async () => {
      const counts = await Promise.all(accounts.map((each) => countOf(each)));
      return counts.reduce((sum, count, index) => sum + count - before[index]!, 0) === 1_000;
    });
    const receipts = await Promise.all(
      hashes.map((hash) => net.rpc[0]!.call<{ status: string }>('eth_getTransactionReceipt', hash)),
    );
    expect(receipts.every((receipt) => receipt?.status === '0x1')).toBe(true);
    expect(BigInt(await net.rpc[0]!.call('eth_getBalance', TO, 'latest'))).toBe(1_000n);
  });

  it('continues after a wallet that uses the same key, and leaves the next nonce to others', async () => {
    const [from] = accounts;
    const nonce = Number(await net.rpc[0]!.call('eth_getTransactionCount', from, 'pending'));
    // Node 1 has the key too. The same fields with the same nonce would be the same transaction.
    await net.rpc[0]!.call('eth_sendTransaction', {
      from,
      to: TO,
      value: '0x2',
      gas: '0x5208',
      gasPrice: '0x0',
    });
    const hash = await proxy.call('eth_sendTransaction', {
      from,
      to: TO,
      value: '0x1',
      gas: '0x5208',
    });
    await untilMined(net.rpc[0]!, hash);
    const sent = await proxy.call<{ nonce: string }>('eth_getTransactionByHash', hash);
    expect(Number(sent.nonce)).toBe(nonce + 1);
    const raw = await proxy.call('eth_signTransaction', { from, to: TO });
    const again = await proxy.call('eth_signTransaction', { from, to: TO });
    expect(again).toBe(raw);
  });
});

describe('private transactions', () => {
  it('eth_sendTransaction with privateFor: both parties read the value, a third cannot', async () => {
    const privateFor = [net.keys[1]];
    const send = async (fields: object) => {
      const terms = { gas: '0x47b760', privateFor, privacyFlag: 0 };
      return untilMined(
        proxy,
        await proxy.call('eth_sendTransaction', { from: accounts[0], ...terms, ...fields }),
      );
    };
    const { contractAddress } = await send({ data: STORE_CODE });
    const { blockNumber } = await send({ to: contractAddress, data: setInput(4711) });
    await Promise.all(net.rpc.map((rpc) => untilBlock(rpc, Number(blockNumber))));
    const seen = await Promise.all(net.rpc.map((_, at) => readStore(net, at, contractAddress!)));
    expect(seen).toEqual([word(4711), word(4711), '0x', '0x']);
  });

  const send = (fields: object) =>
    proxy.call<string>('eea_sendTransaction', {
      ...{ from: accounts[1], gas: '0x47b760', restriction: 'restricted' },
      ...{ privateFrom: net.keys[0], privateFor: [net.keys[1]] },
      ...fields,
    });
  const receiptOf = (rpc: Rpc, hash: string) =>
    until('it has a private receipt', async () => {
      const found = await rpc.call<PrivateReceipt | null>('priv_getTransactionReceipt', hash);
      return found ?? undefined;
    });
  const eeaCount = () =>
    proxy.call('priv_getEeaTransactionCount', accounts[1], net.keys[0], [net.keys[1]]);

  it('eea_sendTransaction: both parties read the value, a third cannot', async () => {
    const created = await receiptOf(proxy, await send({ data: STORE_CODE }));
    const set = await send({ to: created.contractAddress, data: setInput(815) });
    const receipts = await Promise.all([0, 1].map((at) => receiptOf(net.rpc[at]!, set)));
    expect(receipts.map(({ status, logs }) => [status, logs[0]?.data])).toEqual([
      ['0x1', word(815)],
      ['0x1', word(815)],
    ]);
    await untilMined(net.rpc[2]!, set);
    expect(await net.rpc[2]!.call('priv_getTransactionReceipt', set)).toBeNull();
    expect(await eeaCount()).toBe('0x2');
    await expect(send({ data: '0x00', value: '0x1' })).rejects.toThrow('Invalid params');
  });

  it('one that waits is replaced by one of the same nonce that pays more, and only that one runs', async () => {
    const hash = await send({ data: STORE_CODE });
    const { contractAddress: to } = await receiptOf(proxy, hash);
    const marker = await proxy.call<{ from: string }>('eth_getTransactionByHash', hash);
    const funds = { from: accounts[0], to: marker.from, value: '0xde0b6b3a7640000', gas: '0x5208' };
    await untilMined(proxy, await proxy.call('eth_sendTransaction', funds));
    const nonce = await eeaCount();
    const set = (value: number, gasPrice: string) =>
      send({ to, data: setInput(value), nonce, gasPrice });
    await Promise.all(net.rpc.map((rpc) => rpc.call('miner_stop')));
    const waiting = await set(1, '0x3e8');
    await expect(set(2, '0x3e8')).rejects.toThrow('replacement transaction underpriced');
    const better = await set(3, '0x7d0');
    expect(await proxy.call('eth_getTransactionByHash', waiting)).toBeNull();
    await Promise.all(net.rpc.map((rpc) => rpc.call('miner_start')));
    const receipts = await Promise.all([0, 1].map((at) => receiptOf(net.rpc[at]!, better)));
    expect(receipts.map(({ logs }) => logs[0]?.data)).toEqual([word(3), word(3)]);
    expect(await proxy.call('eth_getTransactionReceipt', waiting)).toBeNull();
    expect(Number(await eeaCount())).toBe(Number(nonce) + 1);
  });

  it('value, flags without parties and unknown keys are refused before anything is stored', async () => {
    const private_ = { from: accounts[0], data: '0x00', privateFor: [net.keys[1]] };
    const send = (fields: object) => proxy.call('eth_sendTransaction', fields);
    await expect(send({ ...private_, value: '0x1' })).rejects.toThrow(
      'ether value is not supported',
    );
    await expect(send({ from: accounts[0], data: '0x00', privacyFlag: 1 })).rejects.toThrow(
      'Invalid params',
    );
    await expect(send({ ...private_, privateFor: ['AAAA'] })).rejects.toThrow('Invalid params');
  });
});

describe('client libraries through the proxy', () => {
  it('ethers deploys, calls and signs', async () => {
    const provider = new JsonRpcProvider(proxy.url, undefined, {
      pollingInterval: 100,
      cacheTimeout: -1,
    });
    const signer = await provider.getSigner(accounts[0]);
    const store = await new ContractFactory(STORE_ABI, STORE_CODE, signer).deploy({ gasPrice: 0 });
    await store.waitForDeployment();
    const contract = new Contract(await store.getAddress(), STORE_ABI, signer);
    await (await contract.getFunction('set')(42n, { gasPrice: 0 })).wait();
    expect(await contract.getFunction('value')()).toBe(42n);
    expect(await signer.signMessage('hello')).toMatch(/^0x[0-9a-f]{130}$/);
    const types = { Person: [{ name: 'name', type: 'string' }] };
    expect(await signer.signTypedData({ name: 'a' }, types, { name: 'b' })).toMatch(
      /^0x[0-9a-f]{130}$/,
    );
    provider.destroy();
  });

  it('viem sends and signs', async () => {
    const chain = defineChain({
      ...{ id: 1337, name: 'devnet', rpcUrls: { default: { http: [proxy.url] } } },
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    });
    const account = accounts[1] as `0x${string}`;
    const client = createWalletClient({ account, chain, transport: http(proxy.url) }).extend(
      publicActions,
    );
    const hash = await client.sendTransaction({
      to: TO as `0x${string}`,
      value: 1n,
      gas: 21_000n,
      gasPrice: 0n,
    });
    const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
    expect(receipt.status).toBe('success');
    const signature = await client.signMessage({ message: 'hello' });
    const signedBy = await recoverMessageAddress({ message: 'hello', signature });
    expect(signedBy.toLowerCase()).toBe(account);
  });

  it('web3 sends and signs', async () => {
    const web3 = new Web3(proxy.url);
    expect((await web3.eth.getAccounts()).map((each) => each.toLowerCase())).toContain(accounts[2]);
    const receipt = await web3.eth.sendTransaction({
      from: accounts[2]!,
      to: TO,
      value: '1',
      gas: 21_000,
      gasPrice: 0,
    });
    expect(receipt.status).toBe(1n);
    const signature = (await web3.eth.sign(web3.utils.utf8ToHex('hello'), accounts[2]!)) as string;
    expect(web3.eth.accounts.recover('hello', signature).toLowerCase()).toBe(accounts[2]);
  });
});

async function countOf(account: string): Promise<number> {
  return Number(await net.rpc[0]!.call('eth_getTransactionCount', account, 'latest'));
}
