/**
 * The event that shares a private contract's state, and the state dump to which it refers (GoQuorum
 * extension/extensionContracts, extension/state_fetcher.go).
 */

import { abiStringAt } from '../base/abi.ts';
import { fromBase64 } from '../base/base64.ts';
import { type Address, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import { bytesToBigInt, MAX_UINT64, MAX_UINT256 } from '../base/quantity.ts';
import type { Log } from '../chain/receipt.ts';
import { type PayloadHash, payloadHashOf } from './marker.ts';

const STATE_SHARED_TOPIC: Hash32 = fromHex(
  '0x67a92539f3cbd7c5a9b36c23c0e2beceb27d2e1b3cd8eda02c623689267ae71e',
);
/**
 * keccak256 of the runtime code that GoQuorum deploys for every extension (solidity 0.5.17,
 * unchanged since).
 */
const MANAGEMENT_CODE_HASH: Hash32 = fromHex(
  '0x46db731f624a129484a95a2318862708e1345db933fd50fb4a14e559d1a24160',
);
const WORD_BYTES = 32;

export interface StateShared {
  /** Address of the management contract. */
  readonly emitter: Address;
  readonly toExtend: Address;
  /** Payload hash of the state dump; undefined when its text is not base64. */
  readonly dumpHash: PayloadHash | undefined;
  /** Payload hash of the voter's envelope; undefined when the voter gave none. */
  readonly uuid: PayloadHash | undefined;
}

/**
 * Whether it is the management contract's code. GoQuorum trusts any contract that emits the event.
 */
export function isManagementContract(codeHash: Hash32): boolean {
  return equalBytes(codeHash, MANAGEMENT_CODE_HASH);
}

/** undefined: the log is not this event, or its data cannot be decoded. */
export function readStateShared(log: Log): StateShared | undefined {
  if (log.topics.length !== 1 || !equalBytes(log.topics[0]!, STATE_SHARED_TOPIC)) return undefined;
  if (log.data.length < 3 * WORD_BYTES) return undefined;
  const dump = abiStringAt(log.data, 1);
  const uuid = abiStringAt(log.data, 2);
  if (dump === undefined || uuid === undefined) return undefined;
  return {
    emitter: log.address,
    toExtend: log.data.slice(12, 32),
    dumpHash: hashFromBase64(dump),
    uuid: uuid === '' ? undefined : hashFromHex(uuid),
  };
}

function hashFromHex(text: string): PayloadHash {
  try {
    return payloadHashOf(fromHex(text));
  } catch {
    return payloadHashOf(new Uint8Array(0));
  }
}

function hashFromBase64(text: string): PayloadHash | undefined {
  try {
    return payloadHashOf(fromBase64(text));
  } catch {
    return undefined;
  }
}

export interface SharedAccount {
  readonly address: Address;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  readonly storage: ReadonlyMap<bigint, bigint>;
}

/**
 * Accounts of a dump that the initiator's node wrote; undefined when it cannot be parsed or
 * contains impossible values.
 */
export function parseStateDump(payload: Uint8Array): SharedAccount[] | undefined {
  let text = '';
  for (const byte of payload) text += String.fromCharCode(byte);
  try {
    const dump: Record<string, DumpedAccount> = JSON.parse(text);
    return Object.entries(dump).map(([address, { state }]) => ({
      address: addressOf(address),
      balance: unsigned(BigInt(state.balance), MAX_UINT256),
      nonce: unsigned(BigInt(state.nonce ?? 0), MAX_UINT64),
      code: fromHex(state.code ?? ''),
      storage: storageOf(state.storage ?? {}),
    }));
  } catch {
    return undefined;
  }
}

function storageOf(entries: Readonly<Record<string, string>>): Map<bigint, bigint> {
  return new Map(Object.entries(entries).map(([slot, value]) => [wordOf(slot), wordOf(value)]));
}

function addressOf(text: string): Address {
  const bytes = fromHex(text);
  if (bytes.length !== 20) throw new RangeError('an address has 20 bytes');
  return bytes;
}

function wordOf(text: string): bigint {
  const bytes = fromHex(text.length % 2 === 0 ? text : `0${text}`);
  if (bytes.length > WORD_BYTES) throw new RangeError('a word has at most 32 bytes');
  return bytesToBigInt(bytes);
}

function unsigned(value: bigint, max: bigint): bigint {
  if (value < 0n || value > max) throw new RangeError('out of range');
  return value;
}

interface DumpedAccount {
  readonly state: {
    readonly balance: string;
    readonly nonce?: number;
    readonly code?: string;
    readonly storage?: Readonly<Record<string, string>>;
  };
}
