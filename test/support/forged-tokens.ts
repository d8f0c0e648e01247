/** Forged tokens: signed with a service's own key, or with keys that an attacker has. */
import {
  createHmac,
  createSign,
  KeyObject,
  type SignKeyObjectInput,
  sign as signOnce,
} from 'node:crypto';
import { openStakingStore, readSecret } from '../../src/services/staking/store/open.ts';
import { type SigningKey, SigningKeys } from '../../src/services/staking/token/signing-keys.ts';
import type { TestStaking } from './staking.ts';

type Members = Readonly<Record<string, unknown>>;

/** The service's current signing key with its private part, read from its store. */
export async function ownSigningKey({ folder, clock }: TestStaking): Promise<SigningKey> {
  const source = { dataFolder: folder, storeUrl: undefined, secretFile: undefined };
  const database = await openStakingStore(source, {});
  const keys = new SigningKeys(database, readSecret(source)('signing keys'));
  await keys.refresh();
  await database.close();
  return keys.current(clock.nowMs())!;
}

/** `header` and `claims` may be text, which is used unchanged. */
export function forge(
  header: Members | string,
  claims: Members | string,
  seal: (input: string) => Buffer,
): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${seal(input).toString('base64url')}`;
}

export function part(value: Members | string): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  );
}

/** Signs with this algorithm, whatever the header says. */
export function sealWith(
  algorithm: string,
  given: KeyObject | SigningKey['privateKey'],
): (input: string) => Buffer {
  const key = given instanceof KeyObject ? given : KeyObject.from(given);
  switch (algorithm) {
    case 'EdDSA':
      return (input) => signOnce(null, Buffer.from(input), key);
    case 'ES256': {
      const how: SignKeyObjectInput = { key, dsaEncoding: 'ieee-p1363' };
      return (input) => createSign('sha256').update(input).sign(how);
    }
    default:
      return (input) => createSign('sha256').update(input).sign(key);
  }
}

export function sealWithSecret(secret: string | Buffer): (input: string) => Buffer {
  return (input) => createHmac('sha256', secret).update(input).digest();
}
