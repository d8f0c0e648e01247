/**
 * `quorate account new|list|import|update`: the accounts of a node, with geth's texts (GoQuorum
 * cmd/geth/accountcmd.go).
 */
import { join, resolve } from 'node:path';
import type { Address } from '../../core/base/bytes.ts';
import { checksumAddress } from '../../core/base/checksum-address.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { systemClock } from '../../io/host/clock.ts';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { systemTimers } from '../../io/host/timers.ts';
import { AccountStore } from '../../io/keys/account-store.ts';
import { parseKeyHex } from '../../io/keys/node-key.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import { ACCOUNT_ROWS } from '../../services/ledger/options/accounts.ts';
import { DATADIR_ROWS } from '../../services/ledger/options/chain.ts';
import { NODE_VARIABLES } from '../../services/ledger/options.ts';
import type { Command } from '../command.ts';
import { PasswordPrompt } from '../prompt.ts';

const ATTEMPTS = 3;
const NEW_PASSWORD =
  'Your new account is locked with a password. Please give a password. Do not forget this password.';

const rowsOf = (...flags: string[]): readonly OptionRow[] => [
  ...DATADIR_ROWS,
  ...ACCOUNT_ROWS.filter(({ flag }) => flags.includes(flag)).map((row) =>
    row.flag === 'password'
      ? { ...row, about: 'File of passwords, one per line; default: asks for them' }
      : row,
  ),
];

function storeOf(options: ParsedOptions): AccountStore {
  const directory = options.string('keystore') ?? join(options.string('datadir')!, 'keystore');
  const isLight = options.source('lightkdf') !== undefined && options.boolean('lightkdf');
  const parts = { directory: resolve(directory), clock: systemClock, timers: systemTimers };
  return new AccountStore({ ...parts, light: isLight });
}

/** Lines of the `--password` file; undefined without it. */
function passwordsOf(options: ParsedOptions): readonly string[] | undefined {
  const file = options.string('password');
  if (file === undefined) return undefined;
  try {
    return readText(file)
      .split('\n')
      .map((line) => line.replace(/\r$/, ''));
  } catch (cause) {
    const why = `Failed to read password file: ${reasonOf(cause)}`;
    throw fail('FILE_UNREADABLE', why, { cause });
  }
}

/** The password from the file, or typed twice. */
async function newPassword(options: ParsedOptions): Promise<string> {
  const [password] = passwordsOf(options) ?? [];
  if (password !== undefined) return password;
  console.log(NEW_PASSWORD);
  return asked((prompt) => prompt.askNew());
}

async function asked<T>(work: (prompt: PasswordPrompt) => Promise<T>): Promise<T> {
  const prompt = new PasswordPrompt();
  try {
    return await work(prompt);
  } finally {
    prompt.close();
  }
}

export const accountNewCommand: Command = {
  name: 'account new',
  about: 'Creates an account: a key, encrypted with a password, in the keystore folder.',
  examples: [
    { does: 'asks for the password', line: 'quorate account new --datadir data' },
    { does: 'for scripts', line: 'quorate account new --datadir data --password password.txt' },
  ],
  rows: rowsOf('keystore', 'lightkdf', 'password'),
  variables: NODE_VARIABLES,
  async run(options) {
    await installCrypto();
    const store = storeOf(options);
    const address = await store.create(await newPassword(options));
    const { path } = store.files().find((file) => Buffer.compare(file.address, address) === 0)!;
    console.log(`
Your new key was generated

Public address of the key:   ${checksumAddress(address)}
Path of the secret key file: ${path}

- You can share your public address with anyone. Others need it to interact with you.
- You must NEVER share the secret key with anyone! The key controls access to your funds!
- You must BACKUP your key file! Without the key, it's impossible to access account funds!
- You must REMEMBER your password! Without the password, it's impossible to decrypt the key!
`);
    return 0;
  },
};

export const accountListCommand: Command = {
  name: 'account list',
  about: 'Lists the accounts of the keystore folder.',
  examples: [{ does: 'of a node', line: 'quorate account list --datadir data' }],
  rows: rowsOf('keystore'),
  variables: NODE_VARIABLES,
  async run(options) {
    for (const [at, { address, path }] of storeOf(options).files().entries())
      console.log(`Account #${at}: {${bareHex(address)}} keystore://${path}`);
    return 0;
  },
};

