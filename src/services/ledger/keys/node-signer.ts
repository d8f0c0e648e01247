/** The node's key in the form that consensus uses to sign. */
import { addressOfSecretKey, recoverAddress, sign65 } from '../../../core/base/secp256k1.ts';
import type { ConsensusSigner } from '../../../core/consensus/bft/interface.ts';

export function nodeSigner(key: Uint8Array): ConsensusSigner {
  const address = addressOfSecretKey(key);
  return { address, sign: (hash) => sign65(hash, key), recover: recoverAddress };
}
