/**
 * `quorate/client` with viem and ethers on a devnet: private transactions signed here, by the node
 * and by the signing proxy; every example of its docstrings and of docs/client.md.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as ethers from 'ethers';
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers';
import * as viem from 'viem';
import { createWalletClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as client from '../../src/clients/client.ts';
import { PrivacyFlag, PrivateManager } from '../../src/clients/client.ts';
import * as forEthers from '../../src/clients/ethers.ts';
import { PrivateSigner, QuorateProvider, quorumOf } from '../../src/clients/ethers.ts';
import * as forViem from '../../src/clients/viem.ts';
import { quorateActions } from '../../src/clients/viem.ts';
import { until } from '../support/conditions.ts';
import { PROJECT, startTestDevnet, type TestDevnet, untilBlock } from '../support/devnet.ts';
import { docstringExamples, runExample } from '../support/docstring-examples.ts';
import { readStore } from '../support/private-transactions.ts';
import { STORE_CODE, word } from '../support/store-contract.ts';

const ABI = parseAbi([
  'event Stored(address indexed by, uint256 value)',
  'function set(uint256 v)',
  'function value() view returns (uint256)',
]);
const CODE = STORE_CODE as `0x${string}`;

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet({ blockPeriodMs: 300 });
});
afterAll(() => net?.close());

const nodeUrl = (at = 0) => net.devnet.description.nodes[at]!.rpc;
const managerUrl = () => net.devnet.description.nodes[0]!.ptm.thirdParty;
const privateKey = () => net.accounts[0]!.privateKey as `0x${string}`;

/** Nodes 1 and 2 are parties, node 3 is not. */
async function expectStored(address: string, value: number, block: bigint | number) {
  for (const at of [0, 1, 2]) await untilBlock(net.rpc[at]!, Number(block));
  expect(await readStore(net, 0, address)).toBe(word(value));
  expect(await readStore(net, 1, address)).toBe(word(value));
  expect(await readStore(net, 2, address)).toBe('0x');
}

describe('viem', () => {
  const wallet = (url: string, account: viem.Account | viem.Address) =>
    createWalletClient({ account, transport: http(url), pollingInterval: 100 });

  it.each([
    ['signed here', false, PrivacyFlag.standard],
    ['signed here, in a privacy marker', true, PrivacyFlag.privateStateValidation],
  ] as const)('%s', async (_, marker, privacyFlag) => {
    const sender = wallet(nodeUrl(), privateKeyToAccount(privateKey())).extend(
      quorateActions({ manager: managerUrl() }),
    );
    const terms = { privateFor: [net.keys[1]!], privacyFlag, marker };
    const created = await sender.deployPrivateContract({ abi: ABI, bytecode: CODE, ...terms });
    const deployed = await sender.waitForPrivateReceipts({ hash: created });
    const address = deployed.receipt!.contractAddress!;
    const stored = await sender.writePrivateContract({
      ...{ abi: ABI, address, functionName: 'set', args: [42n] },
      ...terms,
    });
    const { receipt, marker: outer } = await sender.waitForPrivateReceipts({ hash: stored });
    expect([receipt!.status, receipt!.logs.length]).toEqual(['success', 1]);
    expect(outer?.logs).toEqual(marker ? [] : undefined);
    await expectStored(address, 42, receipt!.blockNumber);
    if (marker) {
      const { getContractPrivacyMetadata } = sender.privacy;
      expect(await getContractPrivacyMetadata(address)).toMatchObject({ privacyFlag });
    }
    const stranger = wallet(nodeUrl(2), sender.account).extend(quorateActions());
    const elsewhere = await stranger.waitForPrivateReceipts({ hash: stored });
    if (marker) expect(elsewhere).toMatchObject({ receipt: null, marker: { status: 'success' } });
    else expect(elsewhere.receipt!.logs).toEqual([]);
  });

  it.each(['node', 'signing proxy'])('signed by the %s', async (by) => {
    const url = by === 'node' ? nodeUrl() : net.devnet.description.signer.rpc;
    const address = net.accounts[1]!.address as viem.Address;
    const sender = wallet(url, address).extend(quorateActions());
    const terms = { privateFor: [net.keys[1]!], gas: 0x47b760n };
    const hash = await sender.deployPrivateContract({ abi: ABI, bytecode: CODE, ...terms });
    const { receipt } = await sender.waitForPrivateReceipts({ hash });
    await expectStored(receipt!.contractAddress!, 0, receipt!.blockNumber);
    const inMarker = sender.sendPrivateTransaction({ data: '0x00', ...terms, marker: true });
    await expect(inMarker).rejects.toThrow('--privacymarker.enable');
  });

  it('reports what is missing', async () => {
    const without = wallet(nodeUrl(), privateKeyToAccount(privateKey())).extend(quorateActions());
    const terms = { data: '0x00', privateFor: [] } as const;
    await expect(without.sendPrivateTransaction(terms)).rejects.toThrow('needs `manager`');
    const { account: _, ...none } = without;
    const accountless = quorateActions()(none as never).sendPrivateTransaction(terms);
    await expect(accountless).rejects.toThrow('no account');
    const byNode = { ...terms, account: net.accounts[0]!.address as viem.Address };
    await expect(without.signPrivateTransaction(byNode)).rejects.toThrow('only an account that');
    const manager = new PrivateManager(managerUrl());
    await expect(manager.storeRaw('0x00', 'nonsense')).rejects.toThrow('manager, status 4');
  });
});

