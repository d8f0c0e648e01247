/**
 * Loads each key that an old proxy's options name, once, and compares the addresses with the old
 * proxy's.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { RpcClient } from '../../../io/ledger-client/rpc-client.ts';
import type { SignerConfig } from '../config.ts';
import { openAccounts } from '../keys/accounts.ts';
import { keysFromOptions } from '../keys/from-options.ts';

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export interface KeysReport {
  /** Sorted. */
  readonly addresses: readonly string[];
  /** Keys that could not be loaded; the log says which. */
  readonly errors: number;
  /** Undefined: no old proxy was asked. */
  readonly comparison:
    | { readonly missing: readonly string[]; readonly added: readonly string[] }
    | undefined;
}

/**
 * Decrypts encrypted keys too: an address that a file states must match its key. Throws
 * SIGNER_START_FAILED, MIGRATION_NODE_AWAY.
 */
export async function checkKeys(
  { keys, dataPath }: SignerConfig,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly log: Log;
    readonly oldUrl: string | undefined;
  },
): Promise<KeysReport> {
  const settings = { ...keysFromOptions(keys, dataPath), unlocksAtStart: true };
  // Without a file for public keys: the old proxy's data folder must not be changed.
  const opened = await openAccounts({ ...settings, publicKeysFile: undefined }, options);
  try {
    const addresses = opened.accounts.addresses();
    const errors = opened.health().sources.reduce((sum, source) => sum + source.errors, 0);
    if (options.oldUrl === undefined) return { addresses, errors, comparison: undefined };
    const old = await accountsOf(options.oldUrl);
    const missing = old.filter((address) => !addresses.includes(address));
    const added = addresses.filter((address) => !old.includes(address));
    return { addresses, errors, comparison: { missing, added } };
  } finally {
    opened.close();
  }
}

async function accountsOf(url: string): Promise<string[]> {
  const client = new RpcClient(url, ANSWER_BYTES_MAX);
  try {
    const accounts = await client.call<readonly string[]>('eth_accounts', []);
    return accounts.map((address) => address.toLowerCase()).sort();
  } catch (cause) {
    throw fail('MIGRATION_NODE_AWAY', `the old proxy at ${url}: ${reasonOf(cause)}`, { cause });
  } finally {
    client.close();
  }
}
