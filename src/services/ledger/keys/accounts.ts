/** The accounts of a node: their folder, and those that are unlocked at the start. */
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import type { Log } from '../../../core/base/ports.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { readText } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { AccountStore } from '../../../io/keys/account-store.ts';
import type { AccountsConfig } from '../config.ts';

const ADDRESS = /^(0x)?[0-9a-fA-F]{40}$/;

/**
 * Throws ACCOUNT_UNLOCK_REFUSED, ACCOUNT_UNLOCK_FAILED, OPTION_VALUE_… and FILE_UNREADABLE, with
 * GoQuorum's texts (cmd/geth/main.go, cmd/geth/accountcmd.go).
 */
export async function openAccounts(config: AccountsConfig, log: Log): Promise<AccountStore> {
  const { folder: directory, mayUnlock, unlocked: wanted, passwordFile } = config;
  makeFolder(directory, 0o700);
  const accounts = new AccountStore({
    directory,
    clock: systemClock,
    timers: systemTimers,
    light: config.isLight,
    mayUnlock,
  });
  if (wanted.length === 0) return accounts;
  if (!mayUnlock) {
    throw fail(
      'ACCOUNT_UNLOCK_REFUSED',
      'Account unlock with HTTP access is forbidden! Add --allow-insecure-unlock to allow it',
    );
  }
  const passwordAt = passwordsOf(passwordFile);
  const addresses = wanted.map((text) => addressOf(text, accounts, log));
  for (const [index, address] of addresses.entries()) {
    await accounts.unlock(address, passwordAt(index), 0).catch((cause: unknown) => {
      throw fail(
        'ACCOUNT_UNLOCK_FAILED',
        `Failed to unlock account ${toHex(address)} (${reasonOf(cause)}): keys are in ${directory}, passwords in ${passwordFile}`,
        { cause },
      );
    });
  }
  log('info', 'Unlocked accounts', { count: wanted.length });
  return accounts;
}

/** `text`: an address, or a position in the folder, as in old start scripts. */
function addressOf(text: string, accounts: AccountStore, log: Log): Address {
  if (ADDRESS.test(text)) return fromHex(`0x${text.replace(/^0x/, '').toLowerCase()}`);
  if (!/^\d{1,6}$/.test(text)) {
    throw fail('OPTION_VALUE_INVALID', `--unlock: invalid account address or index "${text}"`);
  }
  const addresses = accounts.addresses();
  const found = addresses[Number(text)];
  if (!found) {
    const count = addresses.length;
    const fault = `index ${text} higher than number of accounts ${count}`;
    throw fail('OPTION_VALUE_INVALID', `--unlock: ${fault}`);
  }
  log(
    'warn',
    '--unlock by position in the keystore folder: a new key file changes it, use the address',
    {
      place: text,
      address: toHex(found),
    },
  );
  return found;
}

/** One password per line; the last one is used for all further accounts, as in GoQuorum. */
function passwordsOf(file: string | undefined): (index: number) => string {
  if (file === undefined)
    throw fail(
      'OPTION_VALUE_MISSING',
      '--unlock needs --password, a file with one password per line',
    );
  const lines = readText(file)
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  return (index) =>
    lines[Math.min(index, lines.length - 1)] || (lines.filter((line) => line !== '').at(-1) ?? '');
}
