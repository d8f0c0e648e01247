/**
 * Where clients are tried: node 1 of a devnet, the signing proxy in front of it, and a network that
 * accepts only gas price 0.
 */
import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { toHex } from '../../src/core/base/hex.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { type TestDevnet, untilMined } from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { type Endpoint, type Play, play } from './play.ts';

const FUNDS = '0xde0b6b3a7640000';

/**
 * The node, for a client that signs with a funded key of its own: clients that run at the same time
 * do not share nonces.
 */
export async function nodeWithKey(net: TestDevnet): Promise<Endpoint> {
  const privateKey = `0x${randomBytes(32).toString('hex')}` as const;
  const sender = privateKeyToAccount(privateKey).address;
  const [node1] = net.rpc;
  const funding = { from: net.accounts[0]!.address, to: sender, value: FUNDS };
  await untilMined(node1!, await node1!.call('eth_sendTransaction', funding));
  const { rpc, ws } = net.devnet.description.nodes[0]!;
  return { name: 'node', url: { http: rpc, ws }, sender, privateKey };
}

/** The proxy, which signs with its first account, the same for every client. */
export async function signingProxy(net: TestDevnet): Promise<Endpoint> {
  const { rpc, ws } = net.devnet.description.signer;
  const [sender] = await rpcClient(rpc).call<string[]>('eth_accounts');
  return { name: 'signing proxy', url: { http: rpc, ws }, sender: sender! };
}

/** The proxy, for a client that signs by itself: the proxy forwards what the client sends. */
export async function proxyWithKey(net: TestDevnet): Promise<Endpoint> {
  const [proxy, own] = [await signingProxy(net), await nodeWithKey(net)];
  return { ...own, name: proxy.name, url: proxy.url };
}

/**
 * Runs the client over HTTP with the settings of docs/fees.md, on a node of a network where gas is
 * free.
 */
export async function playAtPriceZero(
  of: Pick<Play, 'client' | 'installed' | 'contracts'>,
): Promise<void> {
  await installCrypto();
  // The private key gives the address, and that needs secp256k1.
  const { ACCOUNT, FROM, miningNode } = await import('../support/mining-node.ts');
  const node = await miningNode({ hasGasPrice: false });
  const served = await node.serve();
  try {
    const http = served.httpUrl!;
    const url = { http, ws: '' };
    const endpoint = { name: 'node', url, sender: FROM, privateKey: toHex(ACCOUNT) } as const;
    const chainId = Number(await node.call('eth_chainId'));
    await play({ ...of, endpoint, scheme: 'http', chainId, witness: http, gasPrice: 0 });
  } finally {
    await served.close();
    await node.close();
  }
}
