/** Tests of cloud keys: configuration files, the accounts that they give, and everything logged. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress } from '../../src/core/base/secp256k1.ts';
import { type AccountsDeps, openAccounts } from '../../src/services/signer/keys/accounts.ts';
import type { KeySettings } from '../../src/services/signer/keys/settings.ts';
import type { CloudKey } from './key-clouds.ts';

export const CANARY = 'canary-5ec2e7-0123456789';

export let folder: string;
export let lines: string[];

const cleanups: { close(): void }[] = [];

/** Call before each test: creates a folder for key configurations, and clears the log. */
export function openFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'signer-clouds-'));
  mkdirSync(join(folder, 'keys'));
  lines = [];
}

/** Call after each test: checks that no log line shows a secret. */
export function closeFolder(): void {
  for (const each of cleanups.splice(0).reverse()) each.close();
  rmSync(folder, { recursive: true });
  expect(lines.join('\n')).not.toContain(CANARY);
}

export function kept<T extends { close(): void }>(what: T): T {
  cleanups.push(what);
  return what;
}

export function secret(index: number): Uint8Array {
  return keccak256(Uint8Array.of(7, index));
}

export function account(index: number): string {
  return toHex(addressOfSecretKey(secret(index)));
}

export function key(index: number, more: Partial<CloudKey> = {}): CloudKey {
  return { name: `key-${index}`, secretKey: secret(index), ...more };
}

/** One YAML file with several documents. */
export function yaml(...documents: readonly Readonly<Record<string, string | number>>[]): void {
  const text = documents.map((fields) =>
    Object.entries({ keyType: 'SECP256K1', ...fields })
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  for (const [index, each] of text.entries()) {
    writeFileSync(join(folder, 'keys', `${index}.yaml`), each);
  }
}

export async function open(settings: Partial<KeySettings> = {}, deps: Partial<AccountsDeps> = {}) {
  const text = (value: unknown) =>
    value instanceof Error ? `${value.message} ${String(value.cause)}` : value;
  return kept(
    await openAccounts(
      { configPath: join(folder, 'keys'), ...settings },
      {
        log: (level, message, fields = {}) =>
          void lines.push(
            `${level} ${message} ${JSON.stringify(fields, (_name, value) => text(value))}`,
          ),
        ...deps,
      },
    ),
  );
}

/** Signs many digests, so that both recovery ids and both halves of s occur. */
export async function signsAs(
  { accounts }: Awaited<ReturnType<typeof open>>,
  address: string,
  times = 6,
): Promise<void> {
  const signer = accounts.find(address)!;
  for (let index = 0; index < times; index++) {
    const digest = keccak256(Uint8Array.of(index));
    const signature = await signer.sign(digest);
    expect(toHex(recoverAddress(digest, signature)!)).toBe(address);
    expect(signature[32]! < 0x80).toBe(true);
  }
}
