import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { bareHex, fromHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey, recoverAddress } from '../../core/base/secp256k1.ts';
import { AccountStore } from './account-store.ts';
import { decryptKey, encryptKey } from './keystore.ts';
import { loadOrCreateKeyFile, parseKeyHex, readKeyFile } from './node-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = fromHex('4646464646464646464646464646464646464646464646464646464646464646');
const ADDRESS = addressOfSecretKey(SECRET);
const HASH = new Uint8Array(32).fill(7);

interface Case {
  json: object;
  password: string;
  priv: string;
}

describe('key files', () => {
  const files = [
    'public/keys/keystore-v3-geth.json',
    'public/keys/keystore-v1-geth.json',
    'public/core-tests/KeyStoreTests/basic_tests.json',
  ];
  it.for(files)('opens every case of %s', READS_PUBLIC_VECTORS, async (name, context) => {
    const root = publicVectorsFor(context);
    const cases = Object.entries(readJson(join(root, name)) as Record<string, Case>);
    expect(cases.length).toBeGreaterThan(0);
    for (const [label, { json, password, priv }] of cases) {
      const key = bareHex(await decryptKey(json, password));
      expect(`${label} ${key}`).toBe(`${label} ${priv.replace(/^0x/, '').padStart(64, '0')}`);
    }
    const [, first] = cases[0]!;
    await expect(decryptKey(first.json, `${first.password}x`)).rejects.toThrow(
      'could not decrypt key with given password',
    );
  });

  it('writes what ethers opens, and opens what ethers writes', async () => {
    const file = await encryptKey(SECRET, 'sesame', { light: true });
    const wallet = await Wallet.fromEncryptedJson(JSON.stringify(file), 'sesame');
    expect(wallet.privateKey).toBe(toHex(SECRET));
    const account = { address: wallet.address, privateKey: wallet.privateKey };
    const theirs = encryptKeystoreJsonSync(account, 'open', { scrypt: { N: 1024 } });
    expect(await decryptKey(JSON.parse(theirs), 'open')).toEqual(SECRET);
  });

  it('refuses damaged files and greedy parameters', async () => {
    const file = await encryptKey(SECRET, 'a', { light: true });
    const damaged = (crypto: object) => ({ ...file, crypto: { ...file.crypto, ...crypto } });
    const kdf = file.crypto.kdfparams;
    for (const [bad, text] of [
      [{}, 'version undefined'],
      [null, 'not an object'],
      [{ ...file, version: 4 }, 'version 4'],
      [damaged({ kdf: 'md5' }), 'Unsupported KDF: md5'],
      [damaged({ cipher: 'rot13' }), 'Cipher not supported: rot13'],
      [damaged({ ciphertext: 'xy' }), 'not hex'],
      [damaged({ kdfparams: { ...kdf, n: 2 ** 24, r: 2 ** 10 } }), 'out of range'],
      [damaged({ kdfparams: { ...kdf, n: 3 } }), 'out of range'],
      [damaged({ kdfparams: { ...kdf, dklen: 16 } }), 'below 32'],
    ] as const) {
      await expect(decryptKey(bad, 'a')).rejects.toThrow(
        bad === null || text === 'version undefined' ? /object/ : text,
      );
    }
  });
});

describe('node key', () => {
  it('is made once and read again', () => {
    const path = join(folder, 'nodekey');
    const key = loadOrCreateKeyFile(path);
    expect(loadOrCreateKeyFile(path)).toEqual(key);
    expect(readKeyFile(path)).toEqual(key);
  });

  it('speaks as geth about bad files', () => {
    expect(() => parseKeyHex('abc')).toThrow('key file too short, want 64 hex characters');
    expect(() => parseKeyHex('a'.repeat(65))).toThrow('key file too long');
    expect(() => parseKeyHex('z'.repeat(64))).toThrow('invalid hex character');
    expect(() => parseKeyHex('0'.repeat(64))).toThrow('invalid private key');
    expect(parseKeyHex(`${bareHex(SECRET)}\n`)).toEqual(SECRET);
  });
});

