/**
 * Plays the authorization server: makes a key once, writes the public half as a key set, and prints a token with the scopes
 * given. For trying things out; in production the token comes from your own server (Keycloak, Hydra, Entra, Auth0, ...).
 *
 *   node access-token.mjs <key set file> <seconds> <scope>...
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [keySet, seconds, ...scopes] = process.argv.slice(2);
if (!keySet || !Number(seconds) || scopes.length === 0) {
  console.error('usage: node access-token.mjs <key set file> <seconds> <scope>...');
  process.exit(1);
}

const secretFile = `${keySet}.private.pem`;
if (!existsSync(secretFile)) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(secretFile, pem, { mode: 0o600 });
}
const key = createPrivateKey(readFileSync(secretFile));
const jwk = createPublicKey(key).export({ format: 'jwk' });
writeFileSync(keySet, JSON.stringify({ keys: [{ ...jwk, alg: 'ES256', use: 'sig' }] }));

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const exp = Math.floor(Date.now() / 1000) + Number(seconds);
const content = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode({ exp, scope: scopes.join(' ') })}`;
const seal = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
console.log(`${content}.${seal.toString('base64url')}`);
