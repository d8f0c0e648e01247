/**
 * Progress of a set-up, stored next to the file that the set-up will write, so that an interrupted
 * one can continue.
 */
import { rmSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { isThere, readJson } from '../../io/host/files.ts';
import { writeWhole } from '../../io/host/whole-file.ts';
import type { Deployed } from './setup.ts';

/** What must not change during a set-up. */
export interface SetupIdentity {
  /** Chain id and hash of the first block. */
  readonly ledger: string;
  readonly model: string;
  readonly guardian: string;
}

export class ProgressFile {
  readonly path: string;
  private readonly identity: SetupIdentity;

  constructor(path: string, identity: SetupIdentity) {
    this.path = path;
    this.identity = identity;
  }

  /** Deployed contracts. Throws PERMISSION_INPUT when the file belongs to another set-up. */
  read(): Deployed {
    if (!isThere(this.path)) return {};
    const { deployed = {}, ...kept } = readJson(this.path) as { deployed?: Deployed };
    for (const [name, value] of Object.entries(this.identity)) {
      const before = (kept as Record<string, unknown>)[name];
      if (before !== value) {
        throw fail(
          'PERMISSION_INPUT',
          `${this.path} was started with ${name} ${before}, not ${value}: continue with that, or remove the file`,
        );
      }
    }
    return deployed;
  }

  keep(deployed: Deployed): void {
    writeWhole(this.path, `${JSON.stringify({ ...this.identity, deployed }, null, 2)}\n`);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
