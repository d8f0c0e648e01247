/** Accounts whose keys clef, or a signing proxy, holds for the node (`--signer`). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashMessage, Transaction, TypedDataEncoder, Wallet } from 'ethers';
import { afterEach, expect, it } from 'vitest';
import { mined, miningNode } from '../../../../test/support/mining-node.ts';
import { signPrivate } from '../../../../test/support/private-transactions.ts';
import {
  endAll,
  endings,
  node as nodeBehind,
  ACCOUNT as PROXY_ACCOUNT,
  start as startProxy,
} from '../../../../test/support/proxy-server.ts';
import { testPtm } from '../../../../test/support/ptm.ts';
import type { RpcNode } from '../../../../test/support/rpc-node.ts';
import {
  STORE_CODE,
  setInput,
  VALUE_INPUT,
  word,
} from '../../../../test/support/store-contract.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { AccountsConfig, LedgerConfig } from '../config.ts';
import { readNodeKey } from './node-key.ts';
import { openWallet } from './wallet.ts';
import '../../../../test/support/install-crypto.ts';

/** Key of the account that has funds on the test chain. */
const KEY = `0x${'09'.repeat(32)}`;
const WALLET = new Wallet(KEY);
const FROM = WALLET.address.toLowerCase();
const GAS = '0x47b760';
const ADDRESS = fromHex(FROM);
/** The hash of a message of one zero byte. */
const HASH = fromHex(hashMessage(new Uint8Array(1)));

afterEach(endAll);

interface Clef {
  readonly url: string;
  readonly asked: { method: string; params: any[] }[];
}

type Answer = (method: string, params: any[]) => unknown;

