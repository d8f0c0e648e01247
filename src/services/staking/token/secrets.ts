/**
 * Client secrets: random, stored as scrypt hashes; this process recognises a secret quickly once it
 * has verified it.
 */
import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { fail } from '../../../core/base/errors.ts';
import { Lru } from '../../../core/base/lru.ts';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Cost of scrypt: each run takes 16 MB and some tens of milliseconds. */
const COST_LOG2 = 14;
const BLOCK_SIZE = 8;
const PARALLELISM = 1;
const SECRET_CHARACTERS_MAX = 1024;
/** Most valid secrets per client: an old one and a new one. */
export const LIVE_SECRETS_MAX = 2;
/** Limits of slow checks: concurrent, waiting, and remembered as correct. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;
const REMEMBERED_MAX = 10_000;

/** 256 bits, in base64url. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = { N: 2 ** COST_LOG2, r: BLOCK_SIZE, p: PARALLELISM };
  const hash = await derive(secret, salt, cost);
  const parts = [COST_LOG2, BLOCK_SIZE, PARALLELISM, salt.toString('base64url')];
  return `scrypt$${parts.join('$')}$${hash.toString('base64url')}`;
}

async function matches(secret: string, stored: string): Promise<boolean> {
  const [kind, log2, r, p, salt, hash] = stored.split('$');
  if (kind !== 'scrypt' || hash === undefined) {
    throw fail(
      'STORAGE_FAILED',
      'the store holds a hash of a secret that this program cannot read',
    );
  }
  const cost = { N: 2 ** Number(log2), r: Number(r), p: Number(p) };
  const wanted = Buffer.from(hash, 'base64url');
  const found = await derive(secret, Buffer.from(salt!, 'base64url'), cost);
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

function derive(secret: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N! * cost.r! };
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

export class SecretChecker {
  /** Random for each process, so that remembered values are useless elsewhere. */
  private readonly key = randomBytes(32);
  /** The stored hash that a secret matched, by keyed hash of client and secret. */
  private readonly remembered = new Lru<string, string>(REMEMBERED_MAX);
  private readonly underWay = new Map<string, Promise<boolean>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  /**
   * Checked in place of missing hashes, for unknown clients and for clients with one secret, so
   * that all checks take equally long.
   */
  private readonly nobody = hashSecret(newSecret());

  /**
   * True without slow work if this process verified this secret before, and its hash is still among
   * `hashes`.
   */
  remembers(clientId: string, secret: string, hashes: readonly string[]): boolean {
    const known = this.remembered.get(this.markOf(clientId, secret));
    return known !== undefined && hashes.includes(known);
  }

  /**
   * `hashes` undefined: the client is unknown. Rejects with STAKING_BUSY when too many checks wait.
   */
  async check(
    clientId: string,
    secret: string,
    hashes: readonly string[] | undefined,
  ): Promise<boolean> {
    // scrypt does not distinguish a text from the same text followed by zeros.
    if (secret.length > SECRET_CHARACTERS_MAX || secret.includes('\0')) return false;
    const mark = this.markOf(clientId, secret);
    const held = this.underWay.get(mark);
    if (held) return held;
    const checking = this.checkSlowly(mark, secret, hashes).finally(() => {
      this.underWay.delete(mark);
    });
    this.underWay.set(mark, checking);
    return checking;
  }

  private async checkSlowly(
    mark: string,
    secret: string,
    hashes: readonly string[] = [],
  ): Promise<boolean> {
    await this.turn();
    try {
      const missing = Math.max(0, LIVE_SECRETS_MAX - hashes.length);
      const candidates = [...hashes, ...Array<string>(missing).fill(await this.nobody)];
      let found: string | undefined;
      for (const hash of candidates) if (await matches(secret, hash)) found = hash;
      if (found === undefined || !hashes.includes(found)) return false;
      this.remembered.set(mark, found);
      return true;
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  private async turn(): Promise<void> {
    if (this.running >= RUNNING_MAX) {
      if (this.waiting.length >= WAITING_MAX) {
        throw fail('STAKING_BUSY', 'too many secrets are being checked');
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.running++;
  }

  private markOf(clientId: string, secret: string): string {
    const length = Buffer.byteLength(clientId);
    return createHmac('sha256', this.key).update(`${length}:${clientId}${secret}`).digest('base64');
  }
}
