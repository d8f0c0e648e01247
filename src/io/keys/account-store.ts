/**
 * Accounts in a folder of key files (`keystore/UTC--…`), as geth keeps them: listed in order of
 * file names, unlocked for a time or permanently, and locked again by forgetting the key. Notices
 * added and removed files.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Address, equalBytes, keyOf } from '../../core/base/bytes.ts';
import { fail, hasCode, type QuorateError } from '../../core/base/errors.ts';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import type { Clock, Timer, Timers } from '../../core/base/ports.ts';
import { addressOfSecretKey, sign65 } from '../../core/base/secp256k1.ts';
import { makeFolder } from '../host/make-folder.ts';
import { Gate, type GateLimits } from '../threads/parallel.ts';
import { decryptKey, encryptKey, type KeystoreFile } from './keystore.ts';
import { newSecretKey } from './node-key.ts';

/** The limit of setTimeout; a longer unlock lasts until the process ends. */
const UNLOCK_MS_MAX = 2 ** 31 - 1;
const KEY_FILE_BYTES_MAX = 64 * 1024;
/**
 * Deriving a key from a password takes 256 MB for about a second, on one of the threads that also
 * write files.
 */
const DERIVATIONS: GateLimits = { width: 1, waitingMax: 32 };

export interface AccountFile {
  readonly address: Address;
  readonly path: string;
}

export interface AccountStoreParts {
  readonly directory: string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whether new files use a weak but fast key derivation (geth's --lightkdf). */
  readonly light?: boolean;
  /**
   * false: keys must not be unlocked for outside callers (geth without --allow-insecure-unlock).
   */
  readonly mayUnlock?: boolean;
}

interface Unlocked {
  readonly secretKey: Uint8Array;
  /** undefined: unlocked until the process ends. */
  readonly expiry: Timer | undefined;
}

export class AccountStore {
  private readonly parts: AccountStoreParts;
  private readonly unlocked = new Map<string, Unlocked>();
  private readonly known = new Map<string, AccountFile | undefined>();
  private listed: readonly AccountFile[] = [];
  private stamp = -1;
  private readonly gate = new Gate(DERIVATIONS);

  constructor(parts: AccountStoreParts) {
    this.parts = parts;
  }

  get directory(): string {
    return this.parts.directory;
  }

  files(): readonly AccountFile[] {
    this.refresh();
    return this.listed;
  }

  addresses(): readonly Address[] {
    return this.files().map(({ address }) => address);
  }

  has(address: Address): boolean {
    return this.files().some((file) => equalBytes(file.address, address));
  }

  isUnlocked(address: Address): boolean {
    return this.unlocked.has(keyOf(address));
  }

  /** The signature, r ‖ s ‖ v, with v 0 or 1. Throws ACCOUNT_UNKNOWN or ACCOUNT_LOCKED. */
  sign(address: Address, hash: Uint8Array): Uint8Array {
    const held = this.unlocked.get(keyOf(address));
    if (held) return sign65(hash, held.secretKey);
    if (!this.has(address)) throw unknownAccount();
    throw fail('ACCOUNT_LOCKED', 'authentication needed: password or unlock');
  }

  /** Throws KEYSTORE_PASSWORD_WRONG or ACCOUNT_UNKNOWN. */
  async signWithPassword(
    address: Address,
    hash: Uint8Array,
    password: string,
  ): Promise<Uint8Array> {
    if (!this.has(address)) throw unknownAccount();
    const secretKey = await this.secretKey(address, password);
    const signature = sign65(hash, secretKey);
    secretKey.fill(0);
    return signature;
  }

  /**
   * Unlocks for `seconds`, or until the process ends when 0. An account unlocked permanently stays
   * so. Throws ACCOUNT_UNLOCK_REFUSED, KEYSTORE_NO_MATCH or KEYSTORE_PASSWORD_WRONG.
   */
  async unlock(address: Address, password: string, seconds: number): Promise<void> {
    if (this.parts.mayUnlock === false)
      throw fail('ACCOUNT_UNLOCK_REFUSED', 'account unlock with HTTP access is forbidden');
    const secretKey = await this.secretKey(address, password);
    this.hold(address, secretKey, seconds);
  }

  lock(address: Address): void {
    const key = keyOf(address);
    const held = this.unlocked.get(key);
    held?.expiry?.cancel();
    held?.secretKey.fill(0);
    this.unlocked.delete(key);
  }

  async create(password: string): Promise<Address> {
    return (await this.store(newSecretKey(), password)).address;
  }

  /** Throws ACCOUNT_EXISTS. */
  async importKey(secretKey: Uint8Array, password: string): Promise<Address> {
    if (this.has(addressOfSecretKey(secretKey))) {
      throw fail('ACCOUNT_EXISTS', 'account already exists');
    }
    return (await this.store(secretKey, password)).address;
  }

  /**
   * Throws KEYSTORE_NO_MATCH, KEYSTORE_PASSWORD_WRONG, or KEYSTORE_INVALID when the file is
   * damaged.
   */
  async check(address: Address, password: string): Promise<void> {
    (await this.secretKey(address, password)).fill(0);
  }

