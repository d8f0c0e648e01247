/**
 * Deposits of validators: what is signed, the SSZ root that the contract checks, and the call
 * (consensus specification, deposits).
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { encodeAbi } from '../base/abi.ts';
import { concatBytes } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { sha256 } from '../base/sha256.ts';

const PUBKEY_BYTES = 48;
const DOMAIN_DEPOSIT = Uint8Array.of(3, 0, 0, 0);
const SIGNATURE_DOMAIN = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';
const DEPOSIT_SIGNATURE = 'deposit(bytes,bytes,bytes,bytes32)';
export const GWEI_WEI = 1_000_000_000n;

export interface DepositMessage {
  /** 48 bytes. */
  readonly pubkey: Uint8Array;
  /** 32 bytes. */
  readonly withdrawalCredentials: Uint8Array;
  readonly amountGwei: bigint;
}

export interface Deposit extends DepositMessage {
  /** 96 bytes. */
  readonly signature: Uint8Array;
  /** 32 bytes: the SSZ root of all of the above. */
  readonly root: Uint8Array;
}

/** Credentials for a BLS public key (48 bytes: type 0) or an address (20 bytes: type 1). */
export function withdrawalCredentials(owner: Uint8Array): Uint8Array {
  if (owner.length === PUBKEY_BYTES)
    return concatBytes(Uint8Array.of(0), sha256(owner).subarray(1));
  return concatBytes(Uint8Array.of(1), new Uint8Array(11), owner);
}

/** `secretKey`: 32 bytes. `forkVersion`: 4 bytes. Takes several milliseconds. */
export function signDeposit(
  secretKey: Uint8Array,
  terms: Omit<DepositMessage, 'pubkey'>,
  forkVersion: Uint8Array,
): Deposit {
  const scheme = bls12_381.longSignatures;
  const pubkey = scheme.getPublicKey(secretKey).toBytes(true);
  const message = { ...terms, pubkey };
  const root = signingRoot(message, forkVersion);
  const signature = scheme.sign(scheme.hash(root, SIGNATURE_DOMAIN), secretKey).toBytes(true);
  return { ...message, signature, root: depositRoot(message, signature) };
}

/** Whether the deposit is signed by the key of its `pubkey`. */
export function isSignedDeposit(deposit: Deposit, forkVersion: Uint8Array): boolean {
  const scheme = bls12_381.longSignatures;
  const point = scheme.hash(signingRoot(deposit, forkVersion), SIGNATURE_DOMAIN);
  return scheme.verify(deposit.signature, point, deposit.pubkey);
}

/** Call data of the deposit contract. */
export function depositCall(deposit: Deposit): Uint8Array {
  const { pubkey, withdrawalCredentials: owner, signature, root } = deposit;
  const selector = keccak256(new TextEncoder().encode(DEPOSIT_SIGNATURE)).subarray(0, 4);
  const heads = [0x80n, 0xe0n, 0x120n];
  const tails = [pubkey, owner, signature].map((bytes) =>
    concatBytes(
      encodeAbi([BigInt(bytes.length)]),
      padded(bytes, Math.ceil(bytes.length / 32) * 32),
    ),
  );
  return concatBytes(selector, encodeAbi(heads), root, ...tails);
}

function signingRoot(message: DepositMessage, forkVersion: Uint8Array): Uint8Array {
  // The domain contains no genesis root, so a deposit is valid on all forks of the chain.
  const forkRoot = sha256(concatBytes(padded(forkVersion, 32), new Uint8Array(32)));
  const domain = concatBytes(DOMAIN_DEPOSIT, forkRoot.subarray(0, 28));
  const root = pair(
    pair(pubkeyRoot(message.pubkey), message.withdrawalCredentials),
    pair(padded(uint64(message.amountGwei), 32), new Uint8Array(32)),
  );
  return pair(root, domain);
}

function depositRoot(message: DepositMessage, signature: Uint8Array): Uint8Array {
  const signatureRoot = pair(
    sha256(signature.subarray(0, 64)),
    sha256(padded(signature.subarray(64), 64)),
  );
  return pair(
    pair(pubkeyRoot(message.pubkey), message.withdrawalCredentials),
    pair(padded(uint64(message.amountGwei), 32), signatureRoot),
  );
}

function pubkeyRoot(pubkey: Uint8Array): Uint8Array {
  return sha256(padded(pubkey, 64));
}

function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(left, right));
}

/** Padded with zeros. */
function padded(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(bytes);
  return out;
}

/** 8 bytes, little endian. */
function uint64(value: bigint): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, value, true);
  return out;
}
