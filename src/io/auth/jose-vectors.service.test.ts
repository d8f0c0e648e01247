/**
 * Published signatures under the key sets and the algorithms that the services accept: RFC 7515,
 * 8037 and 7638, and public suites where they are present.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, compactVerify, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  OWN_VECTORS,
  publicVectorsFor,
  READS_PUBLIC_VECTORS,
  readJson,
} from '../../../test/vectors/folders.ts';
import { keySet } from './authorization-server.ts';
import { KeyRing } from './key-ring.ts';
import { PUBLIC_KEY_ALGORITHMS, TokenChecker } from './token-checker.ts';

const RFC = readJson(join(OWN_VECTORS, 'jose/rfc.json'));
const TRUST = { isUnchecked: false, certificates: [] };
/** A time before the RFC's tokens expire, in 2011. */
const NOW_MS = RFC.claims.exp * 1000 - 60_000;
const clock = { nowMs: () => NOW_MS };

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-jose-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function keyFile(...keys: readonly JWK[]): string {
  const file = join(folder, `${files++}.json`);
  writeFileSync(file, JSON.stringify({ keys }));
  return file;
}

/** The signed text; undefined: refused. */
async function verified(compact: string, ...keys: readonly JWK[]): Promise<string | undefined> {
  const ring = new KeyRing(keySet({ place: keyFile(...keys), trust: TRUST }), clock);
  try {
    const options = { algorithms: [...PUBLIC_KEY_ALGORITHMS] };
    return Buffer.from((await compactVerify(compact, ring.find, options)).payload).toString();
  } catch {
    return undefined;
  }
}

async function verdict(compact: string, ...keys: readonly JWK[]): Promise<string> {
  const checker = new TokenChecker({
    rules: {
      issuers: ['joe'],
      audience: undefined,
      scopeField: 'scope',
      keys: { place: keyFile(...keys), trust: TRUST },
      introspection: undefined,
      prefersIntrospection: false,
      cache: { entriesMax: 0, seconds: 1 },
    },
    clock,
    log: () => undefined,
  });
  const said = await checker.check(`Bearer ${compact}`);
  checker.close();
  return said.kind === 'token' ? 'taken' : said.cause;
}

/** The same token with one bit of one of its parts flipped. */
function turned(compact: string, at: number, bit: number): string {
  return compact
    .split('.')
    .map((each, index) => {
      const bytes = Buffer.from(each, 'base64url');
      if (index === at && bytes.length > 0) bytes[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7);
      return bytes.toString('base64url');
    })
    .join('.');
}

const ALL_KEYS: readonly JWK[] = [RFC.hs256.key, RFC.rs256.key, RFC.es256.key, RFC.eddsa.key];

describe.each(['rs256', 'es256'])('RFC 7515, appendix A: %s', (name) => {
  const { compact, key } = RFC[name];

  it('is taken, under its key and under a set of keys', async () => {
    expect(JSON.parse((await verified(compact, key))!)).toEqual(RFC.claims);
    expect(await verdict(compact, key)).toBe('taken');
    expect(await verdict(compact, key, RFC.eddsa.key)).toBe('taken');
  });

  it('is refused with a bit turned, wherever, and under another key', async () => {
    for (let bit = 0; bit < 512; bit += 37) {
      for (const at of [0, 1, 2]) {
        expect(await verdict(turned(compact, at, bit), key)).toBe('invalid');
      }
    }
    const others = ALL_KEYS.filter((each) => each !== key);
    expect(await verdict(compact, ...others)).toBe('invalid');
    expect(await verdict(compact, { ...key, use: 'enc' })).toBe('invalid');
    expect(await verdict(compact, { ...key, key_ops: ['sign'] })).toBe('invalid');
    expect(await verdict(compact, { ...key, alg: 'PS256' })).toBe('invalid');
  });
});

it.each(['hs256', 'none'])(
  'RFC 7515, appendix A: %s is refused, whatever keys there are',
  async (name) => {
    const { compact } = RFC[name];
    expect(await verified(compact, ...ALL_KEYS)).toBeUndefined();
    expect(await verdict(compact, ...ALL_KEYS)).toBe('invalid');
    if (name === 'hs256') expect(await verdict(compact, RFC.hs256.key)).toBe('invalid');
  },
);

