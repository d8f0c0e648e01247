/** The account that marks EEA private transactions on the chain: one of the node's, or a key that it makes for that alone. */
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { fromHex } from '../../core/base/hex.ts';
import { addressOfSecretKey, sign65 } from '../../core/base/secp256k1.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import { loadOrCreateKeyFile } from '../../io/keys/node-key.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import type { Accounts } from './node/sending/accounts.ts';
import type { MarkerSigner } from './node/sending/eea-sender.ts';
import { storeFolder } from './store/data.ts';

const KEY_FILE = 'eea-marker-key';

/** Throws OPTION_VALUE_INVALID unless the account named is an address. */
export function markerSigner(options: ParsedOptions, accounts: Accounts): MarkerSigner {
  const named = options.string('eea.marker-account');
  if (named !== undefined) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(named)) {
      throw fail('OPTION_VALUE_INVALID', `--eea.marker-account ${named}: it is not an address`);
    }
    const address = fromHex(named.toLowerCase());
    return { address: () => address, sign: (hash) => accounts.sign(address, hash) };
  }
  let made: Uint8Array | undefined;
  // Made when the first EEA transaction comes: most nodes never see one.
  const key = (): Uint8Array => {
    if (made) return made;
    const folder = storeFolder(options.string('datadir')!);
    makeFolder(folder, 0o700);
    made = loadOrCreateKeyFile(join(folder, KEY_FILE));
    return made;
  };
  return { address: () => addressOfSecretKey(key()), sign: (hash) => sign65(hash, key()) };
}
