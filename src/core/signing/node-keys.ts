/** The keys of nodes that a signing proxy keeps, apart from the accounts. */
import type { AccountSigner } from './account-signer.ts';

/** A key that signs any digest, and shares secrets with peers. */
export interface NodeKeySigner extends AccountSigner {
  /** x coordinate of the point shared with a public key; undefined: the key was removed. */
  sharedX(publicKey: Uint8Array): Uint8Array | undefined;
}

export interface NodeKeys {
  /** 0x, lower case, sorted. */
  addresses(): readonly string[];
  find(address: string): NodeKeySigner | undefined;
}
