/** Which key signs, and which keys are published, during overlapping rotations. */
import { createHash, KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../io/database/database.ts';
import { openStakingStore } from '../store/open.ts';
import { rotateKeys, SigningKeys } from './signing-keys.ts';

const MINUTE_MS = 60_000;
const LEAD_MS = 10 * MINUTE_MS;
const TOKEN_MS = 60 * MINUTE_MS;
const START_MS = 1_800_000_000_000;
const SEAL = randomBytes(32);

let folder: string;
let database: Database;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-keys-'));
  const source = { dataFolder: folder, storeUrl: undefined, secretFile: undefined };
  database = await openStakingStore(source, {});
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function newKeys() {
  await database.query('DELETE FROM signing_key');
  const keys = new SigningKeys(database, SEAL);
  const rotate = async (nowMs: number, leadMs: number) => {
    const plan = { algorithm: 'EdDSA', nowMs, leadMs, tokenMs: TOKEN_MS } as const;
    const kid = await database.transaction((query) => rotateKeys(query, SEAL, plan));
    await keys.refresh();
    return kid;
  };
  const signer = (minutes: number) => keys.current(START_MS + minutes * MINUTE_MS)?.kid;
  const published = (minutes: number) =>
    keys.published(START_MS + minutes * MINUTE_MS).keys.map(({ kid }) => kid);
  return { keys, rotate, signer, published };
}

it('a key that signs at once takes the place of one that still waits for its time', async () => {
  const { rotate, signer, published } = await newKeys();
  const first = await rotate(START_MS, 0);
  const waiting = await rotate(START_MS + MINUTE_MS, LEAD_MS);
  expect([signer(2), published(2)]).toEqual([first, [first, waiting]]);
  const now = await rotate(START_MS + 5 * MINUTE_MS, 0);
  for (const minutes of [5, 11, 12, 64, 66, 1_000]) {
    expect(signer(minutes)).toBe(now);
    expect(published(minutes)).toContain(now);
  }
  // Tokens of the first key stay valid until they expire; then only the newest key is left.
  expect(published(64)).toContain(first);
  expect(published(72)).toEqual([now]);
});

it('keys stand in the order in which they were made, though a clock was behind', async () => {
  const { rotate, signer } = await newKeys();
  await rotate(START_MS, 0);
  const second = await rotate(START_MS - MINUTE_MS, 0);
  expect(signer(1)).toBe(second);
});

it('the first key signs where the clock was set back to before it', async () => {
  const { rotate, signer, published } = await newKeys();
  const first = await rotate(START_MS, 0);
  await rotate(START_MS + MINUTE_MS, LEAD_MS);
  expect(signer(-60)).toBe(first);
  expect(published(-60)).toContain(first);
});

it('a withdrawn key stays withdrawn when the clock is set back', async () => {
  const { keys, rotate, signer, published } = await newKeys();
  const leaked = await rotate(START_MS, 0);
  const plan = { algorithm: 'EdDSA', nowMs: START_MS + 90 * MINUTE_MS, leadMs: 0 } as const;
  const next = await database.transaction((query) =>
    rotateKeys(query, SEAL, { ...plan, tokenMs: TOKEN_MS, revokesOld: true }),
  );
  await keys.refresh();
  for (const minutes of [30, 91]) {
    expect(published(minutes)).toEqual([next]);
    expect(signer(minutes)).toBe(next);
    expect(keys.isLive(leaked, START_MS + minutes * MINUTE_MS)).toBe(false);
  }
});

it('names a key by its thumbprint, and seals its private part', async () => {
  const { keys, rotate } = await newKeys();
  const kid = await rotate(START_MS, 0);
  const [jwk] = keys.published(START_MS).keys;
  const members = JSON.stringify({ crv: jwk!.crv, kty: jwk!.kty, x: jwk!.x });
  expect(kid).toBe(createHash('sha256').update(members).digest('base64url'));
  expect(jwk).not.toHaveProperty('d');
  const secret = KeyObject.from(keys.current(START_MS)!.privateKey).export({ format: 'jwk' }).d!;
  const [row] = await database.query('SELECT * FROM signing_key');
  const sealed = Buffer.from(row!.sealed as Uint8Array);
  for (const form of [Buffer.from(secret), Buffer.from(secret, 'base64url')]) {
    expect(sealed.includes(form)).toBe(false);
  }
  await expect(new SigningKeys(database, randomBytes(32)).refresh()).rejects.toMatchObject({
    code: 'STAKING_SECRET_INVALID',
  });
  // An encrypted private part is invalid when it is moved to another key.
  await database.query("UPDATE signing_key SET kid = 'other'");
  await expect(keys.refresh()).rejects.toMatchObject({ code: 'STAKING_SECRET_INVALID' });
});

it('takes no key that was sealed with another secret: nobody could start with it', async () => {
  const { keys, rotate, signer } = await newKeys();
  const first = await rotate(START_MS, 0);
  const plan = { algorithm: 'EdDSA', nowMs: START_MS, leadMs: 0, tokenMs: TOKEN_MS } as const;
  const foreign = database.transaction((query) => rotateKeys(query, randomBytes(32), plan));
  await expect(foreign).rejects.toMatchObject({ code: 'STAKING_SECRET_INVALID' });
  await keys.refresh();
  expect(signer(0)).toBe(first);
});

it('whatever the rotations: who signs is published, and was for as long as the lead; a token outlives no key', async () => {
  const rotation = fc.record({ afterMinutes: fc.nat(90), isNow: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(rotation, { minLength: 1, maxLength: 5 }), async (rotations) => {
      const { rotate, signer, published } = await newKeys();
      const made = new Map([[await rotate(START_MS, 0), { at: 0, isNow: true }]]);
      let at = 0;
      for (const { afterMinutes, isNow } of rotations) {
        for (let minute = at; minute < at + afterMinutes; minute += 7) check(minute);
        at += afterMinutes;
        const kid = await rotate(START_MS + at * MINUTE_MS, isNow ? 0 : LEAD_MS);
        made.set(kid, { at, isNow });
        if (isNow) expect(signer(at)).toBe(kid);
      }
      for (let minute = at; minute < at + 200; minute += 7) check(minute);
      function check(minute: number): void {
        const kid = signer(minute)!;
        const { at: since, isNow } = made.get(kid)!;
        if (!isNow) expect(minute - since).toBeGreaterThanOrEqual(LEAD_MS / MINUTE_MS);
        for (const later of [0, 30, 59]) expect(published(minute + later)).toContain(kid);
      }
    }),
    { numRuns: 40 },
  );
});
