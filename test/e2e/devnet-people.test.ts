/** What people and tools expect of a test network: well-known accounts, keys and contracts. */
import { ContractFactory, HDNodeWallet, JsonRpcProvider, Mnemonic } from 'ethers';
import { parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { STORE_ABI, STORE_CODE, word } from '../support/store-contract.ts';
import { viemClients } from '../support/viem-clients.ts';

const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const PHRASE = 'test test test test test test test test test test test junk';
const MANAGER_KEYS = [
  'BULeR8JyUWhiuuCMU/HLA0Q5pzkYT+cHII3ZKBey3Bo=',
  'QfeDAys9MPDs2XHExtc84jKGHxZg/aj52DTh0vtA3Xc=',
  '1iTZde/ndBHvzhcl7V68x44Vx7pl8nwx9LqnM/AfJUg=',
  'oNspPPgszVUFw0qmGFfWwh1uxVUXgvBxleXORHj07g8=',
];

describe.each(['qbft', 'raft'] as const)('a %s devnet', (consensus) => {
  let net: TestDevnet;
  beforeAll(async () => {
    net = await startTestDevnet({ consensus });
  });
  afterAll(() => net?.close());

  it('has on every node an account with funds and one without: each sends to all members', async () => {
    const { nodes } = net.devnet.description;
    const hashes: string[] = [];
    for (const [at, { accounts }] of nodes.entries()) {
      const rpc = net.rpc[at]!;
      const [rich, poor] = accounts.map(({ address }) => address);
      expect(BigInt(await rpc.call('eth_getBalance', rich, 'latest')) > 0n).toBe(true);
      expect(await rpc.call('eth_getBalance', poor, 'latest')).toBe('0x0');
      const held = await rpc.call<string[]>('eth_accounts');
      const mine = at === 0 ? net.accounts.map(({ address }) => address) : [];
      expect(held).toEqual([...mine, rich, poor]);
      const privateFor = net.keys.filter((_, other) => other !== at);
      const sent = { gas: '0x100000', data: STORE_CODE, privateFor };
      for (const fields of [{ from: rich, gasPrice: '0x1' }, { from: poor }])
        hashes.push(await rpc.call('eth_sendTransaction', { ...sent, ...fields }));
    }
    for (const hash of hashes)
      for (const rpc of net.rpc) expect((await untilMined(rpc, hash)).status).toBe('0x1');
  });

  it('has the accounts of the mnemonic on node 1 and in the signing proxy', async () => {
    const mnemonic = Mnemonic.fromPhrase(PHRASE);
    const wallets = Array.from({ length: 10 }, (_, index) =>
      HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index}`).address.toLowerCase(),
    );
    expect(net.accounts.slice(3).map(({ address }) => address)).toEqual(wallets);
    expect(net.devnet.description.mnemonic).toEqual({ phrase: PHRASE, path: "m/44'/60'/0'/0/" });
    const { signer, nodes } = net.devnet.description;
    const proxied = await rpcClient(signer.rpc).call<string[]>('eth_accounts');
    expect(proxied).toEqual(net.accounts.map(({ address }) => address).sort());
    for (const url of [nodes[0]!.rpc, signer.rpc]) {
      const from = wallets[9];
      const hash = await rpcClient(url).call('eth_sendTransaction', {
        from,
        to: from,
        gas: '0x5208',
      });
      expect((await untilMined(net.rpc[1]!, hash)).status).toBe('0x1');
    }
  });

  it("has the managers' keys of the quickstart", () => {
    expect(net.keys).toEqual(MANAGER_KEYS.slice(0, net.keys.length));
  });

  it('deploys through the CREATE2 deployer', async () => {
    const provider = new JsonRpcProvider(net.rpc[1]!.url, undefined, { cacheTimeout: -1 });
    const { data } = await new ContractFactory(STORE_ABI, STORE_CODE).getDeployTransaction();
    const [from] = await net.rpc[1]!.call<string[]>('eth_accounts');
    const input = word(7) + data.slice(2);
    const address = await net.rpc[1]!.call('eth_call', { to: CREATE2_DEPLOYER, data: input });
    const send = { from, to: CREATE2_DEPLOYER, data: input, gas: '0x100000' };
    await untilMined(net.rpc[1]!, await net.rpc[1]!.call('eth_sendTransaction', send));
    expect((await provider.getCode(address)).length).toBeGreaterThan(100);
    provider.destroy();
  });

  it('answers many calls in one through Multicall3', async () => {
    const { node } = viemClients(net.rpc[2]!.url);
    const abi = parseAbi(['function getEthBalance(address) view returns (uint256)']);
    const address = MULTICALL3;
    const contracts = net.accounts.map((account) => ({
      ...{ abi, address, functionName: 'getEthBalance' },
      args: [account.address],
    }));
    const answers = await node.multicall({ contracts, multicallAddress: MULTICALL3 } as never);
    expect(answers.map(({ status }: { status: string }) => status)).toEqual(
      contracts.map(() => 'success'),
    );
  });
});
