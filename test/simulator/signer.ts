/** Stand-in signatures: who and what, in clear. Nobody in the simulator writes another's name, apart from canaries. */
import { type Address, equalBytes } from '../../src/core/base/bytes.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';

export function standInSigner(address: Address): ConsensusSigner {
  return {
    address,
    sign(hash) {
      const signature = new Uint8Array(65);
      signature.set(address);
      signature.set(hash, 20);
      return signature;
    },
    recover(hash, signature) {
      return equalBytes(signature.subarray(20, 52), hash) ? signature.slice(0, 20) : undefined;
    },
  };
}

export function realSigner(index: number): ConsensusSigner {
  const key = new Uint8Array(32);
  key[31] = index + 1;
  return {
    address: addressOfSecretKey(key),
    sign: (hash) => sign65(hash, key),
    recover: recoverAddress,
  };
}