  /** Rewrites the file with another password. Throws what `check` throws. */
  async changePassword(address: Address, password: string, next: string): Promise<void> {
    const secretKey = await this.secretKey(address, password);
    const file = await this.encrypted(secretKey, next);
    writeKeyJson(this.fileOf(address).path, file);
  }

  /** Throws KEYSTORE_NO_MATCH, KEYSTORE_PASSWORD_WRONG or ACCOUNT_BUSY. */
  private async secretKey(address: Address, password: string): Promise<Uint8Array> {
    const { path } = this.fileOf(address);
    const secretKey = await this.inTurn(() =>
      decryptKey(JSON.parse(readFileSync(path, 'utf8')), password),
    );
    if (!equalBytes(addressOfSecretKey(secretKey), address)) {
      throw fail(
        'KEYSTORE_INVALID',
        `key content mismatch: have account ${bareHex(addressOfSecretKey(secretKey))}, want ${bareHex(address)}`,
      );
    }
    return secretKey;
  }

  private hold(address: Address, secretKey: Uint8Array, seconds: number): void {
    const key = keyOf(address);
    const held = this.unlocked.get(key);
    if (held && !held.expiry) return;
    held?.expiry?.cancel();
    const ms = seconds * 1000;
    const expiry =
      seconds > 0 && ms <= UNLOCK_MS_MAX
        ? this.parts.timers.set(ms, () => this.lock(address))
        : undefined;
    this.unlocked.set(key, { secretKey, expiry });
  }

  private fileOf(address: Address): AccountFile {
    const matches = this.files().filter((file) => equalBytes(file.address, address));
    if (matches.length > 1) {
      throw fail(
        'KEYSTORE_AMBIGUOUS',
        `multiple keys match address (${matches.map(({ path }) => path).join(',')})`,
      );
    }
    if (matches[0]) return matches[0];
    const damaged = this.damagedFileOf(address);
    if (damaged !== undefined) {
      throw fail(
        'KEYSTORE_INVALID',
        `the key file ${damaged} is damaged: no password opens it. Restore it from a copy`,
      );
    }
    throw fail('KEYSTORE_NO_MATCH', 'no key for given address or file');
  }

  /** A file with the address in its name, but not in its content. */
  private damagedFileOf(address: Address): string | undefined {
    const { directory } = this.parts;
    const end = `--${bareHex(address)}`;
    const names = existsSync(directory) ? readdirSync(directory) : [];
    const name = names.find((each) => isKeyFileName(each) && each.endsWith(end));
    return name && join(directory, name);
  }

  private async store(secretKey: Uint8Array, password: string): Promise<AccountFile> {
    const file = await this.encrypted(secretKey, password);
    const { directory, clock } = this.parts;
    makeFolder(directory, 0o700);
    const path = join(directory, fileName(clock.nowMs(), file.address));
    writeKeyJson(path, file);
    this.stamp = -1;
    return { address: fromHex(file.address), path };
  }

  private encrypted(secretKey: Uint8Array, password: string): Promise<KeystoreFile> {
    return this.inTurn(() => encryptKey(secretKey, password, { light: this.parts.light === true }));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.gate.run(work);
    } catch (error) {
      if (!hasCode(error, 'GATE_FULL')) throw error;
      throw fail(
        'ACCOUNT_BUSY',
        `${DERIVATIONS.waitingMax} calls with a password wait already: try again later`,
      );
    }
  }

  private refresh(): void {
    const { directory } = this.parts;
    const stamp = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const names = stamp === 0 ? [] : readdirSync(directory).filter(isKeyFileName).sort();
    for (const name of this.known.keys()) if (!names.includes(name)) this.known.delete(name);
    const found: AccountFile[] = [];
    for (const name of names) {
      if (!this.known.has(name)) this.known.set(name, readAccountFile(join(directory, name)));
      const file = this.known.get(name);
      if (file) found.push(file);
    }
    this.listed = found;
  }
}

function unknownAccount(): QuorateError {
  return fail('ACCOUNT_UNKNOWN', 'unknown account');
}

/** As in geth: hidden, backup and temporary files are not key files. */
function isKeyFileName(name: string): boolean {
  return !name.startsWith('.') && !name.endsWith('~') && !name.endsWith('.tmp');
}

function readAccountFile(path: string): AccountFile | undefined {
  try {
    const status = statSync(path);
    if (!status.isFile() || status.size > KEY_FILE_BYTES_MAX) return undefined;
    const { address } = JSON.parse(readFileSync(path, 'utf8')) as { address?: unknown };
    if (typeof address !== 'string') return undefined;
    const bytes = fromHex(address);
    return bytes.length === 20 ? { address: bytes, path } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file completely or not at all. */
function writeKeyJson(path: string, file: object): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, JSON.stringify(file), { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

/** `UTC--2026-01-31T12-34-56.789000000Z--<address>`. */
function fileName(nowMs: number, address: string): string {
  const time = new Date(nowMs).toISOString().replace(/:/g, '-').replace('Z', '000000Z');
  return `UTC--${time}--${address}`;
}
