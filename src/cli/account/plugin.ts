/**
 * `quorate account plugin list|new|import`: the accounts that GoQuorum's account plugin keeps in
 * HashiCorp Vault, without a node (GoQuorum cmd/geth/accountcmd_plugin.go).
 */
import { checksumAddress } from '../../core/base/checksum-address.ts';
import { fail } from '../../core/base/errors.ts';
import { bareHex } from '../../core/base/hex.ts';
import { readPluginConfig, readPluginValue } from '../../io/auth/plugin-settings.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import { vaultAccountsConfig } from '../../services/ledger/config/vault-accounts.ts';
import { openVaultAccounts } from '../../services/ledger/keys/open-vault-accounts.ts';
import type { VaultAccounts } from '../../services/ledger/keys/vault-accounts.ts';
import type {
  NewPluginAccount,
  PluginAccount,
} from '../../services/ledger/node/sending/accounts.ts';
import { readNewPluginAccount } from '../../services/ledger/node/sending/new-plugin-account.ts';
import { NODE_ROWS, NODE_VARIABLES } from '../../services/ledger/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { bareKeyIn } from './account.ts';

const WARNINGS = 2;
const PLUGINS = NODE_ROWS.filter(({ flag }) => flag.startsWith('plugins'));
const WANTED: OptionRow = {
  flag: 'plugins.account.config',
  type: 'string',
  unit: 'JSON or URI',
  about: 'The new account: {"secretName": "...", "overwriteProtection": {"currentVersion": 0}}',
  group: 'Accounts',
};
const SETTINGS = '--plugins file:///data/plugins.json';
const CONFIG = `--plugins.account.config '{"secretName": "team/one"}'`;

export const accountPluginListCommand: Command = {
  name: 'account plugin list',
  about: 'Lists the accounts that the account plugin keeps in HashiCorp Vault.',
  examples: [{ does: 'of a node', line: `quorate account plugin list ${SETTINGS}` }],
  rows: PLUGINS,
  variables: NODE_VARIABLES,
  async run(options) {
    if (options.string('plugins') === undefined)
      throw fail('OPTION_VALUE_MISSING', '--plugins required');
    const accounts = await withAccounts(options, async (vault) => vault.list());
    for (const [at, { address, url }] of accounts.entries())
      console.log(`Account #${at}: {${bareHex(address)}} ${url}`);
    return 0;
  },
};

export const accountPluginNewCommand: Command = {
  name: 'account plugin new',
  about: "Creates an account in HashiCorp Vault, and its file in the account plugin's folder.",
  examples: [{ does: 'an account', line: `quorate account plugin new ${SETTINGS} ${CONFIG}` }],
  rows: [...PLUGINS, WANTED],
  variables: NODE_VARIABLES,
  async run(options) {
    const wanted = wantedBy(options);
    await installCrypto();
    console.log(report(await withAccounts(options, (vault) => vault.create(wanted))));
    return 0;
  },
};

export const accountPluginImportCommand: Command = {
  name: 'account plugin import',
  about: 'Stores the private key of a file, 64 hex digits in clear, in HashiCorp Vault.',
  operands: '<keyfile>',
  operandsMax: 1,
  examples: [
    { does: 'a key', line: `quorate account plugin import ${SETTINGS} ${CONFIG} key.txt` },
  ],
  rows: [...PLUGINS, WANTED],
  variables: NODE_VARIABLES,
  async run(options) {
    const [file] = options.positional;
    if (file === undefined) throw fail('OPTION_VALUE_MISSING', 'keyfile must be given as argument');
    await installCrypto();
    const key = bareKeyIn(file);
    const wanted = wantedBy(options);
    console.log(report(await withAccounts(options, (vault) => vault.importKey(key, wanted))));
    return 0;
  },
};

/**
 * Logs in to the vault, and out again. Accounts that the settings unlock stay locked, because
 * nothing signs here.
 */
async function withAccounts<T>(
  options: ParsedOptions,
  work: (vault: VaultAccounts) => Promise<T>,
): Promise<T> {
  const content = readPluginConfig(options.string('plugins')!, 'account', process.env);
  if (!content)
    throw fail('SECURITY_CONFIG_INVALID', '--plugins: there is no provider "account" in the file');
  const config = { ...vaultAccountsConfig(content, process.env), unlock: [] };
  const ends: (() => unknown)[] = [];
  try {
    const log = stderrLog(WARNINGS);
    return await work(await openVaultAccounts(config, { mayUnlock: false, log, ends }));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function wantedBy(options: ParsedOptions): NewPluginAccount {
  const text = options.string(WANTED.flag);
  if (text === undefined || options.string('plugins') === undefined) {
    const why = `--plugins and --${WANTED.flag} flags must be set`;
    throw fail('OPTION_VALUE_MISSING', why);
  }
  const wanted = readNewPluginAccount(readPluginValue(text, `--${WANTED.flag}`, process.env));
  if (typeof wanted === 'string') throw fail('OPTION_VALUE_INVALID', `--${WANTED.flag}: ${wanted}`);
  return wanted;
}

function report({ address, url }: PluginAccount): string {
  return `
Your new plugin-backed account was generated

Public address of the account:   ${checksumAddress(address)}
Account URL: ${url}

- You can share your public address with anyone. Others need it to interact with you.
- You must NEVER share the secret key with anyone! The key controls access to your funds!
- Consider BACKING UP the secret: only the vault holds the key.
- The file in the account directory names the secret and its version: back it up too.
`;
}
