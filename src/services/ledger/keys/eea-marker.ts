/**
 * The account that signs the markers of EEA private transactions: one of the node's, or a key
 * created for this purpose.
 */
import { dirname } from 'node:path';
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { addressOfSecretKey, sign65 } from '../../../core/base/secp256k1.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { loadOrCreateKeyFile } from '../../../io/keys/node-key.ts';
import type { SendingConfig } from '../config/sending.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import type { MarkerSigner } from '../node/sending/eea-sender.ts';

export function markerSigner(from: SendingConfig['eeaMarker'], accounts: Accounts): MarkerSigner {
  if ('account' in from) {
    const { account } = from;
    return { address: () => account, sign: (hash) => signHere(accounts, account, hash) };
  }
  let made: Uint8Array | undefined;
  // Created for the first EEA transaction, because most nodes never get one.
  const key = (): Uint8Array => {
    if (made) return made;
    makeFolder(dirname(from.keyFile), 0o700);
    made = loadOrCreateKeyFile(from.keyFile);
    return made;
  };
  return { address: () => addressOfSecretKey(key()), sign: (hash) => sign65(hash, key()) };
}

/** A marker is signed several times, so its key must be in this node, not at an external signer. */
function signHere(accounts: Accounts, account: Address, hash: Hash32): Uint8Array {
  const signature =
    !accounts.isElsewhere?.(account) && accounts.sign(account, hash, { kind: 'digest' });
  if (signature instanceof Uint8Array) return signature;
  throw fail(
    'ACCOUNT_ELSEWHERE',
    'the account that marks EEA transactions must have its key in this node, not at a signer outside',
  );
}
