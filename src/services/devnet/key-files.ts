/** Key files of the accounts and managers, written where they are missing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex } from '../../core/base/hex.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import { writeWhole } from '../../io/host/whole-file.ts';
import { encryptKey } from '../../io/keys/keystore.ts';
import type { Account, ManagerKey } from './test-keys.ts';
import { TEST_PASSWORD } from './topology.ts';

/**
 * Writes Web3 key files that TEST_PASSWORD opens. Nodes list accounts in the order of the file
 * names, which is that of `accounts` here.
 */
export async function writeAccounts(folder: string, accounts: readonly Account[]): Promise<void> {
  makeFolder(folder);
  const present = readdirSync(folder);
  for (const [index, { address, privateKey }] of accounts.entries()) {
    const bare = address.slice(2);
    if (present.some((name) => name.includes(bare))) continue;
    const nanoseconds = String(index).padStart(9, '0');
    const file = join(folder, `UTC--2026-01-01T00-00-00.${nanoseconds}Z--${bare}.json`);
    const keystore = await encryptKey(fromHex(privateKey), TEST_PASSWORD, { instant: true });
    writeWhole(file, `${JSON.stringify(keystore)}\n`, { mode: 0o600 });
  }
}

/**
 * Writes Tessera's key files, unlocked. Resolves with the public key in base64: that of the files
 * if they exist already.
 */
export function writeManagerKey(folder: string, { publicKey, privateKey }: ManagerKey): string {
  const publicFile = join(folder, 'tm.pub');
  if (!existsSync(publicFile)) {
    makeFolder(folder);
    const secret = { type: 'unlocked', data: { bytes: privateKey } };
    writeWhole(join(folder, 'tm.key'), `${JSON.stringify(secret, null, 2)}\n`, { mode: 0o600 });
    writeWhole(publicFile, publicKey);
  }
  return readFileSync(publicFile, 'utf8').trim();
}
