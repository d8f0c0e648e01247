/**
 * Key vaults that hold private keys of the transaction manager: one interface for HashiCorp, AWS
 * and Azure (Tessera KeyData).
 */
import { openAwsVault } from './vault-aws.ts';
import { openAzureVault } from './vault-azure.ts';
import { openVaultClient } from './vault-client.ts';
import { openHashicorpVault } from './vault-hashicorp.ts';
import type { KeyVault, VaultConfig, VaultRequest } from './vault-types.ts';

/**
 * Opens a vault with credentials from `env`, under EthSigner's variable names. Throws
 * VAULT_CREDENTIALS_MISSING.
 */
export function openVault(
  config: VaultConfig,
  env: Readonly<Record<string, string | undefined>>,
): KeyVault & { close(): void } {
  const client = openVaultClient();
  const vault = open(config, env, client.ask);
  return { get: vault.get, set: vault.set, close: () => client.close() };
}

function open(
  config: VaultConfig,
  env: Readonly<Record<string, string | undefined>>,
  ask: VaultRequest,
): KeyVault {
  switch (config.type) {
    case 'HASHICORP':
      return openHashicorpVault(config, env, ask);
    case 'AWS':
      return openAwsVault(config, env, ask, () => new Date());
    case 'AZURE':
      return openAzureVault(config, env, ask);
  }
}
