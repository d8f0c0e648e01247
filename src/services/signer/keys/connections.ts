/**
 * Sessions with vaults and clouds, one for all keys with the same connection; those unused after a
 * reload are closed.
 */
import { createHash } from 'node:crypto';

interface Closable {
  close(): void;
}

export class Connections {
  private readonly open = new Map<string, { readonly what: Closable; isUsed: boolean }>();

  /** `about` identifies the session; `kind` separates sessions of different types. */
  get<T extends Closable>(kind: string, about: unknown, open: () => T): T {
    const id = identityOf(kind, about);
    const held = this.open.get(id);
    if (held) {
      held.isUsed = true;
      return held.what as T;
    }
    const what = open();
    this.open.set(id, { what, isUsed: true });
    return what;
  }

  /** Drops a failed session. */
  drop(kind: string, about: unknown): void {
    const id = identityOf(kind, about);
    this.open.get(id)?.what.close();
    this.open.delete(id);
  }

  /** Starts recording which sessions are used. */
  mark(): void {
    for (const each of this.open.values()) each.isUsed = false;
  }

  /** Closes the sessions that were not used since `mark`. */
  sweep(): void {
    for (const [id, each] of this.open) {
      if (each.isUsed) continue;
      this.open.delete(id);
      each.what.close();
    }
  }

  close(): void {
    this.mark();
    this.sweep();
  }
}

/** Equal values have the same digest, which reveals nothing about them. */
export function identityOf(kind: string, about: unknown): string {
  return `${kind}:${createHash('sha256').update(JSON.stringify(about)).digest('hex')}`;
}
