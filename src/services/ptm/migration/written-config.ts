/**
 * The configuration of the manager that replaces Tessera: Tessera's own, with key files beside
 * it, all other paths absolute, and the store that the payloads are in now.
 */
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { KeySource } from '../config/key-sources.ts';

type Fields = Readonly<Record<string, unknown>>;

const KEYS = 'keys';
const DATA = 'data';
const UNIX = 'unix:';
const SSL_PATH = /(Path|KeyStore|TrustStore|File)$/;
const KNOWN_FILES = ['knownClientsFile', 'knownServersFile'] as const;

export interface WrittenConfigTerms {
  /** Folder of Tessera's file: the base of its relative paths. */
  readonly folder: string;
  /** Folder that the key files are copied to. */
  readonly target: string;
  readonly keys: readonly KeySource[];
  /** The payloads stay in the PostgreSQL database. */
  readonly isInPlace: boolean;
}

export function writtenConfig(root: Fields, terms: WrittenConfigTerms): Fields {
  const { jdbc, ...rest } = root;
  const keys = (root.keys ?? {}) as Fields;
  const { passwordFile } = keys;
  const absolute = (path: unknown) =>
    typeof path === 'string' && path !== '' ? resolve(terms.folder, path) : path;
  return {
    ...rest,
    ...(terms.isInPlace ? { jdbc } : {}),
    ...(root.unixSocketFile ? { unixSocketFile: absolute(root.unixSocketFile) } : {}),
    // Tessera's default, which differs from ours.
    disablePeerDiscovery: root.disablePeerDiscovery ?? false,
    serverConfigs: list(root.serverConfigs).map((server) => serverOf(server, absolute)),
    keys: {
      ...keys,
      keyData: keyData(keys, terms),
      ...(passwordFile ? { passwordFile: absolute(passwordFile) } : {}),
    },
    quorate: { ...((root.quorate ?? {}) as Fields), ...(terms.isInPlace ? {} : { dataDir: DATA }) },
  };
}

function serverOf(server: Fields, absolute: (path: unknown) => unknown): Fields {
  const socket = (value: unknown) =>
    typeof value === 'string' && value.startsWith(UNIX)
      ? `${UNIX}${absolute(value.slice(UNIX.length))}`
      : value;
  const { serverAddress, bindingAddress, sslConfig } = server;
  const isTls = String((sslConfig as Fields | undefined)?.tls).toUpperCase() === 'STRICT';
  return {
    ...server,
    serverAddress: socket(serverAddress),
    ...(bindingAddress ? { bindingAddress: socket(bindingAddress) } : {}),
    ...(isTls ? { sslConfig: sslOf(sslConfig as Fields, absolute) } : {}),
  };
}

function sslOf(ssl: Fields, absolute: (path: unknown) => unknown): Fields {
  const known = Object.fromEntries(
    KNOWN_FILES.map((name) => [name, ssl[name] ?? name.replace(/File$/, '')]),
  );
  const paths = Object.entries({ ...ssl, ...known }).map(([name, value]) => {
    if (Array.isArray(value) && /Certificates$/.test(name)) return [name, value.map(absolute)];
    return [name, SSL_PATH.test(name) ? absolute(value) : value];
  });
  return Object.fromEntries(paths);
}

/** Copies the files of key pairs. Throws PTM_KEY_INVALID naming the file. */
function keyData(keys: Fields, { keys: sources, target }: WrittenConfigTerms): unknown[] {
  const data = [...(keys.keyData as Fields[])];
  for (const [i, source] of sources.entries()) {
    if (source.kind !== 'files') continue;
    makeFolder(join(target, KEYS), 0o700);
    const [publicKeyPath, privateKeyPath] = [`${KEYS}/${i}.pub`, `${KEYS}/${i}.key`];
    copy(source.publicKeyPath, join(target, publicKeyPath));
    copy(source.privateKeyPath, join(target, privateKeyPath));
    data[i] = { ...data[i], publicKeyPath, privateKeyPath };
  }
  return data;
}

function copy(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (cause) {
    throw fail('PTM_KEY_INVALID', `cannot copy ${from}: ${reasonOf(cause)}`, { cause });
  }
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}
