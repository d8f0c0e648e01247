/** The node's key in the form that consensus uses to sign. */
import {
  addressOfPublicKey,
  addressOfSecretKey,
  recoverAddress,
  sign65,
} from '../../../core/base/secp256k1.ts';
import type { ConsensusSigner } from '../../../core/consensus/bft/interface.ts';
import { type NodeKeyPlace, openNodeKey } from '../../../io/keys/far-node-key.ts';
import { FarSigner, type FarSignerParts } from './far-signer.ts';

function nodeSigner(key: Uint8Array): ConsensusSigner {
  const address = addressOfSecretKey(key);
  return { address, sign: (hash) => sign65(hash, key), recover: recoverAddress };
}

/** `parts` are for a key elsewhere, which signs later. */
export function consensusSigner(
  place: NodeKeyPlace,
  parts: Omit<FarSignerParts, 'key' | 'address'>,
): ConsensusSigner {
  if (place instanceof Uint8Array) return nodeSigner(place);
  const address = addressOfPublicKey(place.publicKey);
  return new FarSigner({ ...parts, key: openNodeKey(place), address });
}
