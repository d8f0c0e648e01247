/** A signing proxy in memory, in front of a node that accepts every transaction. */

import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { type MemoryProxy, memoryProxy, upstreamOf } from './signing-proxy.ts';
import { A, ACCOUNT, B, KEY, TO } from './signing-vectors.ts';

export const eea = {
  from: ACCOUNT,
  to: TO,
  nonce: '0x7',
  data: '0x1234',
  privateFrom: A,
  restriction: 'restricted',
};

export const secret = { privateFor: [B], data: '0x01', value: 0 };

export interface Played {
  readonly proxy: MemoryProxy;
  /** Raw transactions with their other parameters, as the node received them. */
  readonly sent: unknown[][];
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
}

const proxies: MemoryProxy[] = [];

/** Call after the tests of a file. */
export function closeProxies(): void {
  for (const proxy of proxies.splice(0)) proxy.close();
}

export function play(change: Partial<Parameters<typeof memoryProxy>[0]> = {}): Played {
  const sent: unknown[][] = [];
  const upstream = upstreamOf(({ method, params }) => {
    if (/TransactionCount/.test(method)) return { result: '0x5' };
    if (!/Raw/.test(method)) return { result: `${method} from the node` };
    sent.push([...params]);
    return { result: toHex(keccak256(fromHex(params[0] as string))) };
  });
  const proxy = memoryProxy({ keys: [KEY], chainId: 1337n, upstream, ...change });
  proxies.push(proxy);
  return { proxy, sent, calls: upstream.calls };
}
