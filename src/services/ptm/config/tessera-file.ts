/**
 * Reads Tessera's configuration files, unchanged, into this manager's configuration (Tessera
 * Config).
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { fromBase64 } from '../../../core/base/base64.ts';
import { fail } from '../../../core/base/errors.ts';
import { PUBLIC_KEY_BYTES, type PublicKey } from '../../../core/payload/payload.ts';
import type { ResidentGroup } from '../../../core/privacy/manager-port.ts';
import { CONNECTIONS_DEFAULT } from '../../../io/database/postgres.ts';
import { databaseKind, isPostgresUrl } from '../../../io/database/postgres-address.ts';
import { isAddressBlock } from '../../../io/http/dial-lookup.ts';
import type { HttpAddress } from '../../../io/http/server.ts';
import { UNPROVEN_PEERS, type UnprovenPeers } from '../api/p2p-parts.ts';
import type { DatabaseSource } from '../open-store.ts';
import { parseKeySources } from './key-sources.ts';
import { unreadKeys } from './known-keys.ts';
import type { PtmApp, PtmConfig, PtmServer } from './ptm-config.ts';
import { parseTls } from './tls.ts';

const PARTY_INFO_INTERVAL_DEFAULT_MS = 5_000;
const PORT_MAX = 65_535;
const CONNECTIONS_MAX = 500;
const DATA_FOLDER_DEFAULT = 'ptm-data';
const GIBIBYTE = 2 ** 30;
const APPS: readonly string[] = ['Q2T', 'P2P', 'ThirdParty', 'ADMIN'];
type Fields = Readonly<Record<string, unknown>>;

/**
 * `value` is the parsed file at `file`; relative paths are relative to it. `quorate.dataDir` names
 * our store's folder. Throws PTM_CONFIG_INVALID for errors and for settings that would be unsafe to
 * ignore; the rest is in `warnings`.
 */
export function parseTesseraConfig(
  value: unknown,
  file: string,
): { config: PtmConfig; warnings: string[] } {
  const root = object(value, 'the configuration');
  const folder = dirname(resolve(file));
  const warnings = ignored(root);
  const features = optional(root.features, 'features');
  const servers = list(root.serverConfigs, 'serverConfigs').flatMap((item, i) =>
    server(object(item, `serverConfigs[${i}]`), i, folder, warnings),
  );
  const p2p = list(root.serverConfigs, 'serverConfigs').find(
    (item) => (item as Fields | null)?.app === 'P2P',
  ) as Fields | undefined;
  const own = parseOwn(optional(root.quorate, 'quorate'));
  const peers = list(root.peer, 'peer').map((peer, i) =>
    string(object(peer, `peer[${i}]`).url, `peer[${i}].url`),
  );
  const database = parseJdbc(root, warnings);
  const config: PtmConfig = {
    ...(database ? { database } : {}),
    ...own,
    dataFolder: resolve(folder, own.dataFolder),
    servers: unique([...servers, ...olderSocket(root, servers, folder)]),
    peers,
    discovery: discovers(root.disablePeerDiscovery, peers, p2p?.serverAddress),
    keys: parseKeySources(optional(root.keys, 'keys'), folder),
    alwaysSendTo: list(root.alwaysSendTo, 'alwaysSendTo').map((key, i) =>
      publicKey(string(key, `alwaysSendTo[${i}]`)),
    ),
    enhancements: features.enablePrivacyEnhancements === true,
    multiplePrivateStates: features.enableMultiplePrivateStates === true,
    residentGroups: list(root.residentGroups, 'residentGroups').map(residentGroup),
    partyInfoIntervalMs: interval(optional(p2p?.properties, 'properties').partyInfoInterval),
    allowListed: root.useWhiteList === true,
  };
  return { config, warnings };
}

/** `quorate`: settings that Tessera lacks. */
function parseOwn(
  fields: Fields,
): Pick<
  PtmConfig,
  'dataFolder' | 'discoverInternal' | 'unprovenPeers' | 'unknownSenderBytesPerDay'
