/** Arguments for a new account of the account plugin (quorum-account-plugin-hashicorp-vault). */
import type { NewPluginAccount } from './accounts.ts';

type Fields = Readonly<Record<string, unknown>>;

const SECRET_NAME_CHARACTERS_MAX = 1_000;

/**
 * Parses `{secretName, overwriteProtection: {currentVersion, insecureDisable}}`; returns a text if
 * it is invalid.
 */
export function readNewPluginAccount(value: unknown): NewPluginAccount | string {
  if (typeof value !== 'object' || value === null) return 'config must be an object';
  const { secretName, overwriteProtection = {} } = value as Fields;
  const name = typeof secretName === 'string' ? secretName : '';
  if (name === '' || name.length > SECRET_NAME_CHARACTERS_MAX) return 'secretName must be set';
  const { currentVersion = 0, insecureDisable = false } = (overwriteProtection ?? {}) as Fields;
  const isUnprotected = insecureDisable === true || insecureDisable === 'true';
  if (!Number.isSafeInteger(currentVersion) || (currentVersion as number) < 0)
    return 'currentVersion must be a number';
  if (isUnprotected && currentVersion !== 0)
    return 'currentVersion and insecureDisable cannot both be set';
  return { secretName: name, currentVersion: currentVersion as number, isUnprotected };
}
