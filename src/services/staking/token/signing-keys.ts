/**
 * Keys that sign tokens. A new key is published first, and signs only when clients have had time to
 * fetch it; an old one is published until its last token has expired. Private parts are encrypted
 * in the store.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWSHeaderParameters,
} from 'jose';
import { fail } from '../../../core/base/errors.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';

export const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const RSA_BITS = 2048;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A time long ago, so that setting a clock back cannot make the key valid again. */
const WITHDRAWN_AT = 0;

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: Algorithm;
  readonly publicJwk: JWK;
  readonly publicKey: KeyObject;
  readonly privateKey: CryptoKey;
  readonly createdAt: number;
  /** The key signs from this time on, until a newer one does. */
  readonly activeAt: number;
  /** The key is published until this time; undefined: no end is set. */
  readonly retiredAt: number | undefined;
}

export class SigningKeys {
  private readonly database: Database;
  private readonly seal: Buffer;
  private keys: readonly SigningKey[] = [];

  /** `seal`: 32 bytes. */
  constructor(database: Database, seal: Buffer) {
    this.database = database;
    this.seal = seal;
  }

  /** Throws STAKING_SECRET_INVALID when the store was encrypted with a different secret. */
  async refresh(): Promise<void> {
    this.keys = await readKeys(this.database, this.seal);
  }

  /**
   * The key that signs. Undefined: there is none yet. If the clock is set back to before the first
   * key, that one signs.
   */
  current(nowMs: number): SigningKey | undefined {
    const live = this.live(nowMs);
    return live.filter(({ activeAt }) => activeAt <= nowMs).at(-1) ?? live[0];
  }

  newest(): SigningKey | undefined {
    return this.keys.at(-1);
  }

  /** The published keys. */
  published(nowMs: number): { readonly keys: readonly JWK[] } {
    return { keys: this.live(nowMs).map(({ publicJwk }) => publicJwk) };
  }

  /**
   * In the form that `jwtVerify` of jose calls: a key verifies only its own algorithm. Rejects with
   * JWKSNoMatchingKey.
   */
  find(header: JWSHeaderParameters, nowMs: number): KeyObject {
    const found = this.live(nowMs).find(
      ({ kid, algorithm }) => kid === header.kid && algorithm === header.alg,
    );
    if (!found) throw new errors.JWKSNoMatchingKey();
    return found.publicKey;
  }

  /** Whether tokens of that key are valid. */
  isLive(keyId: string, nowMs: number): boolean {
    return this.live(nowMs).some(({ kid }) => kid === keyId);
  }

  private live(nowMs: number): readonly SigningKey[] {
    return this.keys.filter(({ retiredAt }) => retiredAt === undefined || retiredAt > nowMs);
  }
}

export interface RotationPlan {
  readonly algorithm: Algorithm;
  readonly nowMs: number;
  /** Time that clients have to fetch the new key before it signs. */
  readonly leadMs: number;
  /** How long tokens of the old keys stay valid. */
  readonly tokenMs: number;
  /** Whether the old keys are revoked, with all their tokens. */
  readonly revokesOld?: boolean;
}

/** Call inside a transaction. The id of the key that signs last. */
export async function newestKey(query: Query): Promise<string | undefined> {
  const [row] = await query(
    'SELECT kid FROM signing_key ORDER BY active_at DESC, created_at DESC LIMIT 1',
  );
  return row && String(row.kid);
}

/**
 * Call inside a transaction. Returns the new key's id. Throws STAKING_SECRET_INVALID if the stored
 * keys were encrypted with another secret: with mixed secrets no instance could start.
 */
export async function rotateKeys(query: Query, seal: Buffer, plan: RotationPlan): Promise<string> {
  const { algorithm, nowMs, leadMs } = plan;
  for (const row of await query('SELECT kid, sealed FROM signing_key')) secretOf(row, seal);
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_BITS });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const published = { ...publicJwk, kid, alg: algorithm, use: 'sig' };
  const activeAt = nowMs + leadMs;
  await retireOthers(query, activeAt, plan);
  const secret = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)));
  await query(
    `INSERT INTO signing_key (kid, algorithm, public_jwk, sealed, created_at, active_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [kid, algorithm, JSON.stringify(published), sealed(seal, secret, kid), nowMs, activeAt],
  );
  return kid;
}

async function retireOthers(query: Query, activeAt: number, plan: RotationPlan): Promise<void> {
  const { tokenMs, revokesOld } = plan;
  // A key that is due later than the new one would replace it: makes it due just before the new
  // one.
  await query('UPDATE signing_key SET active_at = $1 WHERE active_at > $1', [activeAt - 1]);
  if (revokesOld) {
    await query(
      'UPDATE signing_key SET retired_at = $1 WHERE retired_at IS NULL OR retired_at > $1',
      [WITHDRAWN_AT],
    );
    return;
  }
  await query('UPDATE signing_key SET retired_at = $1 WHERE retired_at IS NULL', [
    activeAt + tokenMs,
  ]);
}

/** All keys, in the order in which they sign. Throws STAKING_SECRET_INVALID. */
async function readKeys(database: Database, seal: Buffer): Promise<readonly SigningKey[]> {
  const rows = await database.query('SELECT * FROM signing_key ORDER BY active_at, created_at');
  return Promise.all(rows.map((row) => keyOf(row, seal)));
}

async function keyOf(row: Row, seal: Buffer): Promise<SigningKey> {
  const kid = String(row.kid);
  const algorithm = String(row.algorithm) as Algorithm;
  const publicJwk = JSON.parse(String(row.public_jwk)) as JWK;
  const secret = secretOf(row, seal);
  return {
    kid,
    algorithm,
    publicJwk,
    publicKey: createPublicKey({ key: publicJwk as never, format: 'jwk' }),
    // Imported once, because the library would import it for each signature.
    privateKey: (await importJWK(secret, algorithm)) as CryptoKey,
    createdAt: Number(row.created_at),
    activeAt: Number(row.active_at),
    retiredAt: row.retired_at === null ? undefined : Number(row.retired_at),
  };
}

function secretOf({ kid, sealed: box }: Row, seal: Buffer): JWK {
  return JSON.parse(unsealed(seal, Buffer.from(box as Uint8Array), String(kid))) as JWK;
}

/** nonce ‖ tag ‖ ciphertext, bound to the key's id. */
function sealed(seal: Buffer, secret: Buffer, kid: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, seal, nonce).setAAD(Buffer.from(kid));
  const content = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

function unsealed(seal: Buffer, box: Buffer, kid: string): string {
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, seal, box.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(kid))
      .setAuthTag(box.subarray(NONCE_BYTES, tagEnd));
    return Buffer.concat([decipher.update(box.subarray(tagEnd)), decipher.final()]).toString();
  } catch (cause) {
    throw fail(
      'STAKING_SECRET_INVALID',
      'the signing keys in the store were sealed with another secret: give this instance the secret file they were made with, or restore it from a backup',
      { cause },
    );
  }
}