describe('ethers', () => {
  it.each([
    ['signed here', false],
    ['signed here, in a privacy marker', true],
  ] as const)('%s', async (_, marker) => {
    const provider = new QuorateProvider(nodeUrl(), undefined, { pollingInterval: 100 });
    const wallet = new Wallet(privateKey(), provider);
    const terms = { privateFor: [net.keys[1]!], manager: managerUrl(), marker };
    const signer = new PrivateSigner(wallet, terms);
    const store = await new ContractFactory(ABI as never, CODE, signer).deploy();
    await store.waitForDeployment();
    const receipt = await (await (store as any).set(43n)).wait();
    expect([receipt.status, receipt.logs[0].fragment.name]).toEqual([1, 'Stored']);
    await expectStored(await store.getAddress(), 43, receipt.blockNumber);
    const read = new Contract(await store.getAddress(), ABI as never, provider);
    expect(await read.value!()).toBe(43n);
    provider.destroy();
  });

  it('signed by the node; extended to a third party', async () => {
    const provider = new JsonRpcProvider(nodeUrl(), undefined, { pollingInterval: 100 });
    const own = net.accounts[0]!.address as viem.Address;
    const inner = await provider.getSigner(own);
    const signer = new PrivateSigner(inner, { privateFor: [net.keys[1]!] });
    const store = await new ContractFactory(ABI as never, CODE, signer).deploy();
    await store.waitForDeployment();
    const address = (await store.getAddress()) as viem.Address;
    const third = new JsonRpcProvider(nodeUrl(2), undefined, { pollingInterval: 100 });
    const recipient = net.devnet.description.nodes[2]!.accounts[0].address as viem.Address;
    const { extension } = quorumOf(provider);
    const hash = await extension.extendContract(address, net.keys[2]!, recipient, {
      ...{ from: own, gas: 0x47b760n },
      privateFor: [net.keys[2]!],
    });
    await provider.waitForTransaction(hash);
    const [active] = (await extension.activeExtensionContracts())!;
    expect(active).toMatchObject({ contractExtended: address.toLowerCase(), initiator: own });
    const manager = active!.managementContractAddress;
    expect(await extension.getExtensionStatus(manager)).toBe('ACTIVE');
    const isKnown = async () =>
      ((await quorumOf(third).extension.activeExtensionContracts()) ?? []).length === 1;
    await until('the third party knows of it', isKnown);
    await quorumOf(third).extension.approveExtension(manager, true, {
      ...{ from: recipient, gas: 0x47b760n },
      privateFor: [net.keys[0]!],
    });
    await until('it has the contract', async () => (await third.getCode(address)) !== '0x');
    expect(await extension.getExtensionStatus(manager)).toBe('DONE');
    third.destroy();
    const marked = signer.with({ privateFor: [], marker: true }).sendTransaction({ data: '0x00' });
    await expect(marked).rejects.toThrow('--privacymarker.enable');
    provider.destroy();
  });
});

