/**
 * Public keys of keystores that were opened before, by the hash of the file, so that the keystores
 * need not be decrypted again after a restart. Contains no secrets.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { bareHex, fromHex } from '../../../core/base/hex.ts';
import { newerVersion } from '../../../core/base/newer-version.ts';
import type { Log } from '../../../core/base/ports.ts';
import { secp256k1 } from '../../../core/base/secp256k1.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';

const ENTRIES_MAX = 2_000_000;
/**
 * Raise with any change that an older program would misread. Version 0.1.0 skips the line that
 * contains it.
 */
const VERSION = 1;
const HEADER = /^# quorate public keys (\d{1,9})$/;
const LINE = /^([0-9a-f]{64}) ([0-9a-f]{128})$/;

export class PublicKeyIndex {
  private readonly path: string | undefined;
  private readonly log: Log;
  private readonly known = new Map<string, string>();
  private isNew = true;

  /** Without `path` the keys are remembered until the process ends. Throws STORAGE_FORMAT_NEWER. */
  constructor(path: string | undefined, log: Log) {
    this.path = path;
    this.log = log;
    if (path !== undefined) this.read(path);
  }

  get(contentHash: string): Uint8Array | undefined {
    const hex = this.known.get(contentHash);
    if (hex === undefined) return undefined;
    const publicKey = fromHex(hex);
    return secp256k1().isPublicKey(publicKey) ? publicKey : undefined;
  }

  set(contentHash: string, publicKey: Uint8Array): void {
    if (this.known.has(contentHash) || this.known.size >= ENTRIES_MAX) return;
    const hex = bareHex(publicKey);
    this.known.set(contentHash, hex);
    if (this.path === undefined) return;
    try {
      makeFolder(dirname(this.path));
      const header = this.isNew ? `# quorate public keys ${VERSION}\n` : '';
      appendFileSync(this.path, `${header}${contentHash} ${hex}\n`);
      this.isNew = false;
    } catch (error) {
      this.log('warn', 'Public keys cannot be remembered', { path: this.path, error });
    }
  }

  private read(path: string): void {
    let text = '';
    try {
      text = readFileSync(path, 'latin1');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.log('warn', 'Public keys of an earlier run cannot be read', { path, error });
    }
    this.isNew = text === '';
    const found = Number(HEADER.exec(text.split('\n', 1)[0]!)?.[1] ?? 0);
    if (found > VERSION) {
      throw newerVersion('STORAGE_FORMAT_NEWER', `the index of public keys ${path}`, {
        found,
        known: VERSION,
      });
    }
    for (const line of text.split('\n')) {
      const match = LINE.exec(line);
      if (match) this.known.set(match[1]!, match[2]!);
      if (this.known.size >= ENTRIES_MAX) return;
    }
  }
}
