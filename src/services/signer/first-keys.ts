/** Keys that are read whole at the start: keystores in a folder, EthSigner's one file or one key. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey, secp256k1, sign65 } from '../../core/base/secp256k1.ts';
import type { AccountSigner, SigningAccounts } from '../../core/signing/account-signer.ts';
import { decryptKey } from '../../io/keys/keystore.ts';
import type { KeySettings } from './settings-keys.ts';

/** Rejects with what the key file is wrong about. */
export async function readKeys({ keystores, ethSigner }: KeySettings): Promise<SigningAccounts> {
  const keys: Uint8Array[] = [];
  if (ethSigner?.kind === 'raw-signer') keys.push(fromHex(ethSigner.key));
  if (ethSigner?.kind === 'file-based-signer') {
    const password = readFileSync(ethSigner.passwordFile, 'utf8').split(/\r?\n/, 1)[0]!;
    keys.push(await openKeystore(ethSigner.keyFile, password));
  }
  for (const name of keystores ? readdirSync(keystores.folder) : []) {
    if (!name.endsWith('.json')) continue;
    const { password } = keystores!;
    const file =
      password.kind === 'file'
        ? password.file
        : join(password.folder, name.replace(/\.json$/, '.txt'));
    keys.push(await openKeystore(join(keystores!.folder, name), readFileSync(file, 'utf8')));
  }
  const all = new Map(keys.map((key) => [toHex(addressOfSecretKey(key)), signerOf(key)]));
  return { addresses: () => [...all.keys()].sort(), find: (address) => all.get(address) };
}

async function openKeystore(file: string, password: string): Promise<Uint8Array> {
  return decryptKey(JSON.parse(readFileSync(file, 'utf8')), password);
}

function signerOf(key: Uint8Array): AccountSigner {
  return {
    address: addressOfSecretKey(key),
    publicKey: () => Promise.resolve(secp256k1().publicKey(key)),
    sign: (digest) => sign65(digest, key),
  };
}