describe('docs/client.md', () => {
  const page = readFileSync(join(PROJECT, 'docs/client.md'), 'utf8');
  const blocks = [...page.matchAll(/^```js tried\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-client-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(PROJECT, join(folder, 'node_modules/quorate'));
    for (const library of ['ethers', 'viem']) {
      symlinkSync(join(PROJECT, 'node_modules', library), join(folder, 'node_modules', library));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has examples', () => expect(blocks).toHaveLength(3));

  it.each(blocks)('prints what it says: %#', async (text) => {
    const here = text
      .replaceAll('http://127.0.0.1:22000', nodeUrl())
      .replaceAll('http://127.0.0.1:9081', managerUrl());
    const file = join(folder, 'example.mjs');
    writeFileSync(file, here);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 120_000 });
    const said = [...text.matchAll(/\/\/> (.*)$/gm)].map(([, line]) => line);
    expect(stdout.trim().split('\n')).toEqual(said);
  });
});

const EXAMPLES = [
  'client',
  'viem',
  'ethers',
  'ledger/manager',
  'ledger/mark-private',
  'ledger/rpc',
  'ledger/calls/privacy',
  'ledger/calls/istanbul',
  'ledger/calls/extension',
];

describe('examples of docstrings', () => {
  let provider: QuorateProvider;
  let given: Record<string, unknown>;
  /** Of two offers to the third party: one is withdrawn, the other accepted. */
  let managements: { readonly cancelled: unknown; readonly accepted: unknown };

  beforeAll(async () => {
    // Nonces are asked for one after the other: none comes from a cache.
    provider = new QuorateProvider(nodeUrl(), undefined, {
      pollingInterval: 100,
      cacheTimeout: -1,
    });
    const wallet = new Wallet(privateKey(), provider);
    const [ownKey, otherKey, newParty] = net.keys as [string, string, string];
    const options = { manager: managerUrl(), privateFor: [otherKey] };
    const signer = new PrivateSigner(wallet, options);
    const rpc = quorumOf(provider);
    // Another account, for which nothing is signed here after the offers: a node that extends a
    // contract also votes for it, in the background.
    const from = net.accounts[1]!.address as viem.Address;
    const ofNode = new PrivateSigner(new Wallet(net.accounts[1]!.privateKey, provider), options);
    const recipient = net.devnet.description.nodes[2]!.accounts[0].address as viem.Address;
    const recipientRpc = client.quorumRpc({
      request: ({ method, params }) => net.rpc[2]!.call(method, ...(params as unknown[])),
    });
    const deploy = async (by: PrivateSigner) => {
      const sent = await by.sendTransaction({ data: CODE });
      const { contractAddress } = (await sent.wait())!;
      return { hash: sent.hash, contract: contractAddress as viem.Address };
    };
    const { contract } = await deploy(ofNode);
    const guarded = signer.with({ ...options, privacyFlag: PrivacyFlag.partyProtection });
    const { contract: protectedContract } = await deploy(guarded);
    const { hash: markerHash } = await deploy(signer.with({ ...options, marker: true }));
    const first = await deploy(ofNode);
    const second = await deploy(ofNode);
    const offer = async ({ contract: offered }: typeof first) => {
      const terms = { from, privateFor: [newParty] };
      await rpc.extension.extendContract(offered, newParty, recipient, terms);
      return until('the third party knows of the offer', async () => {
        const active = (await recipientRpc.extension.activeExtensionContracts()) ?? [];
        const isIts = (each: client.ActiveExtension) =>
          each.contractExtended === offered.toLowerCase();
        return active.find(isIts)?.managementContractAddress;
      });
    };
    managements = { cancelled: await offer(first), accepted: await offer(second) };
    const viemClient = createWalletClient({
      ...{ account: privateKeyToAccount(privateKey()), transport: http(nodeUrl()) },
      pollingInterval: 100,
    });
    given = {
      ...{ ...ethers, ...viem, privateKeyToAccount, ...client, ...forViem, ...forEthers },
      ...{ nodeUrl: nodeUrl(), managerUrl: managerUrl(), privateKey: privateKey() },
      ...{ bytecode: CODE, payload: CODE, manager: new PrivateManager(managerUrl()) },
      ...{ provider, signer, rpc, recipientRpc, from, recipient, candidate: recipient },
      ...{ ownKey, otherKey, newParty, contract, protectedContract, markerHash },
      client: viemClient.extend(quorateActions({ manager: managerUrl() })),
      blockHash: (await provider.getBlock('latest'))!.hash,
      window: { ethereum: createWalletClient({ transport: http(nodeUrl()) }) },
      console: { log: (value: unknown) => expect(value).toBeDefined() },
    };
  });
  afterAll(() => provider?.destroy());

  describe.each(EXAMPLES)('src/clients/%s.ts', (file) => {
    const examples = docstringExamples(`src/clients/${file}.ts`);
    it.skipIf(examples.length === 0).each(examples)('%s', async (name, text) => {
      const isCancelled = name === 'cancelExtension';
      await runExample(text.replace('http://127.0.0.1:9081', managerUrl()), {
        ...given,
        management: isCancelled ? managements.cancelled : managements.accepted,
        ...(/\braw\b/.test(text) && { raw: await signedPayload(given.signer as PrivateSigner) }),
      });
    });

    it('are there for each exported function and class', () => {
      const documented = new Set(examples.map(([name]) => name));
      for (const module of [client, forViem, forEthers] as Record<string, unknown>[]) {
        for (const [name, value] of Object.entries(module)) {
          if (typeof value !== 'function') continue;
          const places = EXAMPLES.flatMap((each) => docstringExamples(`src/clients/${each}.ts`));
          expect(places.map(([each]) => each)).toContain(name);
        }
      }
      expect(documented.size).toBe(examples.length);
    });
  });
});

/** A private transaction that was not sent yet. */
function signedPayload(signer: PrivateSigner): Promise<string> {
  return signer.signTransaction({ data: CODE });
}
