/**
 * Seconds until the signing proxy knows all its accounts: with keystores that are unlocked when
 * they first sign, and with plain key files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { encryptKey, type KeystoreFile } from '../src/io/keys/keystore.ts';
import { openAccounts } from '../src/services/signer/keys/accounts.ts';
import type { KeySettings } from '../src/services/signer/keys/settings.ts';
import type { Figure } from './report.ts';

const KEYS = Number(process.env.SIGNER_KEYS ?? 10_000);
const RUNS = 3;
const BUDGET_SECONDS = 5;

export async function signerKeys(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-keys-'));
  try {
    const kinds = await write(folder);
    const figures: Figure[] = [];
    for (const [name, settings] of Object.entries(kinds)) {
      const runs: number[] = [];
      for (let run = 0; run < RUNS; run++) runs.push(await seconds(settings));
      figures.push({ name: `${KEYS} ${name}`, unit: 's', runs, budget: BUDGET_SECONDS });
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function write(folder: string): Promise<Readonly<Record<string, KeySettings>>> {
  const at = (...names: string[]): string => join(folder, ...names);
  for (const name of ['stores', 'yaml', 'raw', 'toml']) mkdirSync(at(name));
  writeFileSync(at('password'), 'password');
  const file = await encryptKey(keccak256(new Uint8Array(1)), 'password', { light: true });
  for (let index = 0; index < KEYS; index++) writeKey(at, index, file);
  return {
    keystores: {
      keystores: { path: at('stores'), passwords: { kind: 'file', path: at('password') } },
    },
    'YAML files with a keystore each': { configPath: at('yaml') },
    'YAML files with a key each': { configPath: at('raw') },
    'TOML files with a keystore each': { tomlPath: at('toml') },
  };
}

/** The same ciphertext in all files, because nobody decrypts it here. */
function writeKey(at: (...names: string[]) => string, index: number, file: KeystoreFile): void {
  const secretKey = keccak256(Uint8Array.of(index >> 16, index >> 8, index));
  const address = bareHex(addressOfSecretKey(secretKey));
  const store = at('stores', `${index}.json`);
  writeFileSync(store, JSON.stringify({ ...file, address, id: String(index) }));
  const yaml = 'keyType: "SECP256K1"\n';
  writeFileSync(
    at('yaml', `${index}.yaml`),
    `${yaml}type: "file-keystore"\nkeystoreFile: "${store}"\nkeystorePasswordFile: "../password"\n`,
  );
  writeFileSync(
    at('raw', `${index}.yaml`),
    `${yaml}type: "file-raw"\nprivateKey: "${bareHex(secretKey)}"\n`,
  );
  writeFileSync(
    at('toml', `${address}.toml`),
    `[signing]\ntype = "file-based-signer"\nkey-file = "${store}"\npassword-file = "../password"\n`,
  );
}

async function seconds(settings: KeySettings): Promise<number> {
  const started = performance.now();
  const opened = await openAccounts(settings, { log: () => undefined });
  const taken = (performance.now() - started) / 1000;
  const found = opened.accounts.addresses().length;
  opened.close();
  if (found !== KEYS) throw new Error(`${found} of ${KEYS} keys were found`);
  return taken;
}
