/** Opens a key at its source and returns its signer. */
import { createHash } from 'node:crypto';
import { type Address, equalBytes } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { addressOfPublicKey } from '../../../core/base/secp256k1.ts';
import { type FailureSink, MemorySigner, SealedSigner } from '../../../io/keys/key-signer.ts';
import {
  openKeystoreFile,
  passwordStamp,
  readKeystoreSummary,
} from '../../../io/keys/keystore-file.ts';
import { parseSecretKey, readSecretKeyFile } from '../../../io/keys/secret-key.ts';
import type { Gate } from '../../../io/threads/parallel.ts';
import { fetchSecret, openRemote } from './cloud-keys.ts';
import type { Clouds } from './clouds.ts';
import type { KeyConfig, KeystoreKey } from './key-config.ts';
import type { LoadedKey } from './key-ring.ts';
import type { PublicKeyIndex } from './public-key-index.ts';

export interface KeyContext {
  /** Limits concurrent decryptions. */
  readonly gate: Gate;
  readonly publicKeys: PublicKeyIndex;
  readonly onFailure: FailureSink;
  readonly clouds: Clouds;
}

/**
 * `expected`: the account that the key must have. Rejects when the key cannot be loaded; the error
 * reveals nothing about the key.
 */
export async function openKey(
  config: KeyConfig,
  context: KeyContext,
  expected?: Address,
): Promise<LoadedKey> {
  const key = await open(config, context, expected);
  if (!expected || equalBytes(key.signer.address, expected)) return key;
  key.signer.forget();
  throw fail(
    'KEY_MISMATCH',
    `the key belongs to ${toHex(key.signer.address)}, but its file is named after ${toHex(expected)}`,
  );
}

async function open(
  config: KeyConfig,
  context: KeyContext,
  expected: Address | undefined,
): Promise<LoadedKey> {
  switch (config.kind) {
    case 'raw':
      return inMemory(parseSecretKey(config.hex), 'raw');
    case 'hexFile':
      return readSecretKeyFile(config.path).then((key) => inMemory(key, 'raw'));
    case 'keystore':
      return openKeystore(config, context, expected);
    case 'hashicorp':
    case 'azureSecret':
    case 'awsSecret':
      return inMemory(parseSecretKey(await fetchSecret(config, context.clouds)), config.kind);
    case 'azureKey':
    case 'awsKms':
    case 'gcpKms':
    case 'pkcs11':
      return openRemote(config, context.clouds, context.onFailure);
  }
}

/** The account identifies a key that was just read: with the same account it is unchanged. */
async function inMemory(secretKey: Uint8Array, origin: string): Promise<LoadedKey> {
  const signer = new MemorySigner(secretKey);
  return { signer, identity: `${origin}:${bareHex(signer.address)}` };
}

async function openKeystore(
  { path, password }: KeystoreKey,
  { gate, publicKeys, onFailure }: KeyContext,
  expected: Address | undefined,
): Promise<LoadedKey> {
  const summary = await readKeystoreSummary(path);
  const stamp = await passwordStamp(password);
  const publicKey = publicKeys.get(summary.contentHash);
  const remember = (found: Uint8Array) => publicKeys.set(summary.contentHash, found);
  const address = summary.address ?? (publicKey && addressOfPublicKey(publicKey)) ?? expected;
  if (!address) {
    // Neither the file nor its name states the account: the keystore must be decrypted.
    const opened = await gate.run(() => openKeystoreFile(path, password), false);
    const key = await inMemory(opened, `keystore:${summary.contentHash}`);
    remember(await key.signer.publicKey());
    return key;
  }
  const isOwn = publicKey !== undefined && equalBytes(addressOfPublicKey(publicKey), address);
  const signer = new SealedSigner(
    {
      address,
      publicKey: isOwn ? publicKey : undefined,
      open: rememberingRefusal(path, password),
      onPublicKey: remember,
      onFailure,
    },
    gate,
  );
  const content = `keystore\n${summary.contentHash}\n${password.path}\n${stamp}`;
  return { signer, identity: createHash('sha256').update(content).digest('base64url') };
}

/**
 * Remembers a wrong password until a file changes, so that repeated requests cause no useless key
 * derivation.
 */
function rememberingRefusal(
  path: string,
  password: KeystoreKey['password'],
): () => Promise<Uint8Array> {
  let refusal: { readonly error: unknown; readonly stamp: string } | undefined;
  const stampOf = async () =>
    `${await passwordStamp(password)} ${await passwordStamp({ ...password, path })}`;
  return async () => {
    const stamp = refusal && (await stampOf());
    if (refusal && stamp === refusal.stamp) throw refusal.error;
    refusal = undefined;
    try {
      return await openKeystoreFile(path, password);
    } catch (error) {
      if (hasCode(error, 'KEYSTORE_PASSWORD_WRONG')) refusal = { error, stamp: await stampOf() };
      throw error;
    }
  };
}
