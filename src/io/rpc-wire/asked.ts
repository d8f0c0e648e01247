/** Requests that wait for their replies on one connection, by the id of the first call in each. */
import { fail } from '../../core/base/errors.ts';

interface Waiting {
  resolve(reply: string): void;
  reject(error: Error): void;
}

interface Message {
  id?: unknown;
}

export class Asked {
  private readonly waiting = new Map<string, Waiting>();

  get size(): number {
    return this.waiting.size;
  }

  wait(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting.set(firstId(request), { resolve, reject });
    });
  }

  /** A message that no request waits for, such as a notification, is ignored. */
  arrived(message: string): void {
    const id = firstId(message);
    const waiting = this.waiting.get(id) ?? this.onlyOne(id);
    if (!waiting) return;
    for (const [key, each] of this.waiting) if (each === waiting) this.waiting.delete(key);
    waiting.resolve(message);
  }

  failed(why: string): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const each of all) each.reject(fail('RPC_AWAY', why));
  }

  /** An error about the request as a whole has no id, so it belongs to the only waiting request. */
  private onlyOne(id: string): Waiting | undefined {
    const [only] = this.waiting.values();
    return id === 'null' && this.waiting.size === 1 ? only : undefined;
  }
}

/**
 * The id of the first call; `none` if there is no id, as in a notification, or the text is not
 * JSON.
 */
function firstId(text: string): string {
  try {
    const message = JSON.parse(text) as Message | Message[];
    const first = Array.isArray(message) ? message[0] : message;
    return first?.id === undefined ? 'none' : JSON.stringify(first.id);
  } catch {
    return 'none';
  }
}
