/** ABIs and names that the user has given to contracts and accounts, stored on this device. */
import type { Abi } from 'viem';
import { type Artifact, readArtifact } from './artifact.ts';

const ABI = 'quorate-explorer abi ';
const NAME = 'quorate-explorer name ';

/** Contracts with the same address on each chain. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  '0x4e59b44847b379578588920ca78fbf26c0b4956c': 'CREATE2 deployer',
  '0xca11bde05977b3631167028862be2a173976ca11': 'Multicall3',
  '0x000000000000000000000000000000000000007a': 'Privacy precompile',
};

export function keepAbi(address: string, { abi, name }: Artifact): void {
  put(ABI + address.toLowerCase(), JSON.stringify({ abi, contractName: name }));
}

export function forgetAbi(address: string): void {
  put(ABI + address.toLowerCase(), undefined);
}

export function abiOf(address: string | null | undefined): Abi | undefined {
  return address ? artifactOf(address)?.abi : undefined;
}

function artifactOf(address: string): Artifact | undefined {
  const text = get(ABI + address.toLowerCase());
  try {
    return text === null ? undefined : readArtifact(text);
  } catch {
    return undefined;
  }
}

export function keepName(address: string, name: string): void {
  put(NAME + address.toLowerCase(), name.trim() === '' ? undefined : name.trim());
}

export function nameOf(address: string): string | undefined {
  const key = address.toLowerCase();
  return get(NAME + key) ?? artifactOf(address)?.name ?? WELL_KNOWN[key];
}

/** The address with this name, in any case; undefined: none. */
export function addressNamed(name: string): string | undefined {
  const wanted = name.trim().toLowerCase();
  const fits = (each: string | null) => each?.toLowerCase() === wanted;
  for (const key of keys()) {
    if (key.startsWith(NAME) && fits(get(key))) return key.slice(NAME.length);
    if (key.startsWith(ABI) && fits(artifactOf(key.slice(ABI.length))?.name ?? null))
      return key.slice(ABI.length);
  }
  return Object.entries(WELL_KNOWN).find(([, known]) => fits(known))?.[0];
}

function keys(): string[] {
  try {
    return Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '');
  } catch {
    return [];
  }
}

function get(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function put(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is blocked or full.
  }
}
