/** Browser wallets, as they announce themselves (EIP-6963). */
import { useEffect, useState } from 'preact/hooks';

export interface WalletProvider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  readonly id: string;
  readonly name: string;
  readonly provider: WalletProvider;
}

interface Announcement extends Event {
  readonly detail?: {
    readonly info?: { readonly uuid?: unknown; readonly name?: unknown };
    readonly provider?: WalletProvider;
  };
}

const WALLETS_MAX = 20;
const NAME_CHARACTERS_MAX = 40;

export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  useEffect(() => {
    const announced = (event: Event) => {
      const { info, provider } = (event as Announcement).detail ?? {};
      if (typeof info?.uuid !== 'string' || typeof provider?.request !== 'function') return;
      const id = info.uuid;
      const name = String(info.name ?? '').slice(0, NAME_CHARACTERS_MAX);
      setWallets((known) =>
        known.length >= WALLETS_MAX || known.some((each) => each.id === id)
          ? known
          : [...known, { id, name, provider }],
      );
    };
    addEventListener('eip6963:announceProvider', announced);
    dispatchEvent(new Event('eip6963:requestProvider'));
    return () => removeEventListener('eip6963:announceProvider', announced);
  }, []);
  return wallets;
}