describe('account store', () => {
  const timers: { ms: number; fire: () => void; isCancelled: boolean }[] = [];
  const open = () =>
    new AccountStore({
      directory: join(folder, 'keystore'),
      light: true,
      clock: { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) },
      timers: {
        set: (ms, fire) => {
          const timer = { ms, fire, isCancelled: false };
          timers.push(timer);
          return {
            cancel: () => {
              timer.isCancelled = true;
            },
          };
        },
        yield: () => {},
      },
    });

  it('imports, lists, unlocks for a time, signs and locks', async () => {
    const store = open();
    expect(store.addresses()).toEqual([]);
    expect(await store.importKey(SECRET, 'pw')).toEqual(ADDRESS);
    await expect(store.importKey(SECRET, 'pw')).rejects.toThrow('account already exists');
    expect(readdirSync(join(folder, 'keystore'))).toEqual([
      `UTC--2026-01-02T03-04-05.006000000Z--${bareHex(ADDRESS)}`,
    ]);
    expect(open().addresses()).toEqual([ADDRESS]);
    expect(() => store.sign(ADDRESS, HASH)).toThrow('authentication needed: password or unlock');
    expect(() => store.sign(new Uint8Array(20), HASH)).toThrow('unknown account');
    await expect(store.unlock(ADDRESS, 'no', 0)).rejects.toThrow(
      'could not decrypt key with given password',
    );
    await expect(store.unlock(new Uint8Array(20), 'pw', 0)).rejects.toThrow(
      'no key for given address or file',
    );
    await store.unlock(ADDRESS, 'pw', 30);
    expect(timers.at(-1)!.ms).toBe(30_000);
    expect(recoverAddress(HASH, store.sign(ADDRESS, HASH))).toEqual(ADDRESS);
    timers.at(-1)!.fire();
    expect(store.isUnlocked(ADDRESS)).toBe(false);
    await store.unlock(ADDRESS, 'pw', 0);
    await store.unlock(ADDRESS, 'pw', 5);
    expect(store.isUnlocked(ADDRESS)).toBe(true);
    store.lock(ADDRESS);
    expect(store.isUnlocked(ADDRESS)).toBe(false);
    const signature = await store.signWithPassword(ADDRESS, HASH, 'pw');
    expect(recoverAddress(HASH, signature)).toEqual(ADDRESS);
  });

  it('derives one key at a time; so many wait, and further ones are refused', async () => {
    const store = open();
    mkdirSync(store.directory);
    const file = await encryptKey(SECRET, 'pw', { instant: true });
    writeFileSync(join(store.directory, `UTC--1--${bareHex(ADDRESS)}`), JSON.stringify(file));
    const checks = Array.from({ length: 40 }, () => store.check(ADDRESS, 'pw'));
    const refused = (await Promise.allSettled(checks)).filter(
      ({ status }) => status !== 'fulfilled',
    );
    // One runs, and 32 wait.
    expect(refused).toHaveLength(7);
    await expect(checks.at(-1)).rejects.toThrow(
      '32 calls with a password wait already: try again later',
    );
    await store.check(ADDRESS, 'pw');
  });

  it('changes a password, creates accounts, and passes over foreign files', async () => {
    const store = open();
    const address = await store.create('one');
    await store.changePassword(address, 'one', 'two');
    await expect(store.unlock(address, 'one', 0)).rejects.toThrow('could not decrypt');
    await store.unlock(address, 'two', 0);
    writeFileSync(join(folder, 'keystore', 'README'), 'no key');
    writeFileSync(join(folder, 'keystore', '.hidden'), '{}');
    expect(open().addresses()).toEqual([address]);
    expect(existsSync(join(folder, 'keystore', 'README'))).toBe(true);
  });
});
