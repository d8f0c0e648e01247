/** AWS KMS: keys that sign remotely, a single one or all of a region. */
import type { Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { signatureOfDer } from '../../core/signing/remote-signature.ts';
import { type AwsCall, type AwsService, awsErrorKind, awsRefused } from './aws-client.ts';
import { publicKeyOfDer } from './remote-public-key.ts';
import { missingSecret, type VaultAnswer } from './vault-types.ts';

export const KMS: AwsService = { name: 'kms', target: 'TrentService', title: 'AWS KMS' };
const KEY_SPEC = 'ECC_SECG_P256K1';
const PAGE_KEYS = 100;
const PAGES_MAX = 1000;
const TAGS_PAGE = 50;

type Fields = Readonly<Record<string, unknown>>;

/** The public key, 64 bytes. Throws VAULT_SECRET_MISSING, VAULT_REFUSED, KEY_CURVE_UNSUPPORTED. */
export async function kmsPublicKey(call: AwsCall, keyId: string): Promise<Uint8Array> {
  const { fields } = await good(call, 'GetPublicKey', { KeyId: keyId }, keyId);
  const spec = fields.KeySpec ?? fields.CustomerMasterKeySpec;
  if (spec !== KEY_SPEC || typeof fields.PublicKey !== 'string') {
    throw fail('KEY_CURVE_UNSUPPORTED', `AWS KMS: the key ${keyId} is not of spec ${KEY_SPEC}`);
  }
  return publicKeyOfDer(Buffer.from(fields.PublicKey, 'base64'));
}

/** The signature, r ‖ s. */
export async function kmsSign(call: AwsCall, keyId: string, digest: Hash32): Promise<Uint8Array> {
  const body = {
    KeyId: keyId,
    Message: Buffer.from(digest).toString('base64'),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
  };
  const { fields } = await good(call, 'Sign', body, keyId);
  return signatureOfDer(Buffer.from(String(fields.Signature), 'base64'));
}

/** Ids of all enabled keys of the right spec with all of `tags`. */
export async function kmsKeys(
  call: AwsCall,
  tags: Readonly<Record<string, string>>,
): Promise<string[]> {
  const ids = await pages(call, 'ListKeys', { Limit: PAGE_KEYS }, 'Keys');
  const found: string[] = [];
  for (const { KeyId: id } of ids) {
    if (typeof id === 'string' && (await isWanted(call, id, tags))) found.push(id);
  }
  return found;
}

async function isWanted(
  call: AwsCall,
  id: string,
  tags: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { fields } = await good(call, 'DescribeKey', { KeyId: id }, id);
  const about = (fields.KeyMetadata ?? {}) as Fields;
  const spec = about.KeySpec ?? about.CustomerMasterKeySpec;
  if (about.KeyState !== 'Enabled' || spec !== KEY_SPEC) return false;
  const wanted = Object.entries(tags);
  if (wanted.length === 0) return true;
  const rows = await pages(call, 'ListResourceTags', { KeyId: id, Limit: TAGS_PAGE }, 'Tags');
  return wanted.every(([name, value]) =>
    rows.some(({ TagKey, TagValue }) => TagKey === name && TagValue === value),
  );
}

async function pages(
  call: AwsCall,
  operation: string,
  body: object,
  list: string,
): Promise<Fields[]> {
  const all: Fields[] = [];
  let marker: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const asked = marker === undefined ? body : { ...body, Marker: marker };
    const { fields } = await good(call, operation, asked, 'the list of keys');
    if (Array.isArray(fields[list])) all.push(...(fields[list] as Fields[]));
    if (fields.Truncated !== true) return all;
    marker = fields.NextMarker;
  }
  throw fail('VAULT_FAILED', `AWS KMS: more than ${PAGES_MAX} pages of ${operation}`);
}

async function good(
  call: AwsCall,
  operation: string,
  body: object,
  what: string,
): Promise<VaultAnswer> {
  const answer = await call(operation, body);
  if (answer.status === 200) return answer;
  if (awsErrorKind(answer) === 'NotFoundException') throw missingSecret(KMS.title, what);
  throw awsRefused(KMS, `${operation} of ${what}`, answer);
}
