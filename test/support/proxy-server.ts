/** A signing proxy on loopback, in front of a simulated node. */

import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import type { Guard } from '../../src/core/signing/guard.ts';
import { OPEN_GUARD } from '../../src/services/signer/proxy/open-guard.ts';
import {
  type ProxySettings,
  type RunningProxy,
  startProxy,
} from '../../src/services/signer/proxy-server.ts';
import { accountsOf } from './signing-proxy.ts';
import { KEY } from './signing-vectors.ts';
import { type StandInNode, standInNode } from './stand-in-node.ts';

export const ACCOUNT = toHex(addressOfSecretKey(KEY));

export const endings: (() => Promise<unknown> | unknown)[] = [];

/** Call after each test: closes the last one first. */
export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}

export async function start(
  node: { port: number },
  change: Partial<ProxySettings> = {},
  upstream: Partial<ProxySettings['upstream']> = {},
  guard: Guard = OPEN_GUARD,
): Promise<RunningProxy> {
  const proxy = await startProxy(
    {
      chainId: 1337n,
      upstream: {
        ...{ host: '127.0.0.1', port: node.port, path: '/', timeoutMs: 60_000, connectionsMax: 8 },
        ...{ secureAgent: undefined, ...upstream },
      },
      dataPath: undefined,
      fillsGaps: false,
      strictNonce: false,
      estimatesGas: false,
      forwarded: [],
      nodeWebSocket: { url: `ws://127.0.0.1:${node.port}`, options: {} },
      mayConnect: () => true,
      serve: {
        ...{
          host: '127.0.0.1',
          port: 0,
          bodyBytesMax: 1_000_000,
          idleMs: 5_000,
          drainMs: 5_000,
          tls: undefined,
        },
        ...{ forwardsAuthorization: false, routes: [], admit: () => false },
      },
      ...change,
    },
    { accounts: accountsOf([KEY]), guard, payloads: undefined, log: () => {} },
  );
  endings.push(() => proxy.close());
  return proxy;
}

export async function node(play: Parameters<typeof standInNode>[0]): Promise<StandInNode> {
  const found = await standInNode(play);
  endings.push(() => found.close());
  return found;
}

export function post(
  proxy: RunningProxy,
  body: unknown,
  more: RequestInit & { path?: string } = {},
) {
  return fetch(`http://127.0.0.1:${proxy.port}${more.path ?? '/'}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
    headers: { 'content-type': 'application/json', ...(more.headers as object) },
  });
}

export function rpc(method: string, params: unknown[] = [], id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params };
}

export const transfer = { from: ACCOUNT, to: `0x${'11'.repeat(20)}`, value: '0x1' };

/** A node that counts and accepts everything. */
export function takingNode() {
  const raws: string[] = [];
  return node(({ method, params }) => {
    if (method === 'eth_getTransactionCount') return { result: `0x${raws.length.toString(16)}` };
    raws.push(params[0]);
    return { result: toHex(keccak256(fromHex(params[0]))) };
  });
}
