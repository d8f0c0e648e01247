/**
 * One send at a time per account: the account is locked from assigning a nonce until the
 * transaction is in the pool.
 */
import { type Address, keyOf } from '../../../../core/base/bytes.ts';

export class NonceLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(address: Address, work: () => Promise<T>): Promise<T> {
    const key = keyOf(address);
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail = result.catch(() => undefined);
    this.tails.set(key, tail);
    void tail.then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return result;
  }
}
