/** Types and functions that the three key vaults share. */
import { fail } from '../../core/base/errors.ts';

export const VAULT_TYPES = ['HASHICORP', 'AWS', 'AZURE'] as const;
export type VaultType = (typeof VAULT_TYPES)[number];
export type VaultEnv = Readonly<Record<string, string | undefined>>;

export interface VaultConfig {
  readonly type: VaultType;
  /** The vault's URL; AWS: an endpoint, or undefined for the region's own. */
  readonly url: string | undefined;
  /** HashiCorp: path at which AppRole is mounted. */
  readonly approlePath?: string | undefined;
}

export interface SecretName {
  readonly name: string;
  readonly version?: string | undefined;
  /** HashiCorp: the secrets engine, and the name of the value in the secret. */
  readonly engine?: string | undefined;
  readonly field?: string | undefined;
}

export interface KeyVault {
  /**
   * Throws VAULT_SECRET_MISSING, VAULT_REFUSED or VAULT_FAILED, whose texts never contain a secret
   * or credential.
   */
  get(secret: SecretName): Promise<string>;
  /** Writes a new secret, or a new version of one. HashiCorp: all values of one secret at once. */
  set(secret: SecretName, values: Readonly<Record<string, string>>): Promise<void>;
}

export interface VaultAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type VaultRequest = (
  method: string,
  url: URL,
  headers: readonly (readonly [string, string])[],
  body?: string,
) => Promise<VaultAnswer>;

export function missingCredentials(vault: string, names: string): Error {
  return fail('VAULT_CREDENTIALS_MISSING', `${vault} needs the environment variables ${names}`);
}

export function refused(vault: string, what: string, status: number): Error {
  return fail('VAULT_REFUSED', `${vault} answers ${what} with status ${status}`);
}

export function missingSecret(vault: string, where: string): Error {
  return fail('VAULT_SECRET_MISSING', `${vault}: no value found at ${where}`);
}

/** The base of a vault's URLs, with one slash at its end. Throws VAULT_CONFIG_INVALID. */
export function baseUrl(url: string | undefined, vault: string): URL {
  if (url === undefined || !URL.canParse(url)) {
    throw fail(
      'VAULT_CONFIG_INVALID',
      `${vault} needs a url, in keys.keyVaultConfigs or as an override of its endpoint`,
    );
  }
  return new URL(url.endsWith('/') ? url : `${url}/`);
}
