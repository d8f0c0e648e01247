/**
 * Writes a snapshot into `<folder>.partial`, which is renamed when it is complete, so that a folder
 * with the final name is always complete.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { makeFolder } from '../host/make-folder.ts';
import { copyFile, hashFile } from './copy.ts';
import { formatManifest, MANIFEST_NAME, type SnapshotFile, type SnapshotPart } from './manifest.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export class SnapshotWriter {
  private readonly folder: string;
  private readonly partial: string;
  private readonly onBytes: (count: number) => void;
  private readonly files: SnapshotFile[] = [];
  private readonly parts: Record<string, SnapshotPart> = {};

  /** Removes an unfinished earlier backup. Throws SNAPSHOT_EXISTS. */
  constructor(folder: string, onBytes: (count: number) => void) {
    if (existsSync(folder)) {
      throw fail('SNAPSHOT_EXISTS', `${folder} exists already: name a new folder with --out`);
    }
    this.folder = folder;
    this.partial = `${folder}.partial`;
    this.onBytes = onBytes;
    rmSync(this.partial, { recursive: true, force: true });
    makeFolder(this.partial, FOLDER_MODE);
  }

  /** Where a file of the snapshot is until the snapshot is complete. */
  pathOf(path: string): string {
    const full = join(this.partial, path);
    makeFolder(dirname(full), FOLDER_MODE);
    return full;
  }

  /**
   * Copies the first `limit` bytes of the file at `from`. With `isOpen` it is not listed yet: call
   * `note` when its content is final.
   */
  async copy(
    from: string,
    path: string,
    { limit, isOpen = false }: CopyOptions = {},
  ): Promise<void> {
    const copied = await copyFile(from, this.pathOf(path), this.onBytes, limit);
    if (!isOpen) this.files.push({ path, ...copied });
  }

  write(path: string, content: string): Promise<void> {
    writeFileSync(this.pathOf(path), content, { mode: FILE_MODE, flag: 'wx', flush: true });
    return this.note(path);
  }

  /** Lists a file that is already in the snapshot. */
  async note(path: string): Promise<void> {
    this.files.push({ path, ...(await hashFile(this.pathOf(path))) });
  }

  part(name: string, fields: SnapshotPart): void {
    this.parts[name] = fields;
  }

  /** Completes the snapshot, and returns the total bytes of its files. */
  finish(program: string, nowMs: number): number {
    const { files, parts } = this;
    const createdAt = new Date(nowMs).toISOString();
    const text = formatManifest({ createdAt, program, parts, files });
    writeFileSync(this.pathOf(MANIFEST_NAME), text, { mode: FILE_MODE, flag: 'wx', flush: true });
    renameSync(this.partial, this.folder);
    return files.reduce((sum, file) => sum + file.bytes, 0);
  }

  /** Removes the unfinished snapshot. */
  abandon(): void {
    rmSync(this.partial, { recursive: true, force: true });
  }
}

export interface CopyOptions {
  readonly limit?: number;
  readonly isOpen?: boolean;
}
