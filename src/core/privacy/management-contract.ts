/**
 * The management contract of an extension: the calls sent to it, and how to read its storage
 * (GoQuorum extension/extensionContracts).
 */
import { encodeAbi } from '../base/abi.ts';
import { type Address, concatBytes, padLeft } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToFixed, bytesToBigInt } from '../base/quantity.ts';
import { managementBytecode } from './management-bytecode.ts';

/** Selectors of the functions that nodes call. */
const DO_VOTE = fromHex('0xde5828cb');
const FINISH = fromHex('0xd56b2889');
const SET_SHARED_STATE_HASH = fromHex('0x893971ba');

/** Storage slots in the order of the contract's source. */
const SLOT = {
  creator: 0n,
  contractToExtend: 2n,
  voters: 3n,
  votesSoFar: 6n,
  hasVoted: 7n,
  voteOutcome: 9n,
  sharedDataHash: 10n,
  isFinished: 12n,
} as const;
/** Maximum number of voters that are read; the constructor makes two: creator and recipient. */
const VOTERS_MAX = 16;

export interface ExtensionTerms {
  readonly toExtend: Address;
  readonly recipient: Address;
  /** Base64, as the client gave it. */
  readonly recipientKey: string;
}

/** Data of the transaction that starts an extension. */
export function deployment({ toExtend, recipient, recipientKey }: ExtensionTerms): Uint8Array {
  return concatBytes(managementBytecode(), encodeAbi([toExtend, recipient, recipientKey]));
}

/** `uuid` names the voter's envelope; see uuidOf(). */
export function voteCall(vote: boolean, uuid: string): Uint8Array {
  return concatBytes(DO_VOTE, encodeAbi([vote, uuid]));
}

export function finishCall(): Uint8Array {
  return FINISH;
}

/** `hash`: the payload hash of the state dump, in base64. */
export function sharedStateCall(hash: string): Uint8Array {
  return concatBytes(SET_SHARED_STATE_HASH, encodeAbi([hash]));
}

/** Reads the contract's storage by slot. */
export type SlotReader = (slot: bigint) => bigint;

export interface ManagementState {
  readonly creator: Address;
  readonly toExtend: Address;
  readonly voters: readonly Address[];
  readonly isFinished: boolean;
  /** Whether every voter has agreed, so that the state may be shared. */
  readonly isAccepted: boolean;
  readonly hasSharedState: boolean;
  hasVoted(voter: Address): boolean;
}

/** Reads the state of a contract whose code is that of the management contract. */
export function readManagement(slot: SlotReader): ManagementState {
  const voters = votersOf(slot);
  return {
    creator: addressIn(slot(SLOT.creator)),
    toExtend: addressIn(slot(SLOT.contractToExtend)),
    voters,
    isFinished: slot(SLOT.isFinished) !== 0n,
    isAccepted: slot(SLOT.voteOutcome) !== 0n && slot(SLOT.votesSoFar) === BigInt(voters.length),
    hasSharedState: slot(SLOT.sharedDataHash) !== 0n,
    hasVoted: (voter) => slot(mappingSlot(SLOT.hasVoted, voter)) !== 0n,
  };
}

function votersOf(slot: SlotReader): Address[] {
  const count = Math.min(Number(slot(SLOT.voters)), VOTERS_MAX);
  const first = bytesToBigInt(keccak256(bigIntToFixed(SLOT.voters, 32)));
  return Array.from({ length: count }, (_, index) => addressIn(slot(first + BigInt(index))));
}

function mappingSlot(mapping: bigint, key: Address): bigint {
  return bytesToBigInt(keccak256(concatBytes(padLeft(key, 32), bigIntToFixed(mapping, 32))));
}

function addressIn(word: bigint): Address {
  return bigIntToFixed(word, 32).slice(12);
}