it('RFC 8037, appendix A.4: EdDSA', async () => {
  const { compact, key, payload, thumbprint } = RFC.eddsa;
  const { d: _, ...open } = key;
  expect(await verified(compact, open)).toBe(payload);
  for (let bit = 0; bit < 512; bit += 23) {
    for (const at of [0, 1, 2])
      expect(await verified(turned(compact, at, bit), open)).toBeUndefined();
  }
  // It is not a JSON web token: it contains no claims.
  expect(await verdict(compact, open)).toBe('invalid');
  expect(await calculateJwkThumbprint(open)).toBe(thumbprint);
});

it('RFC 7638, section 3.1: the thumbprint', async () => {
  const { key, thumbprint } = RFC.thumbprint;
  expect(await calculateJwkThumbprint(key)).toBe(thumbprint);
  const members = JSON.stringify({ e: key.e, kty: key.kty, n: key.n });
  expect(createHash('sha256').update(members).digest('base64url')).toBe(thumbprint);
});

describe('public suites', READS_PUBLIC_VECTORS, () => {
  /**
   * Valid in Wycheproof, and refused here: the key is symmetric, or its `alg` is not that of the
   * signature.
   */
  const REFUSED_HERE = /^(Figure20|Figure27|Figure35)$/;

  it('Wycheproof: signatures', async (context) => {
    const { testGroups } = readJson(
      join(publicVectorsFor(context), 'public/crypto/wycheproof/json_web_signature_test.json.gz'),
    );
    const counts = { taken: 0, refused: 0 };
    const wrong: string[] = [];
    for (const { comment, public: open, private: secret, tests } of testGroups) {
      const key = open ?? secret;
      for (const { tcId, comment: name, jws, result } of tests) {
        const compact = typeof jws === 'string' ? jws : JSON.stringify(jws);
        const taken = (await verified(compact, key)) !== undefined;
        counts[taken ? 'taken' : 'refused']++;
        const isWanted = result === 'valid' && key.kty !== 'oct' && !REFUSED_HERE.test(name);
        if (taken !== isWanted) wrong.push(`${tcId} ${comment} ${name}: ${taken}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(counts).toEqual({ taken: 32, refused: 369 });
  });

  it('Wycheproof: keys', async (context) => {
    const { testGroups } = readJson(
      join(publicVectorsFor(context), 'public/crypto/wycheproof/json_web_key_test.json.gz'),
    );
    const taken: string[] = [];
    for (const { public: open, private: secret, tests } of testGroups) {
      const keys: JWK[] = (open ?? secret).keys ?? [open ?? secret];
      for (const { tcId, comment, jws } of tests) {
        if ((await verified(jws, ...keys)) !== undefined) taken.push(`${tcId} ${comment}`);
      }
    }
    // An issuer's own key set is trusted not to contain keys from a weak generator.
    expect(taken).toEqual([
      '5 acceptsValid',
      '7 rejectsKeyWithRocaVulnerability',
      '9 rejectsPublicExponent1',
    ]);
  });

  it('the cookbook of RFC 7520', async (context) => {
    const cookbook = readJson(join(publicVectorsFor(context), 'public/jose/cookbook.json.gz'));
    const seen: string[] = [];
    for (const [name, entry] of Object.entries<any>(cookbook)) {
      const { compact } = entry.output ?? {};
      if (!/jws/.test(name) || typeof compact !== 'string') continue;
      const { d: _d, ...key } = entry.input.key;
      const said = await verified(compact, key);
      if (said !== undefined) {
        expect(said).toBe(entry.input.payload);
        seen.push(name);
        for (const at of [0, 1, 2])
          expect(await verified(turned(compact, at, 77), key)).toBeUndefined();
      }
    }
    expect(seen).toEqual([
      'curve25519/jws',
      'jws/4_1.rsa_v15_signature',
      'jws/4_2.rsa-pss_signature',
      'jws/4_3.ecdsa_signature',
    ]);
  });
});
