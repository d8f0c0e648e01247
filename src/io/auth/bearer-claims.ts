/**
 * Claims of bearer tokens: JSON web tokens signed by keys of the issuer's key set, one public key,
 * or a shared secret.
 */

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import { fail } from '../../core/base/errors.ts';
import { Lru } from '../../core/base/lru.ts';
import type { Clock, Log } from '../../core/base/ports.ts';
import { isWithin } from '../host/clock.ts';
import { reasonOf } from '../host/reason.ts';
import { type Claims, keySet } from './authorization-server.ts';
import { KeyRing } from './key-ring.ts';
import { PUBLIC_KEY_ALGORITHMS, TOKEN_CHARACTERS_MAX } from './token-checker.ts';

const SECRET_ALGORITHMS = ['HS256'];
const SECRET_BYTES_MIN = 32;
const KNOWN_MAX = 1_000;
/** How long a valid token is not checked again; a withdrawn key takes effect after this time. */
const KNOWN_MS = 60_000;
const PEM = /-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----/;

export interface BearerRules {
  /** URL or file of a JSON web key set, or file of a public key or certificate (PEM). */
  readonly keys: string | undefined;
  /** File that contains a secret in hex. */
  readonly secretFile: string | undefined;
  /** Accepted issuers; empty: any. */
  readonly issuers: readonly string[];
  readonly audience: string | undefined;
}

export type ClaimsVerdict =
  | { readonly kind: 'claims'; readonly claims: Claims; readonly untilMs: number }
  | { readonly kind: 'refused'; readonly why: string };

type Verify = (token: string, options: JWTVerifyOptions) => Promise<{ payload: Claims }>;

export class BearerClaims {
  private readonly rules: BearerRules;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly verify: Verify;
  private readonly algorithms: readonly string[];
  private readonly ring: KeyRing | undefined;
  /** Keyed by the token's hash, so that the token itself is not kept. */
  private readonly known = new Lru<string, { claims: Claims; sinceMs: number; expMs: number }>(
    KNOWN_MAX,
  );

  /** Throws TOKEN_KEYS_INVALID. */
  constructor(rules: BearerRules, clock: Clock, log: Log) {
    this.rules = rules;
    this.clock = clock;
    this.log = log;
    const { keys, secretFile } = rules;
    this.algorithms = secretFile === undefined ? PUBLIC_KEY_ALGORITHMS : SECRET_ALGORITHMS;
    if (secretFile !== undefined) {
      const secret = readSecret(secretFile);
      this.verify = (token, options) => jwtVerify(token, secret, options);
      return;
    }
    const key = publicKey(keys!);
    if (key) {
      this.verify = (token, options) => jwtVerify(token, key, options);
      return;
    }
    const ring = new KeyRing(keySet({ place: keys!, trust: SYSTEM_TRUST }), clock);
    this.ring = ring;
    this.verify = (token, options) => jwtVerify(token, ring.find, options);
  }

  /** Takes the value of the `Authorization` header. Never rejects. */
  async check(authorization: string | undefined): Promise<ClaimsVerdict> {
    if (authorization === undefined || authorization === '') return refused('missing access token');
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (token === undefined || token.length > TOKEN_CHARACTERS_MAX)
      return refused('unsupported token type');
    const nowMs = this.clock.nowMs();
    const key = createHash('sha256').update(token).digest('base64');
    const held = this.known.get(key);
    if (held && nowMs >= held.expMs) return refused('token expired');
    if (held && isWithin(KNOWN_MS, held.sinceMs, nowMs))
      return { kind: 'claims', claims: held.claims, untilMs: held.expMs };
    try {
      const { payload } = await this.verify(token, this.verifyOptions(nowMs));
      const expMs = Number(payload.exp) * 1000;
      this.known.set(key, { claims: payload, sinceMs: nowMs, expMs });
      return { kind: 'claims', claims: payload, untilMs: expMs };
    } catch (error) {
      return this.refuse(error as Error);
    }
  }

  close(): void {
    this.ring?.close();
  }

  private verifyOptions(nowMs: number): JWTVerifyOptions {
    const { issuers, audience } = this.rules;
    return {
      algorithms: [...this.algorithms],
      requiredClaims: ['exp'],
      currentDate: new Date(nowMs),
      ...(issuers.length > 0 ? { issuer: [...issuers] } : {}),
      ...(audience === undefined ? {} : { audience }),
    };
  }

  private refuse(error: Error): ClaimsVerdict {
    if (error instanceof errors.JWTExpired) return refused('token expired');
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return refused('invalid token');
    this.log('error', 'Access tokens cannot be checked', { err: error.message });
    return refused('internal error');
  }
}

const SYSTEM_TRUST = { isUnchecked: false, certificates: [] };

/** The public key in a file; undefined: `place` holds a key set. */
function publicKey(place: string): KeyObject | undefined {
  if (/^https?:/.test(place)) return undefined;
  const text = readText(place.replace(/^file:\/\//, ''), 'keys');
  if (text.includes('PRIVATE KEY-----'))
    throw invalid(`${place} holds a private key: use the public key`);
  if (!PEM.test(text)) return undefined;
  try {
    return createPublicKey(text);
  } catch {
    throw invalid(`${place} holds no public key that can be read`);
  }
}

function readSecret(path: string): Uint8Array {
  const text = readText(path, 'secret').trim().replace(/^0x/i, '');
  if (!/^([0-9a-f]{2})+$/i.test(text) || text.length < 2 * SECRET_BYTES_MIN)
    throw invalid(`${path} must hold a secret of ${SECRET_BYTES_MIN} bytes or more in hex`);
  return Buffer.from(text, 'hex');
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid(`cannot read the token ${what} at ${path}: ${reasonOf(cause)}`);
  }
}

function invalid(message: string): Error {
  return fail('TOKEN_KEYS_INVALID', message);
}

function refused(why: string): ClaimsVerdict {
  return { kind: 'refused', why };
}
