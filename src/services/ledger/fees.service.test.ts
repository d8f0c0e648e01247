/** Checks docs/fees.md on networks where gas is free, and on networks where it has a price. */
import { ContractFactory, JsonRpcProvider, Wallet } from 'ethers';
import { afterAll, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { seeds } from '../../../test/support/effort.ts';
import { fastTime } from '../../../test/support/fast-time.ts';
import { genesisFile, testSecretKey } from '../../../test/support/genesis-file.ts';
import { VALIDATOR } from '../../../test/support/mining-node.ts';
import { until } from '../../../test/support/ptm.ts';
import { type RpcNode, rpcNode } from '../../../test/support/rpc-node.ts';
import { STORE_ABI, STORE_CODE, STORE_JSON_ABI } from '../../../test/support/store-contract.ts';
import { viemClients } from '../../../test/support/viem-clients.ts';
import { toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../core/chain/genesis.ts';

/** Key of an account that has funds. */
const KEY = testSecretKey(0x11);
const FASTER = 20;
const GAS = 1_000_000;
const POLL_MS = 50;

const endings: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

interface Network extends RpcNode {
  readonly url: string;
}

/**
 * A validator of a GoQuorum network: `config` is in its genesis file, `argv` are flags of the
 * node.
 */
async function network(config: object, ...argv: string[]): Promise<Network> {
  const validators = [toHex(addressOfSecretKey(VALIDATOR))];
  const node = await rpcNode({
    genesis: genesisFromJson(genesisFile({ engine: 'qbft', validators, config })),
    secretKey: VALIDATOR,
    isMining: true,
    time: fastTime(FASTER),
    argv,
  });
  const served = await node.serve();
  endings.push(
    () => served.close(),
    () => node.close(),
  );
  return { ...node, url: served.httpUrl! };
}

const fresh = () => Wallet.createRandom().privateKey;

/** Each client deploys and calls a contract, with the settings that the page recommends. */
const clients: readonly [name: string, play: (url: string, price: bigint) => Promise<unknown>][] = [
  [
    'ethers 6',
    async (url, gasPrice) => {
      // A block every 50 ms here: ethers caches transaction counts for 250 ms, which would be
      // outdated.
      const options = { pollingInterval: POLL_MS, cacheTimeout: -1 };
      const provider = new JsonRpcProvider(url, undefined, options);
      endings.push(() => provider.destroy());
      const factory = new ContractFactory(STORE_ABI, STORE_CODE, new Wallet(KEY, provider));
      const store = (await factory.deploy({ gasPrice })) as any;
      await store.waitForDeployment();
      await (await store.set(7, { gasPrice })).wait();
      return store.value();
    },
  ],
  [
    'viem',
    async (url, gasPrice) => {
      const { node, local } = viemClients(url);
      const wallet = local(KEY);
      const bytecode = STORE_CODE as `0x${string}`;
      const mined = (hash: `0x${string}`) => node.waitForTransactionReceipt({ hash });
      const made = await wallet.deployContract({ abi: STORE_JSON_ABI, bytecode, gasPrice } as any);
      const store = { address: (await mined(made)).contractAddress!, abi: STORE_JSON_ABI as any };
      const set = { ...store, functionName: 'set', args: [7n], gasPrice };
      await mined(await wallet.writeContract(set as any));
      return node.readContract({ ...store, functionName: 'value' });
    },
  ],
  [
    'web3 4',
    async (url, price) => {
      const web3 = new Web3(url);
      web3.eth.transactionPollingInterval = POLL_MS;
      const from = web3.eth.accounts.wallet.add(KEY)[0]!.address;
      const terms = { from, gas: String(GAS), gasPrice: String(price) };
      const store = await new web3.eth.Contract(STORE_JSON_ABI as any)
        .deploy({ data: STORE_CODE })
        .send(terms);
      await (store.methods as any).set(7).send(terms);
      return (store.methods as any).value().call();
    },
  ],
];

/** A transaction signed by the client with its own key. */
function raw(key: string, gasPrice: bigint, nonce = 0): Promise<string> {
  const to = addressOfSecretKey(VALIDATOR);
  return new Wallet(key).signTransaction({
    ...{ type: 0, chainId: 1337, to: toHex(to), gasLimit: 21_000, gasPrice, nonce },
  });
}

async function mined({ call }: RpcNode, hash: string): Promise<any> {
  let receipt: any;
  await until(async () => {
    receipt = await call('eth_getTransactionReceipt', hash);
    return receipt !== null;
  }, 'it is in a block');
  return receipt;
}

describe('a network whose genesis does not mention prices', () => {
  it('suggests 0, and refuses 1 wei by name, for every signer', async () => {
    const node = await network({});
    expect(await node.call('eth_gasPrice')).toBe('0x0');
    const offered = node.call('eth_sendRawTransaction', await raw(KEY, 1n));
    await expect(offered).rejects.toThrow('Gas price not 0');
    const from = await node.call('personal_importRawKey', KEY.slice(2), 'x');
    await node.call('personal_unlockAccount', from, 'x', 0);
    const unsigned = { from, to: from, gas: '0x5208', gasPrice: '0x1' };
    await expect(node.call('eth_sendTransaction', unsigned)).rejects.toThrow('Gas price not 0');
  });

  it('takes price 0 of accounts without funds', async () => {
    const node = await network({});
    const hash = await node.call('eth_sendRawTransaction', await raw(fresh(), 0n));
    expect((await mined(node, hash)).status).toBe('0x1');
  });

  it.each(seeds(clients))(
    '%s passes with price 0, and learns what is wrong with another',
    async (_name, play) => {
      const { url } = await network({});
      expect(BigInt((await play(url, 0n)) as bigint)).toBe(7n);
      const text = (error: any): string =>
        `${error?.message} ${error?.cause ? text(error.cause) : ''}`;
      expect(text(await play(url, 1n).catch((error) => error))).toContain('Gas price not 0');
    },
  );
});

describe('a network that gives gas a price', () => {
  it.each(seeds(clients))('from its first block: %s pays what it offers', async (_name, play) => {
    const { url, call } = await network({ enableGasPriceBlock: 0 });
    const { address } = new Wallet(KEY);
    const before = BigInt(await call('eth_getBalance', address, 'latest'));
    expect(BigInt((await play(url, 2_000_000_000n)) as bigint)).toBe(7n);
    expect(BigInt(await call('eth_getBalance', address, 'latest'))).toBeLessThan(before);
  });

  it('suggests 1 gwei at first, and takes no offer below 1 wei', async () => {
    // With this flag, transactions of the node's own clients must pay the minimum price too.
    const node = await network({ enableGasPriceBlock: 0 }, '--txpool.nolocals');
    expect(await node.call('eth_gasPrice')).toBe('0x3b9aca00');
    const low = node.call('eth_sendRawTransaction', await raw(fresh(), 0n));
    await expect(low).rejects.toThrow('transaction underpriced');
  });

  it('lets accounts without funds send where both flags are 0', async () => {
    const free = ['--txpool.nolocals', '--miner.gasprice', '0', '--txpool.pricelimit', '0'];
    const node = await network({ enableGasPriceBlock: 0 }, ...free);
    expect(await node.call('eth_gasPrice')).toBe('0x0');
    const hash = await node.call('eth_sendRawTransaction', await raw(fresh(), 0n));
    expect((await mined(node, hash)).status).toBe('0x1');
  });

  it('from the block of a transition on', async () => {
    const block = 20;
    const node = await network({ transitions: [{ block, gasPriceEnabled: true }] });
    const offer = async () => node.call('eth_sendRawTransaction', await raw(KEY, 5n));
    await expect(offer()).rejects.toThrow('Gas price not 0');
    await until(
      async () => Number(await node.call('eth_blockNumber')) >= block,
      'its block is there',
    );
    expect(await mined(node, await offer())).toMatchObject({ status: '0x1' });
  });
});
