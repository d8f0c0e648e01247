/** The account plugin's folder: one file per account, with the location of its secret. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import { bareHex, fromHex } from '../../../core/base/hex.ts';
import { parseJson } from '../../../core/base/json.ts';
import type { Clock } from '../../../core/base/ports.ts';
import { readText } from '../../../io/host/files.ts';
import { reasonOf } from '../../../io/host/reason.ts';

export interface VaultAccountFile {
  readonly address: Address;
  readonly secretName: string;
  readonly secretVersion: number;
}

export class VaultAccountFolder {
  private readonly path: string;
  private readonly clock: Clock;
  private held: readonly VaultAccountFile[];

  /**
   * Creates the folder if it is missing. Throws SECURITY_CONFIG_INVALID for a file that does not
   * describe an account.
   */
  constructor(path: string, clock: Clock) {
    this.path = path;
    this.clock = clock;
    mkdirSync(path, { recursive: true, mode: 0o755 });
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    this.held = entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => readFile(join(entry.parentPath, entry.name)));
  }

  /** Files read at the start, and those added since. */
  files(): readonly VaultAccountFile[] {
    return this.held;
  }

  /** Writes the file completely or not at all, with the name that the plugin gives it. */
  add(file: VaultAccountFile): void {
    const { address, secretName, secretVersion } = file;
    const time = new Date(this.clock.nowMs())
      .toISOString()
      .replace(/:/g, '-')
      .replace('Z', '000000Z');
    const name = `UTC--${time}--${bareHex(address)}`;
    const content = {
      Address: bareHex(address),
      VaultAccount: { SecretName: secretName, SecretVersion: secretVersion },
      Version: 1,
    };
    const temporary = join(this.path, `.${name}.tmp`);
    writeFileSync(temporary, JSON.stringify(content), { flush: true });
    renameSync(temporary, join(this.path, name));
    this.held = [...this.held, file];
  }
}

function readFile(path: string): VaultAccountFile {
  let fields: {
    Address?: unknown;
    VaultAccount?: { SecretName?: unknown; SecretVersion?: unknown };
  };
  try {
    fields = parseJson(readText(path)) as typeof fields;
  } catch (cause) {
    throw invalid(path, reasonOf(cause));
  }
  const { SecretName: secretName, SecretVersion: secretVersion } = fields?.VaultAccount ?? {};
  const [, digits] = /^(?:0x)?([0-9a-f]{40})$/i.exec(String(fields?.Address)) ?? [];
  if (digits === undefined) throw invalid(path, '"Address" is not an address');
  if (typeof secretName !== 'string' || secretName === '' || !Number.isInteger(secretVersion)) {
    throw invalid(path, '"VaultAccount" must have SecretName and SecretVersion');
  }
  const address = fromHex(`0x${digits.toLowerCase()}`);
  return { address, secretName, secretVersion: secretVersion as number };
}

function invalid(path: string, why: string): QuorateError {
  return fail(
    'SECURITY_CONFIG_INVALID',
    `account plugin: ${path} is not an account's file: ${why}`,
  );
}
