/**
 * Stand-in signatures: the signer and the signed data in clear. Nobody in the simulator forges
 * another's signature, except canaries.
 */
import { type Address, equalBytes } from '../../src/core/base/bytes.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import { keySigner } from '../support/bft-chain.ts';

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
  return keySigner(index + 1);
}
