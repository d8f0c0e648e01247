/** The accounts that a node signs for: in its folder, at an external signer, or in a vault. */
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { type Environment, readPluginConfig } from '../../../io/auth/plugin-settings.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { openWire } from '../../../io/rpc-wire/open-wire.ts';
import { vaultAccountsConfig } from '../config/vault-accounts.ts';
import type { AccountsConfig } from '../config.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import { openAccounts } from './accounts.ts';
import { externalAccounts } from './external-accounts.ts';
import { ExternalSigner } from './external-signer.ts';
import { openVaultAccounts, withVault } from './open-vault-accounts.ts';

export interface WalletParts {
  readonly log: Log;
  /** Functions that close what was opened. */
  readonly ends: (() => unknown)[];
  readonly environment: Environment;
}

/**
 * As in geth: the accounts of the folder or of the external signer, and additionally those of the
 * account plugin. Throws the errors of `openAccounts`, OPTION_CONFLICT, SIGNER_UNAVAILABLE,
 * SECURITY_CONFIG_INVALID and VAULT_….
 */
export async function openWallet(config: AccountsConfig, parts: WalletParts): Promise<Accounts> {
  const own = await openOwn(config, parts);
  const { plugins, mayUnlock } = config;
  const { environment } = parts;
  const content = plugins && readPluginConfig(plugins, 'account', environment);
  if (!content) return own;
  const settings = vaultAccountsConfig(content, environment);
  return withVault(own, await openVaultAccounts(settings, { mayUnlock, ...parts }));
}

async function openOwn(config: AccountsConfig, { log, ends }: WalletParts): Promise<Accounts> {
  const { signer: endpoint } = config;
  if (endpoint === undefined) return openAccounts(config, log);
  if (config.unlocked.length > 0) {
    throw fail(
      'OPTION_CONFLICT',
      "--unlock is for keys in the node's folder: with --signer, unlock accounts at the signer",
    );
  }
  const wire = openWire(endpoint, {});
  ends.push(() => wire.close());
  return externalAccounts(
    await ExternalSigner.connect({ endpoint, wire, timers: systemTimers, log }),
  );
}
