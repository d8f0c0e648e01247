/**
 * `permission-config.json` (GoQuorum permission/core/types/backend.go): the addresses of the
 * contracts, and the network's initial values. Keys match in any case; `upgradableAddress` is
 * accepted in addition to GoQuorum's own `upgrdableAddress`.
 */
import { type Address, isZeroBytes } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { parseJson } from '../base/json.ts';

export const PERMISSION_CONFIG_FILE = 'permission-config.json';

export type PermissionModel = 'v1' | 'v2';

/** An address is undefined when it is not needed and the file omits it. */
export interface PermissionAddresses {
  readonly upgradable: Address | undefined;
  readonly interface: Address;
  readonly implementation: Address | undefined;
  readonly nodes: Address;
  readonly accounts: Address;
  readonly roles: Address;
  readonly voters: Address | undefined;
  readonly orgs: Address;
}

export interface PermissionConfig {
  readonly model: PermissionModel;
  readonly addresses: PermissionAddresses;
  readonly networkAdminOrg: string;
  readonly networkAdminRole: string;
  /** The role of every organisation's administrator. */
  readonly orgAdminRole: string;
  /** The first network administrators. */
  readonly accounts: readonly Address[];
  /** Maximum of children of one organisation. */
  readonly subOrgBreadth: number;
  /** Deepest allowed level; that of a master organisation is 1. */
  readonly subOrgDepth: number;
}

/**
 * Reads the text of the file. Throws PERMISSION_CONFIG_INVALID, with GoQuorum's text if it has one.
 */
export function parsePermissionConfig(text: string): PermissionConfig {
  const fields = fieldsOf(text);
  return {
    model: modelIn(fields),
    accounts: accountsIn(fields),
    subOrgBreadth: limitIn(fields, 'subOrgBreadth'),
    subOrgDepth: limitIn(fields, 'subOrgDepth'),
    addresses: {
      interface: neededAddress(fields, 'interfaceAddress'),
      upgradable: addressIn(fields, 'upgrdableAddress') ?? addressIn(fields, 'upgradableAddress'),
      implementation: addressIn(fields, 'implAddress'),
      nodes: neededAddress(fields, 'nodeMgrAddress'),
      accounts: neededAddress(fields, 'accountMgrAddress'),
      roles: neededAddress(fields, 'roleMgrAddress'),
      voters: addressIn(fields, 'voterMgrAddress'),
      orgs: neededAddress(fields, 'orgMgrAddress'),
    },
    networkAdminOrg: nameIn(fields, 'nwAdminOrg'),
    networkAdminRole: nameIn(fields, 'nwAdminRole'),
    orgAdminRole: nameIn(fields, 'orgAdminRole'),
  };
}

/** The text of the file, with GoQuorum's names. */
export function formatPermissionConfig(config: PermissionConfig): string {
  const { addresses } = config;
  const hex = (address: Address | undefined) => address && toHex(address);
  const file = {
    permissionModel: config.model,
    upgrdableAddress: hex(addresses.upgradable),
    interfaceAddress: hex(addresses.interface),
    implAddress: hex(addresses.implementation),
    nodeMgrAddress: hex(addresses.nodes),
    accountMgrAddress: hex(addresses.accounts),
    roleMgrAddress: hex(addresses.roles),
    voterMgrAddress: hex(addresses.voters),
    orgMgrAddress: hex(addresses.orgs),
    nwAdminOrg: config.networkAdminOrg,
    nwAdminRole: config.networkAdminRole,
    orgAdminRole: config.orgAdminRole,
    accounts: config.accounts.map(toHex),
    subOrgBreadth: config.subOrgBreadth,
    subOrgDepth: config.subOrgDepth,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

type Fields = ReadonlyMap<string, unknown>;

/** The file's values by lower-case name; null counts as absent. */
function fieldsOf(text: string): Fields {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw fault(`${PERMISSION_CONFIG_FILE}: ${(cause as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault(`${PERMISSION_CONFIG_FILE} is not a JSON object`);
  }
  const present = Object.entries(value).filter(([, entry]) => entry !== null);
  return new Map(present.map(([name, entry]) => [name.toLowerCase(), entry]));
}

function modelIn(fields: Fields): PermissionModel {
  const text = textIn(fields, 'permissionModel').toLowerCase();
  if (text === '') {
    throw fault(
      `permissions model type not passed in ${PERMISSION_CONFIG_FILE}. Network cannot boot up: permissionModel is missing`,
    );
  }
  if (text === 'v1' || text === 'v2') return text;
  throw fault(
    `invalid permissions model type passed in ${PERMISSION_CONFIG_FILE}. Network cannot boot up: permissionModel must be "v1" or "v2"`,
  );
}

function accountsIn(fields: Fields): Address[] {
  const list = fields.get('accounts') ?? [];
  if (!Array.isArray(list)) throw wrong('accounts', 'is not an array of addresses');
  if (list.length === 0) {
    throw fault(`no accounts given in ${PERMISSION_CONFIG_FILE}. Network cannot boot up`);
  }
  return list.map((entry, at) => addressOf(entry, `accounts[${at}]`));
}

function limitIn(fields: Fields, name: string): number {
  const value = fields.get(name.toLowerCase()) ?? 0;
  if (value === 0) {
    throw fault(
      `sub org breadth depth not passed in ${PERMISSION_CONFIG_FILE}. Network cannot boot up: ${name} is missing or 0`,
    );
  }
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw wrong(name, 'is not a positive integer');
}

function neededAddress(fields: Fields, name: string): Address {
  const address = addressIn(fields, name);
  if (address) return address;
  throw fault(`missing contract addresses in ${PERMISSION_CONFIG_FILE}: ${name}`);
}

/** undefined: absent or zero. */
function addressIn(fields: Fields, name: string): Address | undefined {
  const value = fields.get(name.toLowerCase());
  if (value === undefined) return undefined;
  const address = addressOf(value, name);
  return isZeroBytes(address) ? undefined : address;
}

function addressOf(value: unknown, name: string): Address {
  if (typeof value === 'string' && /^0[xX][0-9a-fA-F]{40}$/.test(value)) return fromHex(value);
  throw wrong(name, 'is not an address: 0x and 40 hex digits');
}

function nameIn(fields: Fields, name: string): string {
  const text = textIn(fields, name);
  if (text === '') throw wrong(name, 'is missing');
  return text;
}

function textIn(fields: Fields, name: string): string {
  const value = fields.get(name.toLowerCase()) ?? '';
  if (typeof value === 'string') return value;
  throw wrong(name, 'is not a string');
}

function wrong(name: string, what: string): QuorateError {
  return fault(`${PERMISSION_CONFIG_FILE}: ${name} ${what}`);
}

function fault(message: string): QuorateError {
  return fail('PERMISSION_CONFIG_INVALID', message);
}
