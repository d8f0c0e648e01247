/** Opens the accounts in the account plugin's configuration, and adds them to the node's. */
import type { Address } from '../../../core/base/bytes.ts';
import type { Log } from '../../../core/base/ports.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { readText } from '../../../io/host/files.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { type HashicorpAuth, HashicorpSession } from '../../../io/keys/hashicorp-session.ts';
import { openVaultClient } from '../../../io/keys/vault-client.ts';
import type { VaultAccountsConfig } from '../config/vault-accounts.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import { VaultAccountFolder } from './vault-account-folder.ts';
import { VaultAccounts } from './vault-accounts.ts';

/** Logs in to the vault at once, as the plugin does. Throws VAULT_… and SECURITY_CONFIG_INVALID. */
export async function openVaultAccounts(
  config: VaultAccountsConfig,
  parts: { readonly mayUnlock: boolean; readonly log: Log; readonly ends: (() => unknown)[] },
): Promise<VaultAccounts> {
  const folder = new VaultAccountFolder(config.accountFolder, systemClock);
  const { caCert, clientCert, clientKey } = config.tls;
  const client = openVaultClient({
    tls: {
      ...(caCert && { ca: readText(caCert) }),
      ...(clientCert && { cert: readText(clientCert) }),
      ...(clientKey && { key: readText(clientKey) }),
    },
  });
  parts.ends.push(() => client.close());
  const session = new HashicorpSession({
    base: config.vault,
    ask: client.ask,
    auth: authOf(config.login),
    timers: systemTimers,
  });
  parts.ends.push(() => session.close());
  await session.start();
  const accounts = new VaultAccounts({ config, session, folder, timers: systemTimers, ...parts });
  await accounts.unlockNamed();
  const { vault, engine } = config;
  const count = folder.files().length;
  parts.log('info', 'Accounts in HashiCorp Vault', {
    vault: vault.href,
    engine: engine.name,
    count,
  });
  return accounts;
}

function authOf(login: VaultAccountsConfig['login']): HashicorpAuth {
  if (login.kind === 'token') return { kind: 'token', token: () => login.token };
  const credentials = { role_id: login.roleId, secret_id: login.secretId };
  return { kind: 'login', name: 'AppRole', mount: login.mount, credentials: () => credentials };
}

/** Combines both; a new account without settings of the plugin becomes one of the node's own. */
export function withVault(own: Accounts, vault: VaultAccounts): Accounts {
  const isThere = (address: Address) => vault.has(address);
  return {
    addresses: () => [...own.addresses(), ...vault.addresses()],
    list: async () => [...(own.list ? await own.list() : own.addresses()), ...vault.addresses()],
    isElsewhere: (address) => !isThere(address) && own.isElsewhere?.(address) === true,
    sign: (address, hash, subject) =>
      isThere(address) ? vault.sign(address, hash) : own.sign(address, hash, subject),
    signWithPassword: (address, hash, password) =>
      isThere(address)
        ? vault.signOnce(address, hash)
        : own.signWithPassword(address, hash, password),
    unlock: (address, password, seconds) =>
      isThere(address) ? vault.unlock(address, seconds) : own.unlock(address, password, seconds),
    lock: (address) => (isThere(address) ? vault.lock(address) : own.lock(address)),
    create: (password) => own.create(password),
    importKey: (secretKey, password) => own.importKey(secretKey, password),
    vault,
  };
}
