import { execFileSync } from 'node:child_process';
import { createECDH, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { keccak256 } from '../../core/base/keccak.ts';
import { recoverAddress } from '../../core/base/secp256k1.ts';
import { optionalPackage } from '../host/optional-package.ts';
import { RemoteSigner } from './key-signer.ts';
import { openPkcs11 } from './pkcs11.ts';

const LIBRARIES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];
const PIN = '483-canary';

/**
 * pkcs11js is not a dependency: operators with an HSM install it. undefined: nothing is missing.
 */
async function missing(): Promise<string | undefined> {
  if (!LIBRARIES.some(existsSync))
    return 'SoftHSM is not installed (Debian: apt-get install softhsm2)';
  return optionalPackage('pkcs11js', 'this test').then(
    () => undefined,
    (error: Error) => error.message,
  );
}

describe('a hardware security module', () => {
  it('signs with the keys inside of it (SoftHSM)', async ({ skip }) => {
    const lacks = await missing();
    if (lacks !== undefined) skip(lacks);
    const modulePath = LIBRARIES.find(existsSync)!;
    const folder = mkdtempSync(join(tmpdir(), 'softhsm-'));
    mkdirSync(join(folder, 'tokens'));
    const conf = join(folder, 'softhsm2.conf');
    writeFileSync(conf, `directories.tokendir = ${join(folder, 'tokens')}\nlog.level = ERROR\n`);
    vi.stubEnv('SOFTHSM2_CONF', conf);
    const util = (...args: string[]) =>
      execFileSync('softhsm2-util', args, {
        stdio: 'pipe',
        env: { ...process.env, SOFTHSM2_CONF: conf },
      });
    try {
      util('--init-token', '--free', '--label', 'quorate', '--pin', PIN, '--so-pin', '99999999');
      const put = (label: string, id: string, namedCurve: string) => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve });
        const file = join(folder, 'key.pem');
        writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
        util('--import', file, '--token', 'quorate', '--label', label, '--id', id, '--pin', PIN);
        return Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url');
      };
      const secretKey = put('alice', 'A1', 'secp256k1');
      put('alice', 'A2', 'secp256k1');
      put('curve', 'A3', 'prime256v1');
      const ecdh = createECDH('secp256k1');
      ecdh.setPrivateKey(secretKey);

      const place = { modulePath, tokenLabel: 'quorate', pin: async () => PIN, keyId: 'a1' };
      const module = await openPkcs11(place);
      expect(Buffer.from(module.publicKey)).toEqual(ecdh.getPublicKey().subarray(1));
      const signer = new RemoteSigner(module.publicKey, module.sign);
      const digests = Array.from({ length: 12 }, (_, index) => keccak256(Uint8Array.of(index)));
      const signatures = await Promise.all(digests.map((digest) => signer.sign(digest)));
      for (const [index, signature] of signatures.entries()) {
        expect(recoverAddress(digests[index]!, signature)).toEqual(signer.address);
        expect(signature[32]! < 0x80).toBe(true);
      }
      const second = await openPkcs11({ ...place, keyLabel: 'alice' });
      expect(second.publicKey).toEqual(module.publicKey);
      second.close();
      expect(recoverAddress(digests[0]!, await signer.sign(digests[0]!))).toEqual(signer.address);

      const refused = async (change: object) => {
        const error = await openPkcs11({ ...place, ...change }).catch((cause: Error) => cause);
        expect(String(error)).not.toContain(PIN);
        return String(error);
      };
      expect(await refused({ keyId: undefined, keyLabel: 'alice' })).toMatch(
        /more than one private/,
      );
      expect(await refused({ keyId: 'ff' })).toMatch(/no private key named ff/);
      expect(await refused({ keyId: 'a3' })).toMatch(/not of the curve secp256k1/);
      expect(await refused({ tokenLabel: 'other' })).toMatch(/there are 0 tokens labelled other/);
      expect(await refused({ slotIndex: 77 })).toMatch(/no slot 77/);
      module.close();
      expect(await refused({ pin: async () => `${PIN}x` })).toMatch(
        /refuses the login: CKR_PIN_INCORRECT/,
      );
      expect(await refused({ modulePath: '/gone.so' })).toMatch(/refuses the library \/gone.so/);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });

  it('needs a package, and says which', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'MODULE_NOT_FOUND' });
    const place = { modulePath: '/never/loaded.so', pin: async () => PIN, keyId: 'a1' };
    await expect(openPkcs11(place, () => Promise.reject(gone))).rejects.toThrow(
      /npm install pkcs11js/,
    );
  });
});