> {
  const { dataDir, unprovenPeers = 'deliver', unknownSenderBytesPerDay = GIBIBYTE } = fields;
  if (!UNPROVEN_PEERS.includes(unprovenPeers as UnprovenPeers)) {
    throw invalid(`quorate.unprovenPeers must be one of ${UNPROVEN_PEERS.join(', ')}`);
  }
  const bytes = Number(unknownSenderBytesPerDay);
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw invalid('quorate.unknownSenderBytesPerDay must be a number of bytes');
  }
  return {
    dataFolder: typeof dataDir === 'string' ? dataDir : DATA_FOLDER_DEFAULT,
    discoverInternal: internalBlocks(fields.discoverInternal),
    unprovenPeers: unprovenPeers as UnprovenPeers,
    unknownSenderBytesPerDay: bytes,
  };
}

function internalBlocks(value: unknown): readonly string[] | 'all' {
  if (value === undefined || value === false) return [];
  if (value === true) return 'all';
  const name = 'quorate.discoverInternal';
  const blocks = list(value, name).map((block, i) => string(block, `${name}[${i}]`));
  const wrong = blocks.find((block) => !isAddressBlock(block));
  if (wrong === undefined) return blocks;
  throw invalid(`${name}: "${wrong}" is not a block of addresses, such as 10.1.0.0/16`);
}

/** If peers are configured, discovery must be enabled explicitly. */
function discovers(isDisabled: unknown, peers: readonly string[], ownAddress: unknown): boolean {
  if (isDisabled !== undefined && isDisabled !== null) return isDisabled !== true;
  const own = String(ownAddress).replace(/\/$/, '');
  return peers.every((url) => url.replace(/\/$/, '') === own);
}

/** Refuses settings that are unsafe to ignore; warns of those without effect. */
function ignored(root: Fields): string[] {
  const warnings: string[] = [];
  const encryptor = optional(root.encryptor, 'encryptor').type;
  if (encryptor !== undefined && encryptor !== 'NACL') {
    throw invalid('encryptor.type must be NACL: GoQuorum networks use no other');
  }
  if (root.mode !== undefined && root.mode !== 'tessera') {
    throw invalid(
      'mode must be "tessera": payload hashes of mode "orion" are incompatible with GoQuorum',
    );
  }
  return [...warnings, ...unreadKeys(root)];
}

/** A database of another kind is not opened; payloads go to the embedded store. */
function parseJdbc(root: Fields, warnings: string[]): DatabaseSource | undefined {
  const jdbc = optional(root.jdbc, 'jdbc');
  if (jdbc.url === undefined) return undefined;
  const url = string(jdbc.url, 'jdbc.url');
  if (!isPostgresUrl(url)) {
    warnings.push(
      `jdbc: a database of kind ${databaseKind(url)} is not read, PostgreSQL is: payloads are kept in an embedded store (quorate.dataDir)`,
    );
    return undefined;
  }
  const { username, password } = jdbc;
  if (typeof password === 'string' && password.startsWith('ENC(')) {
    throw invalid(
      'jdbc.password is locked with Jasypt: name the file of its secret in TESSERA_CONFIG_SECRET, or omit it and give the password in PGPASSWORD',
    );
  }
  return {
    url,
    user: typeof username === 'string' ? username : undefined,
    password: typeof password === 'string' && password !== '' ? password : undefined,
    createTables: jdbc.autoCreateTables === true,
    connectionsMax: connections(optional(root.quorate, 'quorate').databaseConnections),
  };
}

function connections(value: unknown): number {
  const count = value === undefined ? CONNECTIONS_DEFAULT : Number(value);
  if (!Number.isInteger(count) || count < 2 || count > CONNECTIONS_MAX) {
    throw invalid(`quorate.databaseConnections must be a number from 2 to ${CONNECTIONS_MAX}`);
  }
  return count;
}

