/** Payloads and locked keys from Tessera's tests, and NaCl boxes. */

import { join } from 'node:path';
import { fromBase64 } from '../../src/core/base/base64.ts';
import { equalBytes } from '../../src/core/base/bytes.ts';
import { bareHex, fromHex } from '../../src/core/base/hex.ts';
import type { EnclaveCrypto } from '../../src/core/payload/enclave-crypto.ts';
import { parseKeyFile } from '../../src/core/payload/key-file.ts';
import { decodePayload } from '../../src/core/payload/payload-decode.ts';
import { encodeLegacy } from '../../src/core/payload/payload-legacy.ts';
import { openKeyFile } from '../../src/io/sodium/key-lock.ts';
import { loadEnclaveCrypto } from '../../src/io/sodium/nacl.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

export const tesseraVectors: VectorKind = {
  name: 'tessera',
  find: (root) => [
    ...filesBelow(join(root, 'public/tessera'), (path) => path.endsWith('.json')),
    ...filesBelow(join(root, 'public/crypto/nacl'), (path) => path.endsWith('box.json')),
  ],
  async run(file, report) {
    const content = readJson(file);
    const crypto = await loadEnclaveCrypto();
    const name = file.slice(file.lastIndexOf('/') + 1);
    switch (name) {
      case 'encoded-payload-legacy.json':
        for (const one of content.cases) payloadCase(one, crypto, report);
        return;
      case 'locked-key.json':
        return lockedKey(content, crypto, report, content.publicKeyDerived, name);
      case 'locked-keys-light.json':
        for (const [i, one] of content.cases.entries()) {
          await lockedKey(one, crypto, report, one.publicKey, `${name} ${i}`);
        }
        return;
      case 'box.json':
        for (const [i, one] of content.cases.entries()) {
          const shared = crypto.sharedKey(fromBase64(one.publicKey), fromBase64(one.secretKey));
          boxCase({ ...one, nonce: new Uint8Array(24) }, shared, crypto, report, `box ${i}`);
        }
        return;
      case 'secretbox.json':
        for (const [i, one] of content.cases.entries()) {
          boxCase(
            { ...one, nonce: fromBase64(one.nonce) },
            fromBase64(one.key),
            crypto,
            report,
            `secretbox ${i}`,
          );
        }
        return;
      default:
        throw new Error(`no reader for ${file}`);
    }
  },
};

function check(report: Report, name: string, ok: boolean, why: string): void {
  if (ok) report.pass(name);
  else report.fail(name, why);
}

function payloadCase(one: any, crypto: EnclaveCrypto, report: Report): void {
  const input = fromHex(one.hex);
  const payload = decodePayload(input);
  const { decoded } = one;
  const same =
    equalBytes(payload.senderKey, fromBase64(decoded.senderKey)) &&
    equalBytes(payload.cipherText, fromBase64(decoded.cipherText)) &&
    equalBytes(payload.cipherTextNonce, fromBase64(decoded.cipherTextNonce)) &&
    equalBytes(payload.recipientNonce, fromBase64(decoded.recipientNonce)) &&
    sameList(payload.recipientBoxes, decoded.recipientBoxes) &&
    sameList(payload.recipientKeys, decoded.recipientKeys);
  check(report, `${one.name}: parts`, same, 'decoded parts differ');
  const digest = bareHex(crypto.digest(payload.cipherText));
  check(report, `${one.name}: hash`, digest === one.digestSha3_512, digest);
  // These bytes are older than privacy modes: ours have more fields at the end, and may contain an
  // empty list of keys.
  const again = encodeLegacy(payload).subarray(0, input.length);
  check(report, `${one.name}: bytes`, equalBytes(again, input), bareHex(again));
}

function sameList(ours: readonly Uint8Array[], theirs: readonly string[]): boolean {
  return (
    ours.length === theirs.length &&
    ours.every((item, i) => equalBytes(item, fromBase64(theirs[i]!)))
  );
}

async function lockedKey(
  one: any,
  crypto: EnclaveCrypto,
  report: Report,
  publicKey: string,
  name: string,
): Promise<void> {
  const secretKey = await openKeyFile(parseKeyFile(one.locked), one.password, crypto);
  check(
    report,
    `${name}: secret key`,
    equalBytes(secretKey, fromBase64(one.privateKey)),
    'decrypts to another key',
  );
  check(
    report,
    `${name}: public key`,
    equalBytes(crypto.publicKey(secretKey), fromBase64(publicKey)),
    'decrypts to another key',
  );
}

function boxCase(
  one: { nonce: Uint8Array; message: string; box: string },
  key: Uint8Array | undefined,
  crypto: EnclaveCrypto,
  report: Report,
  name: string,
): void {
  const sealed = key && crypto.seal(fromBase64(one.message), one.nonce, key);
  check(
    report,
    `${name}: sealed`,
    sealed !== undefined && equalBytes(sealed, fromBase64(one.box)),
    'another box',
  );
  const opened = key && crypto.open(fromBase64(one.box), one.nonce, key);
  check(
    report,
    `${name}: opened`,
    opened !== undefined && equalBytes(opened, fromBase64(one.message)),
    'another message',
  );
}
