/** Where clients are tried on a devnet: node 1, and the signing proxy in front of it. */
import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { type TestDevnet, untilMined } from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';
import type { Endpoint } from './play.ts';

const FUNDS = '0xde0b6b3a7640000';

/** The node, for a client that signs with a funded key of its own: nonces of clients that run at once are apart. */
export async function nodeWithKey(net: TestDevnet): Promise<Endpoint> {
  const privateKey = `0x${randomBytes(32).toString('hex')}` as const;
  const sender = privateKeyToAccount(privateKey).address;
  const [node1] = net.rpc;
  const funding = { from: net.accounts[0]!.address, to: sender, value: FUNDS };
  await untilMined(node1!, await node1!.call('eth_sendTransaction', funding));
  const { rpc, ws } = net.devnet.description.nodes[0]!;
  return { name: 'node', url: { http: rpc, ws }, sender, privateKey };
}

/** The proxy, which signs with its first account whatever the client. */
export async function signingProxy(net: TestDevnet): Promise<Endpoint> {
  const { rpc, ws } = net.devnet.description.signer;
  const [sender] = await rpcClient(rpc).call<string[]>('eth_accounts');
  return { name: 'signing proxy', url: { http: rpc, ws }, sender: sender! };
}

/** The proxy, for a client that signs by itself: what it sends is handed on. */
export async function proxyWithKey(net: TestDevnet): Promise<Endpoint> {
  const [proxy, own] = [await signingProxy(net), await nodeWithKey(net)];
  return { ...own, name: proxy.name, url: proxy.url };
}
