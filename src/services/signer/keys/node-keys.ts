/**
 * The keys of nodes: loaded like accounts, but kept apart from them. A node key is never an
 * account, and an account never signs for a node, even if a folder of accounts holds the same key.
 */
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { NodeKeySigner, NodeKeys } from '../../../core/signing/node-keys.ts';
import { type OpenAccounts, openAccounts } from './accounts.ts';
import type { KeySettings } from './settings.ts';

export interface OpenNodeKeys extends NodeKeys {
  /** Wipes every key. */
  close(): void;
}

/**
 * Opens all keys of a folder of key files; they stay open. Rejects with SIGNER_START_FAILED unless
 * all of them can serve a node.
 */
export async function openNodeKeys(
  folder: string,
  { configFileBytesMax, keyTimeoutMs }: Pick<KeySettings, 'configFileBytesMax' | 'keyTimeoutMs'>,
  deps: {
    readonly log: Log;
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  },
): Promise<OpenNodeKeys> {
  const { log, env } = deps;
  const own: Log = (level, message, fields) => log(level, `Node keys: ${message}`, fields);
  const limits = { configFileBytesMax, keyTimeoutMs };
  const settings = { ...limits, configPath: folder, unlocksAtStart: true };
  const opened = await openAccounts(settings, { log: own, env });
  try {
    return checked(opened, folder);
  } catch (error) {
    opened.close();
    throw error;
  }
}

function checked(opened: OpenAccounts, folder: string): OpenNodeKeys {
  const { accounts } = opened;
  const bad = opened.health().sources.reduce((sum, { errors }) => sum + errors, 0);
  if (bad > 0) throw refused(`${bad} keys in ${folder} cannot be loaded: the log names them`);
  const keys = new Map<string, NodeKeySigner>();
  for (const address of accounts.addresses()) {
    const signer = [...opened.signers()].find((each) => accounts.find(address) === each);
    if (!signer?.sharedX)
      throw refused(
        `the key of ${address} stays in a device or a cloud that does not offer ECDH, which the node's connections need: keep it in a file, a keystore or as a secret of a vault`,
      );
    keys.set(address, signer as NodeKeySigner);
  }
  if (keys.size === 0) throw refused(`${folder} has no key file (*.yaml)`);
  return {
    addresses: () => accounts.addresses(),
    find: (address) => keys.get(address),
    close: () => opened.close(),
  };
}

/** Throws SIGNER_START_FAILED if an account has the key of a node. */
export function checkApart({ accounts }: OpenAccounts, nodeKeys: NodeKeys): void {
  const both = nodeKeys.addresses().find((address) => accounts.find(address));
  if (both === undefined) return;
  throw refused(`${both} is an account too: use a key for the node that is used for nothing else`);
}

/** The accounts without keys of nodes, which a reload may find among them. */
export function apart(opened: OpenAccounts, nodeKeys: NodeKeys): OpenAccounts {
  const isApart = (address: string) => nodeKeys.find(address) === undefined;
  const { accounts } = opened;
  return {
    accounts: {
      addresses: () => accounts.addresses().filter(isApart),
      find: (address) => (isApart(address) ? accounts.find(address) : undefined),
    },
    *signers() {
      const hidden = new Set(nodeKeys.addresses().map((address) => accounts.find(address)));
      for (const signer of opened.signers()) if (!hidden.has(signer)) yield signer;
    },
    reload: () => opened.reload(),
    health: () => opened.health(),
    close: () => opened.close(),
  };
}

function refused(why: string): Error {
  return fail('SIGNER_START_FAILED', `--node-keys-path: ${why}`);
}