export const accountImportCommand: Command = {
  name: 'account import',
  about: 'Creates an account from a private key in a file: 64 hex digits in clear.',
  operands: '<keyfile>',
  operandsMax: 1,
  examples: [{ does: 'a key', line: 'quorate account import --datadir data key.txt' }],
  rows: rowsOf('keystore', 'lightkdf', 'password'),
  variables: NODE_VARIABLES,
  async run(options) {
    const [file] = options.positional;
    if (file === undefined) throw fail('OPTION_VALUE_MISSING', 'keyfile must be given as argument');
    await installCrypto();
    const key = bareKeyIn(file);
    const address = await imported(storeOf(options), key, await newPassword(options));
    key.fill(0);
    console.log(`Address: {${bareHex(address)}}`);
    return 0;
  },
};

export function bareKeyIn(file: string): Uint8Array {
  try {
    return parseKeyHex(readText(file));
  } catch (cause) {
    const why = `Failed to load the private key: ${reasonOf(cause)}`;
    throw fail('NODE_KEY_INVALID', why, { cause });
  }
}

async function imported(store: AccountStore, key: Uint8Array, password: string): Promise<Address> {
  try {
    return await store.importKey(key, password);
  } catch (cause) {
    if (!hasCode(cause, 'ACCOUNT_EXISTS')) throw cause;
    throw fail('ACCOUNT_EXISTS', `Could not create the account: ${cause.message}`, { cause });
  }
}

export const accountUpdateCommand: Command = {
  name: 'account update',
  about:
    'Encrypts the key of an account with a new password, in a file of the newest format. --password: a file with the old password, and the new one in the second line.',
  operands: '<address>',
  operandsMax: 1,
  examples: [
    {
      does: 'asks for both passwords',
      line: 'quorate account update --datadir data 0x3b6e48156697b1f89a8f50fa5b647d4e902d2246',
    },
  ],
  rows: rowsOf('keystore', 'lightkdf', 'password'),
  variables: NODE_VARIABLES,
  async run(options) {
    const [text] = options.positional;
    if (text === undefined) throw fail('OPTION_VALUE_MISSING', 'No accounts specified to update');
    const store = storeOf(options);
    const address = addressOf(text, store);
    await installCrypto();
    const given = passwordsOf(options);
    if (given) await relock(store, text, address, given[0] ?? '', given[1] || given[0] || '');
    else await asked((prompt) => askedUpdate(store, text, address, prompt));
    return 0;
  },
};

/** Accepts an address, or a position in the list. */
function addressOf(text: string, store: AccountStore): Address {
  if (/^(0x)?[0-9a-f]{40}$/i.test(text)) return fromHex(text.toLowerCase());
  const found = /^\d{1,6}$/.test(text) ? store.addresses()[Number(text)] : undefined;
  if (found) return found;
  const why = /^\d+$/.test(text)
    ? `there is no account #${text} in ${store.directory}`
    : `"${text}" is neither an address nor a position`;
  throw fail('OPTION_VALUE_INVALID', `Could not list accounts: ${why}`);
}

async function askedUpdate(
  store: AccountStore,
  text: string,
  address: Address,
  prompt: PasswordPrompt,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    console.log(`Unlocking account ${text} | Attempt ${attempt}/${ATTEMPTS}`);
    const old = await prompt.ask('Password');
    try {
      await store.check(address, old);
    } catch (error) {
      if (hasCode(error, 'KEYSTORE_PASSWORD_WRONG') && attempt < ATTEMPTS) continue;
      throw lockedError(text, error);
    }
    console.log('Please give a new password. Do not forget this password.');
    return store.changePassword(address, old, await prompt.askNew());
  }
}

async function relock(
  store: AccountStore,
  text: string,
  address: Address,
  old: string,
  next: string,
): Promise<void> {
  try {
    await store.changePassword(address, old, next);
  } catch (error) {
    throw lockedError(text, error);
  }
}

function lockedError(text: string, cause: unknown): Error {
  const why = `Failed to unlock account ${text} (${reasonOf(cause)})`;
  return fail('ACCOUNT_UNLOCK_FAILED', why, { cause });
}
