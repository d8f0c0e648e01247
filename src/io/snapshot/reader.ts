/** A snapshot on disk: it is verified before any part of it is used. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { copyFile, hashFile } from './copy.ts';
import { type Manifest, readManifest, type SnapshotFile } from './manifest.ts';

export class SnapshotReader {
  readonly folder: string;
  readonly manifest: Manifest;

  /** Throws SNAPSHOT_MISSING, SNAPSHOT_NEWER or SNAPSHOT_DAMAGED. */
  constructor(folder: string) {
    this.folder = folder;
    this.manifest = readManifest(folder);
  }

  get bytes(): number {
    return this.manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  }

  /** Files below a folder in the snapshot. */
  below(prefix: string): SnapshotFile[] {
    return this.manifest.files.filter(({ path }) => path.startsWith(`${prefix}/`));
  }

  pathOf(file: SnapshotFile): string {
    return join(this.folder, file.path);
  }

  /** Reads all files. Throws SNAPSHOT_DAMAGED at the first file that differs from the manifest. */
  async check(onBytes: (count: number) => void = () => undefined): Promise<void> {
    for (const file of this.manifest.files) this.checkLength(file);
    for (const file of this.manifest.files) {
      const { sha256 } = await hashFile(this.pathOf(file), onBytes);
      if (sha256 !== file.sha256) throw this.damaged(file, 'its content has changed');
    }
  }

  /** Copies one file, and verifies it again while copying. */
  async extract(file: SnapshotFile, to: string, onBytes?: (count: number) => void): Promise<void> {
    const { sha256 } = await copyFile(this.pathOf(file), to, onBytes);
    if (sha256 !== file.sha256) throw this.damaged(file, 'its content has changed');
  }

  private checkLength(file: SnapshotFile): void {
    let size: number;
    try {
      size = statSync(this.pathOf(file)).size;
    } catch {
      throw this.damaged(file, 'it is missing');
    }
    if (size !== file.bytes)
      throw this.damaged(file, `it has ${size} bytes instead of ${file.bytes}`);
  }

  private damaged(file: SnapshotFile, what: string): Error {
    return fail(
      'SNAPSHOT_DAMAGED',
      `${this.pathOf(file)}: ${what}. Nothing was restored: take another copy of the snapshot`,
    );
  }
}
