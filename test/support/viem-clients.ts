/** viem clients of a node, set up as their users do. */
import {
  type Account,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type HttpTransport,
  http,
  type PublicClient,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID } from './genesis-file.ts';

const POLLING_INTERVAL_MS = 200;

type Wallet = WalletClient<HttpTransport, Chain, Account>;

export interface ViemClients {
  readonly node: PublicClient<HttpTransport, Chain>;
  /** Signs with its own key. */
  local(privateKey: string): Wallet;
  /** Lets the node sign. */
  remote(address: string): Wallet;
}

export function viemClients(url: string): ViemClients {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const wallet = (account: Account | `0x${string}`) =>
    createWalletClient({ account, chain, transport: http(url) }) as Wallet;
  return {
    node: createPublicClient({
      chain,
      transport: http(url),
      pollingInterval: POLLING_INTERVAL_MS,
    }),
    local: (privateKey) => wallet(privateKeyToAccount(privateKey as `0x${string}`)),
    remote: (address) => wallet(address as `0x${string}`),
  };
}