/** `unixSocketFile` of configurations before serverConfigs had a Q2T app. */
function olderSocket(root: Fields, servers: readonly PtmServer[], folder: string): PtmServer[] {
  const path = root.unixSocketFile;
  if (typeof path !== 'string' || servers.some(({ app }) => app === 'Q2T')) return [];
  const address = { kind: 'unix', path: resolve(folder, path) } as const;
  return [{ app: 'Q2T', address, advertised: undefined }];
}

function server(fields: Fields, index: number, folder: string, warnings: string[]): PtmServer[] {
  const name = `serverConfigs[${index}]`;
  const app = string(fields.app, `${name}.app`);
  if (fields.enabled === false) return [];
  if (!APPS.includes(app)) {
    warnings.push(`${name}: app ${app} is not served`);
    return [];
  }
  if (String(fields.communicationType ?? 'REST').toUpperCase() !== 'REST') {
    throw invalid(`${name}.communicationType must be REST`);
  }
  const ssl = `${name}.sslConfig`;
  const tls = parseTls(optional(fields.sslConfig, ssl), folder, ssl);
  const address = string(fields.serverAddress, `${name}.serverAddress`);
  const binding = fields.bindingAddress ?? address;
  const bound = parseAddress(string(binding, `${name}.bindingAddress`), folder);
  if (tls && bound.kind === 'tcp' && !address.startsWith('https://')) {
    throw invalid(`${name}.serverAddress must be https://… when TLS is STRICT`);
  }
  const advertised = bound.kind === 'tcp' && bound.port !== 0 ? address : undefined;
  return [{ app: app as PtmApp, address: bound, advertised, tls }];
}

/** `unix:<path>` or `http://host:port`. */
function parseAddress(text: string, folder: string): HttpAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    return { kind: 'unix', path: isAbsolute(path) ? path : resolve(folder, path) };
  }
  const match = /^https?:\/\/(\[[0-9a-fA-F:]+\]|[^:/\s]+):(\d+)\/?$/.exec(text);
  const port = Number(match?.[2]);
  if (!match || port > PORT_MAX) {
    throw invalid(`address "${text}" must be http(s)://host:port or unix:<path>`);
  }
  return { kind: 'tcp', host: match[1]!.replace(/^\[|\]$/g, ''), port };
}

function unique(servers: readonly PtmServer[]): readonly PtmServer[] {
  for (const app of ['Q2T', 'P2P'] as const) {
    if (servers.filter((one) => one.app === app).length !== 1) {
      throw invalid(`serverConfigs needs exactly one server of app ${app}`);
    }
  }
  return servers;
}

function residentGroup(value: unknown, index: number): ResidentGroup {
  const name = `residentGroups[${index}]`;
  const fields = object(value, name);
  return {
    name: string(fields.name, `${name}.name`),
    description: typeof fields.description === 'string' ? fields.description : '',
    members: list(fields.members, `${name}.members`).map((member, i) =>
      string(member, `${name}.members[${i}]`),
    ),
  };
}

function interval(value: unknown): number {
  if (value === undefined) return PARTY_INFO_INTERVAL_DEFAULT_MS;
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 1) {
    throw invalid('properties.partyInfoInterval must be a number of milliseconds');
  }
  return ms;
}

function publicKey(text: string): PublicKey {
  const bytes = fromBase64(text);
  if (bytes.length !== PUBLIC_KEY_BYTES) {
    throw invalid(`"${text}" is not a public key: it must be base64 of 32 bytes`);
  }
  return bytes;
}

function object(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${name} must be an object`);
  }
  return value as Fields;
}

function optional(value: unknown, name: string): Fields {
  return value === undefined || value === null ? {} : object(value, name);
}

function list(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${name} must be a list`);
  return value;
}

function string(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(`${name} is missing`);
  return value;
}

function invalid(why: string): Error {
  return fail('PTM_CONFIG_INVALID', why);
}
