/** Sessions with vaults and clouds, one for all keys that are reached in the same way; those that no key needs after a reload are closed. */
import { createHash } from 'node:crypto';

interface Closable {
  close(): void;
}

export class Connections {
  private readonly open = new Map<string, { readonly what: Closable; isUsed: boolean }>();

  /** `about` is everything that makes it this session and no other; `kind` parts what is of another type. */
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

  /** One that turned out to be of no use. */
  drop(kind: string, about: unknown): void {
    const id = identityOf(kind, about);
    this.open.get(id)?.what.close();
    this.open.delete(id);
  }

  /** From here on it is noted which are used. */
  mark(): void {
    for (const each of this.open.values()) each.isUsed = false;
  }

  /** Closes those that were not used since. */
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

/** What is equal has the same; nothing of it can be read from it. */
export function identityOf(kind: string, about: unknown): string {
  return `${kind}:${createHash('sha256').update(JSON.stringify(about)).digest('hex')}`;
}