/** A simulated signer that returns, or throws, the result of `answer`. */
async function startClef(answer: Answer): Promise<Clef> {
  const asked: Clef['asked'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => {
      const { id, method, params } = JSON.parse(body);
      asked.push({ method, params });
      let reply: object;
      try {
        reply = { result: await answer(method, params) };
      } catch (error) {
        reply = { error: { code: -32000, message: (error as Error).message } };
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Answers as clef does; `isGoQuorum`: it supports private transactions. */
function clef(isGoQuorum = true): Answer {
  return async (method, params) => {
    const [args] = params;
    switch (method) {
      case 'account_version':
        return '6.1.0';
      case 'account_list':
        return [WALLET.address];
      case 'account_signData':
        expect([params[0], params[1]]).toEqual(['text/plain', WALLET.address]);
        return WALLET.signMessage(Buffer.from(params[2].slice(2), 'hex'));
      case 'account_signTypedData': {
        const { domain, types, message } = params[1];
        const { EIP712Domain: _, ...own } = types;
        return WALLET.signTypedData(domain, own, message);
      }
      case 'account_signTransaction':
        return { raw: await signed(args, isGoQuorum), tx: {} };
      default:
        throw new Error(`the method ${method} does not exist/is not available`);
    }
  };
}

async function signed(args: any, isGoQuorum: boolean): Promise<string> {
  const { nonce, to = null, data, gasPrice, gas, value, chainId = '0x539' } = args;
  if (args.isPrivate && isGoQuorum) {
    const fields = { nonce: Number(nonce), to, data, gasPrice: BigInt(gasPrice) };
    expect(gas).toBe(GAS);
    return signPrivate(KEY, fields);
  }
  const { maxFeePerGas, maxPriorityFeePerGas, accessList } = args;
  const type = maxFeePerGas ? 2 : accessList ? 1 : 0;
  const fees = type === 2 ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice };
  const fields = { type, nonce: Number(nonce), to, data, value, chainId: Number(chainId) };
  const lists = type === 0 ? {} : { accessList };
  return WALLET.signTransaction({ ...fields, ...fees, ...lists, gasLimit: gas });
}

const config = (signer: string): AccountsConfig => ({
  ...{ folder: 'unused', isLight: true, mayUnlock: true, unlocked: [], passwordFile: undefined },
  ...{ signer, plugins: undefined },
});

async function nodeWith(url: string, q2tUrl?: string): Promise<RpcNode> {
  const wallet = await openWallet(config(url), { log: () => {}, ends: endings, environment: {} });
  const found = await miningNode({ wallet, q2tUrl });
  endings.push(() => found.close());
  return found;
}

it('clef signs transactions of all types, messages and typed data', async () => {
  const { url, asked } = await startClef(clef());
  const node = await nodeWith(url);
  expect(await node.call('eth_accounts')).toEqual([FROM]);
  for (const more of [{}, { accessList: [{ address: FROM, storageKeys: [word(1)] }] }]) {
    const args = { from: FROM, to: FROM, value: '0x1', gas: GAS, ...more };
    const receipt = await mined(node, await node.call('eth_sendTransaction', args));
    expect(receipt).toMatchObject({ from: FROM, status: '0x1' });
  }
  const message = '0x68656c6c6f';
  expect(await node.call('eth_sign', FROM, message)).toBe(await WALLET.signMessage('hello'));
  const types = { Order: [{ name: 'amount', type: 'uint256' }] };
  const domain = { name: 'Shop' };
  const typed = TypedDataEncoder.getPayload(domain, types, { amount: 1 });
  expect(await node.call('eth_signTypedData_v4', FROM, typed)).toBe(
    await WALLET.signTypedData(domain, types, { amount: 1 }),
  );
  // No transaction is signed twice, and none is signed as a test of the signer.
  expect(asked.filter(({ method }) => method === 'account_signTransaction')).toHaveLength(2);
});

it("GoQuorum's clef signs private transactions, once, with the payload's hash", async () => {
  const ptm = await testPtm(1, []);
  endings.push(() => ptm.close());
  const { url, asked } = await startClef(clef());
  const node = await nodeWith(url, ptm.q2tUrl);
  const args = { from: FROM, gas: GAS, data: STORE_CODE, privateFor: [] };
  const { contractAddress } = await mined(node, await node.call('eth_sendTransaction', args));
  const value = await node.call('eth_call', { to: contractAddress, data: VALUE_INPUT }, 'latest');
  expect(value).toBe(word(0));
  const signings = asked.filter(({ method }) => method === 'account_signTransaction');
  expect(signings.map(({ params }) => [params[0].isPrivate, params[0].data.length])).toEqual([
    [true, 130],
  ]);
});

it('names why nothing was signed', async () => {
  let answer = clef(false);
  const { url } = await startClef((method, params) => answer(method, params));
  const ptm = await testPtm(1, []);
  endings.push(() => ptm.close());
  const node = await nodeWith(url, ptm.q2tUrl);
  const send = (more: object) =>
    node.call('eth_sendTransaction', { from: FROM, gas: GAS, ...more });
  await expect(send({ data: STORE_CODE, privateFor: [] })).rejects.toThrow(
    "it does not sign private transactions: GoQuorum's clef and quorate signer do",
  );
  const before = answer;
  const changes: [Answer, string][] = [
    [
      async (method, [args]) =>
        before(method, [method === 'account_signTransaction' ? { ...args, value: '0x99' } : args]),
      'it signed something else than was asked',
    ],
    [
      async () => {
        throw new Error('request denied');
      },
      'external signer: request denied',
    ],
    [async () => ({ raw: '0x1234' }), 'it signed something else than was asked'],
    [async () => null, 'it signed something else than was asked'],
  ];
  for (const [change, text] of changes) {
    answer = change;
    await expect(send({ to: FROM, value: '0x1' })).rejects.toThrow(text);
  }
  await expect(send({ from: `0x${'12'.repeat(20)}`, to: FROM })).rejects.toThrow('unknown account');
  for (const [method, params, text] of [
    ['personal_newAccount', ['x'], 'local keystore not used'],
    ['personal_unlockAccount', [FROM, 'x'], 'unlock only supported for keystore wallets'],
    ['personal_sign', ['0x12', FROM, 'x'], 'password-operations not supported'],
  ] as const) {
    await expect(node.call(method, ...params)).rejects.toThrow(text);
  }
});

it('has so many requests waiting, and no more', async () => {
  let release = () => {};
  const open = new Promise<void>((resolve) => (release = resolve));
  const { url, asked } = await startClef(async (method, params) => {
    if (method === 'account_signData') await open;
    return clef()(method, params);
  });
  const wallet = await openWallet(config(url), { log: () => {}, ends: endings, environment: {} });
  const message = new Uint8Array(1);
  const sign = () => wallet.sign(ADDRESS, HASH, { kind: 'message', message });
  const waiting = Array.from({ length: 100 }, () => sign());
  await expect(sign()).rejects.toThrow('too many requests wait for it');
  release();
  await Promise.all(waiting);
  expect(asked.filter(({ method }) => method === 'account_signData')).toHaveLength(100);
});

it('a refused listing is repeated when somebody asks for the accounts', async () => {
  let mayList = false;
  const { url } = await startClef((method, params) => {
    if (method === 'account_list' && !mayList) throw new Error('request denied');
    return clef()(method, params);
  });
  const said: string[] = [];
  const log = (_: unknown, text: string) => void said.push(text);
  const wallet = await openWallet(config(url), { log, ends: endings, environment: {} });
  expect(said).toEqual(['Using external signer', 'account listing failed']);
  expect(wallet.addresses()).toEqual([]);
  mayList = true;
  expect(await wallet.list!()).toHaveLength(1);
  expect(wallet.addresses()).toHaveLength(1);
});

it('refuses to start without a signer, or with what is for keys in the folder', async () => {
  const { url } = await startClef(() => {
    throw new Error('no such method');
  });
  const open = (given: AccountsConfig) =>
    openWallet(given, { log: () => {}, ends: endings, environment: {} });
  await expect(open(config(url))).rejects.toThrow(
    `external signer at ${url}: neither clef nor a signing proxy answers there`,
  );
  await expect(open(config('/nowhere/clef.ipc'))).rejects.toThrow(
    'external signer at /nowhere/clef.ipc: ',
  );
  await expect(open(config('ftp://x'))).rejects.toThrow('no known transport');
  const both = { ...config(url), unlocked: ['0'] };
  await expect(open(both)).rejects.toThrow('--unlock is for keys in the node');
});

it("clef cannot keep the node's own key", () => {
  for (const file of ['ws://127.0.0.1:8550', '/run/clef.ipc']) {
    const given = { nodeKey: { hex: undefined, file }, dataFolder: 'unused' } as LedgerConfig;
    expect(() => readNodeKey(given)).toThrow('clef cannot keep the key of a node');
  }
});

it('a signing proxy signs public transactions and messages', async () => {
  const behind = await nodeBehind(() => ({ result: '0x0' }));
  const proxy = await startProxy(behind);
  const node = await nodeWith(`http://127.0.0.1:${proxy.port}`);
  expect(await node.call('eth_accounts')).toEqual([PROXY_ACCOUNT]);
  const args = { from: PROXY_ACCOUNT, to: FROM, gas: GAS, gasPrice: '0x0', nonce: '0x0' };
  const { raw } = await node.call('eth_signTransaction', args);
  const found = Transaction.from(raw);
  expect([found.from!.toLowerCase(), found.chainId]).toEqual([PROXY_ACCOUNT, 1337n]);
  const signature = await node.call('eth_sign', PROXY_ACCOUNT, '0x1234');
  expect(signature).toHaveLength(132);
});

it('a signing proxy signs private transactions, once, with the hash of their payload', async () => {
  const ptm = await testPtm(1, []);
  endings.push(() => ptm.close());
  const behind = await nodeBehind(() => ({ result: '0x0' }));
  const proxy = await startProxy(behind);
  const node = await nodeWith(`http://127.0.0.1:${proxy.port}`, ptm.q2tUrl);
  const terms = { from: PROXY_ACCOUNT, gas: GAS, gasPrice: '0x0', privateFor: [] };
  const { contractAddress } = await mined(
    node,
    await node.call('eth_sendTransaction', { ...terms, data: STORE_CODE }),
  );
  const read = () => node.call('eth_call', { to: contractAddress, data: VALUE_INPUT }, 'latest');
  expect(await read()).toBe(word(0));
  await mined(
    node,
    await node.call('eth_sendTransaction', { ...terms, to: contractAddress, data: setInput(7) }),
  );
  expect(await read()).toBe(word(7));
  // The proxy only signs: the node itself sends the transaction and stores the payload.
  expect(behind.received).toEqual([]);
});
