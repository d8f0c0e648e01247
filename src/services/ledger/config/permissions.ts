/**
 * `--permissioned` with `permission-config.json` in the data folder: the contracts that hold the
 * network's permissions.
 */
import { join } from 'node:path';
import { fail, hasCode } from '../../../core/base/errors.ts';
import {
  PERMISSION_CONFIG_FILE,
  type PermissionConfig,
  parsePermissionConfig,
} from '../../../core/permission/config.ts';
import { isThere, readText } from '../../../io/host/files.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export interface PermissionsConfig {
  /** The contracts, or why this node does not use them. */
  readonly contracts: PermissionConfig | string;
  /** Whether peers must connect from the address that the contracts name, in version 2. */
  readonly comparesAddress: boolean;
  /**
   * Whether the permission methods exist on this node, even if they only answer what is missing.
   */
  readonly hasMethods: boolean;
}

const OFF = 'contract-based permissioning is off';

/** Throws PERMISSION_CONFIG_INVALID. */
export function permissionsConfig(options: ParsedOptions, dataFolder: string): PermissionsConfig {
  const isPermissioned = options.boolean('permissioned');
  const file = join(dataFolder, PERMISSION_CONFIG_FILE);
  const hasFile = isThere(file);
  return {
    contracts: isPermissioned && hasFile ? readConfig(file) : `${OFF}: ${missing(isPermissioned)}`,
    comparesAddress: !options.boolean('permissioned.any-address'),
    hasMethods: isPermissioned || hasFile,
  };
}

function missing(isPermissioned: boolean): string {
  return isPermissioned
    ? `there is no ${PERMISSION_CONFIG_FILE} in the data folder`
    : 'start the node with --permissioned';
}

function readConfig(file: string): PermissionConfig {
  try {
    return parsePermissionConfig(readText(file));
  } catch (cause) {
    if (!hasCode(cause, 'PERMISSION_CONFIG_INVALID')) throw cause;
    const text = `loading of ${PERMISSION_CONFIG_FILE} failed due to ${cause.message}`;
    throw fail('PERMISSION_CONFIG_INVALID', text, { cause });
  }
}
