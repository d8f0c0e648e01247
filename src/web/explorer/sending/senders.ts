/** The accounts that can send: of the node, of the signing proxy, and of browser wallets. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useConnection } from '../node/connection.tsx';
import { Rpc, RpcFault } from '../node/rpc.ts';
import { useWallets, type Wallet } from './wallets.ts';

export interface Sender {
  readonly id: string;
  readonly kind: 'node' | 'signer' | 'wallet';
  readonly address: string;
  /** For an account of a wallet. */
  readonly wallet?: Wallet;
  /** Sends like `eth_sendTransaction`; resolves with the hash. Rejects with RpcFault. */
  send(transaction: TransactionRequest): Promise<string>;
}

export interface TransactionRequest {
  readonly to?: string;
  readonly data?: string;
  readonly value?: string;
  readonly privateFor?: readonly string[];
  readonly privacyFlag?: number;
  readonly mandatoryFor?: readonly string[];
}

export interface Senders {
  readonly list: readonly Sender[];
  /** Wallets that do not show an account yet. */
  readonly closed: readonly Wallet[];
  open(wallet: Wallet): Promise<void>;
}

export function useSenders(): Senders {
  const { rpc, page } = useConnection();
  const signer = useMemo(
    () => (page.signer === undefined ? undefined : new Rpc(page.signer, '', '')),
    [page],
  );
  const own = useAccounts(rpc);
  const held = useAccounts(signer);
  const wallets = useWallets();
  const [opened, setOpened] = useState<readonly Sender[]>([]);
  const through = (kind: 'node' | 'signer', by: Rpc, accounts: readonly string[]) =>
    accounts.map((address) => ({
      ...{ id: `${kind} ${address}`, kind, address },
      send: (transaction: TransactionRequest) =>
        by.call<string>('eth_sendTransaction', { from: address, ...transaction }),
    }));
  return {
    list: [
      ...through('node', rpc, own),
      ...(signer ? through('signer', signer, held) : []),
      ...opened,
    ],
    closed: wallets.filter(({ id }) => opened.every(({ wallet }) => wallet?.id !== id)),
    async open(wallet) {
      const accounts = (await wallet.provider.request({
        method: 'eth_requestAccounts',
      })) as readonly string[];
      setOpened((known) => [...known, ...accounts.map((each) => ofWallet(wallet, each, rpc))]);
    },
  };
}

/** Empty if there are none, or listing them is not allowed. */
function useAccounts(rpc: Rpc | undefined): readonly string[] {
  const [accounts, setAccounts] = useState<readonly string[]>([]);
  useEffect(() => {
    setAccounts([]);
    rpc?.call<readonly string[]>('eth_accounts').then(setAccounts, () => setAccounts([]));
  }, [rpc]);
  return accounts;
}

function ofWallet(wallet: Wallet, address: string, rpc: Rpc): Sender {
  return {
    ...{ id: `${wallet.id} ${address}`, kind: 'wallet', wallet, address },
    async send(transaction) {
      try {
        const [own, chain] = await Promise.all([
          wallet.provider.request({ method: 'eth_chainId' }),
          rpc.call<string>('eth_chainId'),
        ]);
        if (own !== chain) {
          const wanted = [{ chainId: chain }];
          await wallet.provider.request({ method: 'wallet_switchEthereumChain', params: wanted });
        }
        const params = [{ from: address, ...transaction }];
        return String(await wallet.provider.request({ method: 'eth_sendTransaction', params }));
      } catch (error) {
        throw new RpcFault((error as Error).message);
      }
    },
  };
}
