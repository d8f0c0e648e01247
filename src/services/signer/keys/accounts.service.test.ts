import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareHex, fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress } from '../../../core/base/secp256k1.ts';
import { encryptKey } from '../../../io/keys/keystore.ts';
import { openAccounts } from './accounts.ts';
import type { KeySettings } from './settings.ts';

const DIGEST = keccak256(Uint8Array.of(1, 2, 3));
/** A secret that may appear only in the files that contain it. */
const CANARY = 'c0ffee'.repeat(10);

let folder: string;
let lines: string[];
const opened: { close(): void }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-keys-'));
  lines = [];
});
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  rmSync(folder, { recursive: true });
});

function secret(index: number): Uint8Array {
  return keccak256(Uint8Array.of(index >> 8, index & 0xff));
}

function account(index: number): string {
  return toHex(addressOfSecretKey(secret(index)));
}

function put(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function open(settings: KeySettings) {
  const log = (level: string, message: string, fields: object = {}) =>
    void lines.push(
      `${level} ${message} ${JSON.stringify(fields, (_name, value) => (value instanceof Error ? value.message : value))}`,
    );
  const accounts = await openAccounts(settings, { log });
  opened.push(accounts);
  return accounts;
}

async function signs(accounts: Awaited<ReturnType<typeof open>>, address: string): Promise<void> {
  const signature = await accounts.accounts.find(address)!.sign(DIGEST);
  expect(toHex(recoverAddress(DIGEST, signature)!)).toBe(address);
}

function raw(index: number): string {
  return `type: file-raw\nkeyType: SECP256K1\nprivateKey: 0x${bareHex(secret(index))}\n`;
}

describe('a folder of YAML files', () => {
  it('gives keys of every file, several of one, whatever their names', async () => {
    put('keys/one.yaml', raw(1));
    put(
      'keys/two.YML',
      `${raw(2)}---\ntype: "file-raw"\nkeyType: secp256k1\nprivateKey: "${bareHex(secret(3))}"\n---\n`,
    );
    put('keys/bls.yaml', `type: file-raw\nprivateKey: ${CANARY}\n`);
    put('keys/.hidden.yaml', raw(4));
    put('keys/readme.txt', raw(5));
    put('keys/again.yaml', raw(1));
    put(
      'keys/store/key.json',
      JSON.stringify(await encryptKey(secret(6), 'pass word', { light: true })),
    );
    put('keys/store/password.txt', 'pass word\r\nsecond line\n');
    put(
      'keys/store.yaml',
      'type: file-keystore\nkeyType: SECP256K1\nunknown: member\nkeystoreFile: store/key.json\nkeystorePasswordFile: store/password.txt\n',
    );
    const accounts = await open({ configPath: join(folder, 'keys') });
    const wanted = [1, 2, 3, 6].map(account).sort();
    expect(accounts.accounts.addresses()).toEqual(wanted);
    for (const address of wanted) await signs(accounts, address);
    expect(accounts.health()).toEqual({
      isUp: true,
      unexpected: false,
      sources: [{ id: 'config-files-loading', loaded: 5, errors: 0 }],
    });
    expect(lines.join()).toContain('Duplicate key found while loading');
  });

  it('leaves out files that are broken, whole, counts them, and repeats nothing of them', async () => {
    put('keys/good.yaml', raw(1));
    const broken = {
      'short.yaml': `type: file-raw\nkeyType: SECP256K1\nprivateKey: ${CANARY}\n`,
      'half.yaml': `${raw(2)}---\n[${CANARY}`,
      'indent.yaml': `privateKey: ${CANARY}\n  type: [\n${CANARY}`,
      'type.yaml': `type: ${CANARY}\nkeyType: SECP256K1\n`,
      'keytype.yaml': `type: file-raw\nkeyType: ${CANARY}\nprivateKey: ${CANARY}`,
      'list.yaml': `- ${CANARY}\n`,
      'alias.yaml': `type: &a file-raw\nkeyType: SECP256K1\nprivateKey: *a\nx: ${CANARY}\n`,
      'twice.yaml': `type: file-raw\ntype: file-raw\nprivateKey: ${CANARY}\n`,
      'none.yaml': `type: file-keystore\nkeyType: SECP256K1\nkeystoreFile: gone.json\nkeystorePasswordFile: gone.txt\n`,
      'missing.yaml': `type: file-keystore\nkeyType: SECP256K1\n`,
      'zero.yaml': `type: file-raw\nkeyType: SECP256K1\nprivateKey: ${'0'.repeat(64)}\n`,
      'removed.yaml': `type: yubihsm\nkeyType: SECP256K1\npassword: ${CANARY}\n`,
    };
    for (const [name, content] of Object.entries(broken)) put(`keys/${name}`, content);
    const accounts = await open({ configPath: join(folder, 'keys') });
    expect(accounts.accounts.addresses()).toEqual([account(1)]);
    expect(accounts.health()).toMatchObject({
      isUp: false,
      sources: [{ loaded: 1, errors: Object.keys(broken).length }],
    });
    for (const name of Object.keys(broken)) expect(lines.join('\n')).toContain(`"${name}"`);
    expect(lines.join('\n')).not.toContain(CANARY);
    expect(lines.join('\n')).toContain(
      'Missing values for required parameters: keystoreFile,keystorePasswordFile',
    );
  });
});

it('passes over files of something else in a folder that nobody named', async () => {
  put('compose.yaml', 'services:\n  node: 1\n');
  put('template.yml', '{{ broken }}: [');
  put('list.yaml', '- one\n');
  put('key.yaml', raw(1));
  put('bad.yaml', 'type: file-raw\nkeyType: SECP256K1\n');
  const implied = await open({ configPath: folder, isConfigPathImplied: true });
  expect(implied.health().sources).toEqual([{ id: 'config-files-loading', loaded: 1, errors: 1 }]);
  const named = await open({ configPath: folder });
  expect(named.health().sources[0]).toMatchObject({ loaded: 1, errors: 4 });
});

describe("EthSigner's folder of TOML files", () => {
  const toml = (index: number) =>
    `[metadata]\ncreatedAt = 2019-11-05T08:15:30-05:00\n[signing]\ntype = "raw-signer"\npriv-key = "${bareHex(secret(index))}"\n`;
  const name = (index: number, prefix = '') => `keys/${prefix}${account(index).slice(2)}.toml`;

  it('gives the keys of files that are named after their account', async () => {
    put(name(1), toml(1));
    put(name(2, 'team-'), toml(2));
    put(name(3), toml(4));
    put(name(5).toUpperCase().replace('KEYS', 'keys').replace('TOML', 'toml'), toml(5));
    put('keys/key.toml', toml(6));
    put(name(7), toml(7));
    put(name(7, 'again-'), toml(7));
    put(name(8), `type = "${CANARY}"`);
    put(name(9), `[signing]\ntype = "${CANARY}"`);
    put(name(10), `[signing\n${CANARY}`);
    put('keys/11.json', JSON.stringify(await encryptKey(secret(11), '', { light: true })));
    put('keys/empty', '');
    put(
      name(11),
      '[signing]\ntype = "file-based-signer"\nkey-file = "11.json"\npassword-file = "empty"\n',
    );
    const accounts = await open({ tomlPath: join(folder, 'keys') });
    expect(accounts.accounts.addresses()).toEqual([1, 2, 11].map(account).sort());
    await signs(accounts, account(11));
    expect(accounts.health().sources[0]!.errors).toBe(5);
    const told = lines.join('\n');
    expect(told).toContain('Found multiple signing metadata TOML file matches for filter');
    expect(told).toContain('is a badly formed metadata file - \\"signing\\" heading is missing.');
    expect(told).not.toContain(CANARY);
  });
});

it('reads a folder of keys in hex', async () => {
  put('hex/one', `${bareHex(secret(1))}\n`);
  put('hex/two.key', `0x${bareHex(secret(2)).toUpperCase()}`);
  put('hex/broken', CANARY);
  put('hex/large', CANARY.repeat(1000));
  const accounts = await open({ hexPath: join(folder, 'hex') });
  expect(accounts.accounts.addresses()).toEqual([1, 2].map(account).sort());
  expect(accounts.health().sources).toEqual([{ id: 'hex-files-loading', loaded: 2, errors: 2 }]);
  expect(lines.join('\n')).not.toContain(CANARY);
});

describe('a folder of keystores', () => {
  const keystore = async (index: number, password: string) =>
    JSON.stringify(await encryptKey(secret(index), password, { light: true }));

  it('unlocks each when it first signs, with its own password or one for all', async () => {
    put('stores/a.json', await keystore(1, 'one'));
    put('stores/b.json', await keystore(2, 'two'));
    put('stores/c.json', await keystore(3, 'two'));
    put('words/a.txt', 'one');
    put('words/b.txt', 'two\n');
    const own = await open({
      keystores: {
        path: join(folder, 'stores'),
        passwords: { kind: 'folder', path: join(folder, 'words') },
      },
    });
    expect(own.accounts.addresses()).toEqual([1, 2].map(account).sort());
    const [signature, again] = await Promise.all([
      own.accounts.find(account(1))!.sign(DIGEST),
      own.accounts.find(account(1))!.sign(DIGEST),
    ]);
    expect(signature).toEqual(again);
    expect(own.accounts.find(account(1))!.sign(DIGEST)).toEqual(signature);
    await signs(own, account(2));
    expect(own.health()).toMatchObject({
      sources: [{ id: 'v3-keystores-bulk-loading', loaded: 2, errors: 1 }],
    });
    const passwords = { kind: 'file', path: join(folder, 'words/b.txt') } as const;
    const one = await open({ keystores: { path: join(folder, 'stores'), passwords } });
    expect(one.accounts.addresses().length).toBe(3);
    await signs(one, account(3));
    const wrong = one.accounts.find(account(1))!;
    await expect(wrong.sign(DIGEST)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
    await expect(wrong.sign(DIGEST)).rejects.toThrow(/could not decrypt key with given password/);
    await expect(wrong.publicKey()).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
    put('words/b.txt', 'one');
    expect(toHex(recoverAddress(DIGEST, await wrong.sign(DIGEST))!)).toBe(account(1));
  });

  it('knows hundreds without decrypting one', async () => {
    const file = await encryptKey(secret(1), 'one', { light: true });
    // Parameters with which decrypting each keystore would take a second.
    const kdfparams = { ...file.crypto.kdfparams, n: 262_144, p: 1 };
    for (let index = 0; index < 300; index++) {
      const address = account(index).slice(2);
      const dear = { ...file, address, crypto: { ...file.crypto, kdfparams } };
      put(`stores/${index}.json`, JSON.stringify(dear));
    }
    const passwords = { kind: 'file', path: put('word', 'one') } as const;
    const many = await open({ keystores: { path: join(folder, 'stores'), passwords } });
    expect(many.accounts.addresses().length).toBe(300);
    expect((await many.reload()).loaded).toBe(300);
  });

  it('finds out whose a keystore is that does not say, once', async () => {
    const { address: _none, ...nameless } = await encryptKey(secret(1), 'one', { light: true });
    put('stores/key.json', JSON.stringify(nameless));
    const passwords = { kind: 'file', path: put('word', 'one') } as const;
    const settings = {
      keystores: { path: join(folder, 'stores'), passwords },
      publicKeysFile: join(folder, 'data', 'public-keys'),
    };
    expect((await open(settings)).accounts.addresses()).toEqual([account(1)]);
    const index = readFileSync(settings.publicKeysFile, 'latin1');
    expect(index).toMatch(/^# quorate public keys 1\n[0-9a-f]{64} [0-9a-f]{128}\n$/);
    put('word', 'wrong');
    const known = await open(settings);
    expect(known.accounts.addresses()).toEqual([account(1)]);
    expect(bareHex(await known.accounts.find(account(1))!.publicKey())).toBe(
      index.trimEnd().split(' ').at(-1),
    );
  });

  it('unlocks all at the start where that is wanted, and leaves out those that cannot be', async () => {
    put('stores/a.json', await keystore(1, 'one'));
    put('stores/b.json', await keystore(2, 'two'));
    const passwords = { kind: 'file', path: put('word', 'one') } as const;
    const settings = {
      keystores: { path: join(folder, 'stores'), passwords },
      unlocksAtStart: true,
    };
    const accounts = await open(settings);
    expect(accounts.accounts.addresses()).toEqual([account(1)]);
    expect(accounts.accounts.find(account(1))!.sign(DIGEST)).toBeInstanceOf(Uint8Array);
    expect(accounts.health().sources).toEqual([
      { id: 'v3-keystores-bulk-loading', loaded: 1, errors: 1 },
    ]);
  });
});

describe('a reload', () => {
  it('takes keys away at once, adds others, and keeps open what did not change', async () => {
    put('keys/a.yaml', raw(1));
    put('stores/b.json', JSON.stringify(await encryptKey(secret(2), 'one', { light: true })));
    const passwords = { kind: 'file', path: put('word', 'one') } as const;
    const accounts = await open({
      configPath: join(folder, 'keys'),
      keystores: { path: join(folder, 'stores'), passwords },
    });
    const first = accounts.accounts.find(account(1))!;
    const second = accounts.accounts.find(account(2))!;
    await second.sign(DIGEST);
    put('keys/c.yaml', raw(3));
    expect(await accounts.reload()).toEqual({ loaded: 3, errors: 0 });
    expect(accounts.accounts.find(account(1))).toBe(first);
    expect(accounts.accounts.find(account(2))).toBe(second);
    expect(second.sign(DIGEST)).toBeInstanceOf(Uint8Array);

    unlinkSync(join(folder, 'keys/a.yaml'));
    put('keys/d.yaml', `type: file-raw\nkeyType: SECP256K1\nprivateKey: ${CANARY}\n`);
    put('word', 'changed');
    expect(await accounts.reload()).toEqual({ loaded: 2, errors: 1 });
    expect(accounts.accounts.addresses()).toEqual([2, 3].map(account).sort());
    expect(() => first.sign(DIGEST)).toThrow(/was removed/);
    expect(() => second.sign(DIGEST)).toThrow(/was removed/);
    await expect(accounts.accounts.find(account(2))!.sign(DIGEST)).rejects.toThrow(/decrypt/);

    unlinkSync(join(folder, 'keys/d.yaml'));
    put('word', 'one');
    expect(await accounts.reload()).toEqual({ loaded: 2, errors: 0 });
    await signs(accounts, account(2));
    rmSync(join(folder, 'keys'), { recursive: true });
    await expect(accounts.reload()).rejects.toMatchObject({ code: 'KEYS_FOLDER_UNREADABLE' });
    expect(accounts.accounts.addresses().length).toBe(2);
    expect(accounts.health()).toMatchObject({ isUp: false, unexpected: true });
  });

  it('zeroes keys that are gone, also one that is being unlocked', async () => {
    put('keys/a.yaml', raw(1));
    put('stores/b.json', JSON.stringify(await encryptKey(secret(2), 'one', { light: true })));
    const passwords = { kind: 'file', path: put('word', 'one') } as const;
    const accounts = await open({
      configPath: join(folder, 'keys'),
      keystores: { path: join(folder, 'stores'), passwords },
    });
    const held = accounts.accounts.find(account(1)) as unknown as { secretKey: Uint8Array };
    const bytes = held.secretKey;
    expect(bytes).toEqual(secret(1));
    const pending = accounts.accounts.find(account(2))!.sign(DIGEST);
    accounts.close();
    expect(bytes).toEqual(new Uint8Array(32));
    await expect(pending).rejects.toThrow(/was removed/);
  });
});

it('does not start without a key that was named, or its folder', async () => {
  const gone = join(folder, 'gone');
  await expect(open({ configPath: gone })).rejects.toMatchObject({ code: 'SIGNER_START_FAILED' });
  const named = { kind: 'raw', hex: CANARY } as const;
  const error = await open({ keys: [named] }).catch((cause: Error) => cause);
  expect(String(error)).toMatch(/^QuorateError: Failed to construct a signer .* Invalid hex value/);
  expect(String(error)).not.toContain(CANARY);
  const path = put('hex', `${bareHex(secret(1))}\n`);
  const good = await open({
    keys: [
      { kind: 'hexFile', path },
      { kind: 'raw', hex: toHex(fromHex(bareHex(secret(2)))) },
    ],
  });
  expect(good.accounts.addresses()).toEqual([1, 2].map(account).sort());
});
