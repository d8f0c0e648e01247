/**
 * EEA restricted private transactions (EthSigner EeaPrivateTransaction): their RLP, their group,
 * and their form as the payload of a privacy marker. A GoQuorum node that is a party does not
 * recognise the payload and ignores it.
 */
import { type Address, concatBytes, EMPTY_BYTES, equalBytes, keyOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes, bytesToBigInt } from '../base/quantity.ts';
import { type RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import { recoverSigner } from '../chain/signature.ts';

export const EEA_KEY_BYTES = 32;
export const EEA_GROUP_BYTES = 32;
/** Maximum number of members that one payload can reach. */
const PRIVATE_FOR_MAX = 1024;
const RESTRICTED = 'restricted';
/**
 * First bytes of a marker's payload that contains such a transaction: not JSON, so that no other
 * client takes it for its own.
 */
const ENVELOPE = new TextEncoder().encode('quorate-eea/1\n');

/** Public key of a manager, 32 bytes. */
type ManagerKey = Uint8Array;

export interface EeaTransaction {
  /** keccak256 of `raw`. */
  readonly hash: Uint8Array;
  readonly raw: Uint8Array;
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
  /** undefined: the signature has no replay protection. */
  readonly chainId: bigint | undefined;
  readonly sender: Address;
  readonly privateFrom: ManagerKey;
  /** undefined: the transaction names a group instead. */
  readonly privateFor: readonly ManagerKey[] | undefined;
  /** 32 bytes: the group that is named, or the one that the parties form. */
  readonly groupId: Uint8Array;
  readonly restriction: string;
}

/** Throws RLP_INVALID, or TX_SIGNATURE_INVALID when the signature matches no key. */
export function decodeEea(bytes: Uint8Array): EeaTransaction {
  // A copy, so that the caller's buffer can be freed.
  const raw = bytes.slice();
  const list = readList(raw);
  const start = list.at;
  const nonce = list.bigint(8);
  const gasPrice = list.bigint();
  const gasLimit = list.bigint(8);
  const toBytes = list.string();
  if (toBytes.length !== 0 && toBytes.length !== 20) {
    throw fail('RLP_INVALID', 'rlp: the recipient of a transaction has 20 bytes or none');
  }
  const to = toBytes.length === 0 ? undefined : toBytes;
  const value = list.bigint();
  const data = list.string();
  const body = raw.subarray(start, list.at);
  const v = list.bigint();
  const [r, s] = [list.scalar(32), list.scalar(32)];
  const tailStart = list.at;
  const privateFrom = list.fixed(EEA_KEY_BYTES);
  const { privateFor, groupId } = readRecipients(list, privateFrom);
  const restriction = String.fromCharCode(...list.string().subarray(0, 32));
  const tail = raw.subarray(tailStart, list.at);
  list.finish();
  const isProtected = v >= 35n;
  const chainId = isProtected ? (v - 35n) / 2n : undefined;
  const parity = isProtected ? (v - 35n) % 2n : v - 27n;
  const sender = recoverSigner(signingHash(body, tail, chainId), parity, r, s, false);
  return {
    ...{ raw, hash: keccak256(raw), nonce, gasPrice, gasLimit, to, value, data, v },
    ...{
      r: bytesToBigInt(r),
      s: bytesToBigInt(s),
      chainId,
      sender,
      privateFrom,
      privateFor,
      groupId,
      restriction,
    },
  };
}

function readRecipients(
  list: RlpReader,
  privateFrom: ManagerKey,
): Pick<EeaTransaction, 'privateFor' | 'groupId'> {
  if (!list.isList) return { privateFor: undefined, groupId: list.fixed(EEA_GROUP_BYTES) };
  const keys = list.enter();
  const privateFor: ManagerKey[] = [];
  while (!keys.done) {
    if (privateFor.length === PRIVATE_FOR_MAX) {
      throw fail('RLP_INVALID', `rlp: more than ${PRIVATE_FOR_MAX} recipients`);
    }
    privateFor.push(keys.fixed(EEA_KEY_BYTES));
  }
  return { privateFor, groupId: partyGroup([privateFrom, ...privateFor]) };
}

/** `body` is the first six fields, `tail` the three private ones, both as they were encoded. */
function signingHash(body: Uint8Array, tail: Uint8Array, chainId: bigint | undefined): Uint8Array {
  const writer = new RlpWriter(body.length + tail.length + 32);
  writer.list((list) => {
    list.raw(body);
    if (chainId !== undefined) list.bigint(chainId).string(EMPTY_BYTES).string(EMPTY_BYTES);
    list.raw(tail);
  });
  return keccak256(writer.finish());
}

/**
 * Checks what a client sends on a chain with this id. Throws EEA_*, with the texts that clients
 * know.
 */
export function checkEea(tx: EeaTransaction, chainId: bigint): void {
  if (tx.restriction !== RESTRICTED) {
    throw fail('EEA_RESTRICTION', 'Unimplemented private transaction type');
  }
  if (tx.value !== 0n) {
    throw fail('EEA_VALUE', 'We cannot transfer ether in a private transaction yet.');
  }
  if (tx.chainId !== undefined && tx.chainId !== chainId) {
    throw fail('EEA_CHAIN_ID', 'Wrong chainId');
  }
}

/** Group of the named parties: keccak256 of the RLP list of their distinct keys in order. */
export function partyGroup(keys: readonly ManagerKey[]): Uint8Array {
  const distinct = new Map(keys.map((key) => [keyOf(key), key]));
  const sorted = [...distinct.values()].sort((a, b) => javaHash(a) - javaHash(b));
  const writer = new RlpWriter();
  writer.list((list) => {
    for (const key of sorted) list.string(key);
  });
  return keccak256(writer.finish());
}

/** COMPAT: the order of keys in Besu and Orion: by Java's 32-bit hash code of the signed bytes. */
function javaHash(bytes: Uint8Array): number {
  let hash = 1;
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0;
  return hash;
}

/**
 * keccak256(rlp([sender, nonce, group]))[12..]: the same sender creates different contracts in
 * different groups.
 */
export function eeaContractAddress(sender: Address, nonce: bigint, groupId: Uint8Array): Address {
  const writer = new RlpWriter();
  writer.list((list) => {
    list.string(sender).string(bigIntToBytes(nonce)).string(groupId);
  });
  return keccak256(writer.finish()).subarray(12);
}

/** The payload that the parties receive. */
export function sealEea({ raw }: EeaTransaction): Uint8Array {
  return concatBytes(ENVELOPE, raw);
}

/**
 * The transaction in a marker's payload. undefined: another kind of payload. A text: the reason why
 * it cannot run.
 */
export function openEea(payload: Uint8Array): EeaTransaction | string | undefined {
  if (!equalBytes(payload.subarray(0, ENVELOPE.length), ENVELOPE)) return undefined;
  try {
    return decodeEea(payload.subarray(ENVELOPE.length));
  } catch {
    return 'Unable to decode the private signed raw transaction';
  }
}

/** Keys of the members named in the transaction; undefined: only the group's manager knows them. */
export function eeaMembers({ privateFrom, privateFor }: EeaTransaction): ManagerKey[] | undefined {
  return privateFor && [privateFrom, ...privateFor];
}
