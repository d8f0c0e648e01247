/** A staking service, a token that it issued, and functions to forge similar tokens. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { SigningKey } from '../../src/services/staking/token/signing-keys.ts';
import { forge, ownSigningKey, sealWith } from './forged-tokens.ts';
import { AUDIENCE, postJson, startTestStaking, type TestStaking } from './staking.ts';

export interface Scene {
  readonly staking: TestStaking;
  readonly proof: { readonly client_id: string; readonly client_secret: string };
  readonly key: SigningKey;
  readonly good: string;
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  /** Signs with the service's own key; members are replaced or, if undefined, omitted. */
  own(claims?: object, header?: object): string;
  readonly stranger: KeyObject;
}

function strangersKey(algorithm: string): KeyObject {
  switch (algorithm) {
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    default:
      return generateKeyPairSync('ed25519').privateKey;
  }
}

export async function newScene(algorithm: string): Promise<Scene> {
  const staking = await startTestStaking(['--auth.algorithm', algorithm, '--auth.rate', '10000']);
  const client = await staking.running.admin.addClient({
    name: 'test',
    audiences: [AUDIENCE],
    scopes: ['stake:read'],
    mayIntrospect: true,
  });
  await staking.running.refresh();
  const proof = { client_id: client.clientId, client_secret: client.clientSecret };
  const grant = { ...proof, audience: AUDIENCE, grant_type: 'client_credentials' };
  const good = (await postJson(`${staking.url}/oauth/token`, grant)).body.access_token as string;
  const [header, claims] = good
    .split('.')
    .slice(0, 2)
    .map((each) => JSON.parse(Buffer.from(each, 'base64url').toString()));
  const key = await ownSigningKey(staking);
  const own = (changed: object = {}, head: object = {}) =>
    forge({ ...header, ...head }, { ...claims, ...changed }, sealWith(algorithm, key.privateKey));
  const stranger = strangersKey(algorithm);
  return { staking, proof, key, good, header, claims, own, stranger };
}
