/** Node records (EIP-778) under the identity scheme "v4". */
import { toBase64 } from '../base/base64.ts';
import { concatBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { isIpv4, parseIp } from '../base/ip-address.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToBytes, numberToBytes } from '../base/quantity.ts';
import { encodeRlp, listOfRaw, type RlpReader, type RlpValue, readList } from '../base/rlp.ts';
import { secp256k1 } from '../base/secp256k1.ts';
import type { Endpoint } from './node.ts';

const RECORD_BYTES_MAX = 300;

export interface NodeRecord {
  readonly seq: bigint;
  /** 64 bytes. */
  readonly publicKey: Uint8Array;
  /** RLP of each value, by its key. */
  readonly pairs: ReadonlyMap<string, Uint8Array>;
}

const utf8 = new TextEncoder();

/** What the record of a node says, before it is signed. `publicKey`: 64 bytes. */
export function recordContent(
  publicKey: Uint8Array,
  seq: bigint,
  at: Endpoint,
): readonly RlpValue[] {
  const pairs: (readonly [string, RlpValue])[] = [
    ['id', utf8.encode('v4')],
    ...addressPairs(at),
    ['secp256k1', compressed(publicKey)],
    ...(at.tcp === 0 ? [] : [['tcp', numberToBytes(at.tcp)] as const]),
    ['udp', numberToBytes(at.udp)],
  ];
  return [bigIntToBytes(seq), ...pairs.flatMap(([name, value]) => [utf8.encode(name), value])];
}

/** What the node signs. */
export function recordHash(content: readonly RlpValue[]): Hash32 {
  return keccak256(encodeRlp(content));
}

/** The record as RLP. `signature65`: r ‖ s ‖ v over `recordHash`. */
export function sealRecord(content: readonly RlpValue[], signature65: Uint8Array): Uint8Array {
  return encodeRlp([signature65.subarray(0, 64), ...content]);
}

function addressPairs({ ip }: Endpoint): (readonly [string, RlpValue])[] {
  const bytes = parseIp(ip);
  if (!bytes) return [];
  return [isIpv4(bytes) ? ['ip', bytes.subarray(12)] : ['ip6', bytes]];
}

/** Text of a record: `enr:` and its RLP in base64 with the URL alphabet and without padding. */
export function recordText(record: Uint8Array): string {
  const base64 = toBase64(record);
  return `enr:${base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}`;
}

/** Throws NODE_RECORD_INVALID, or RLP_INVALID. */
export function readRecord(bytes: Uint8Array): NodeRecord {
  if (bytes.length > RECORD_BYTES_MAX) throw invalid(`longer than ${RECORD_BYTES_MAX} bytes`);
  const list = readList(bytes);
  const signature = list.fixed(64);
  const content: Uint8Array[] = [];
  while (!list.done) content.push(list.raw());
  const reader = readList(listOfRaw(content));
  const seq = reader.bigint(8);
  const pairs = readPairs(reader);
  const stated = pairs.get('secp256k1');
  if (stringOf(pairs.get('id')) !== 'v4' || !stated) throw invalid('not of the identity scheme v4');
  const hash = keccak256(listOfRaw(content));
  for (const recovery of [0, 1] as const) {
    const publicKey = secp256k1().recover(hash, signature, recovery);
    if (publicKey && equalBytes(encodeRlp(compressed(publicKey)), stated))
      return { seq, publicKey, pairs };
  }
  throw invalid('invalid signature');
}

function readPairs(reader: RlpReader): Map<string, Uint8Array> {
  const pairs = new Map<string, Uint8Array>();
  let last = '';
  while (!reader.done) {
    const name = new TextDecoder().decode(reader.string());
    if (pairs.size > 0 && name <= last) throw invalid('keys are not in order');
    pairs.set(name, reader.raw());
    last = name;
  }
  return pairs;
}

function stringOf(rlp: Uint8Array | undefined): string | undefined {
  return rlp && new TextDecoder().decode(rlp.subarray(1));
}

/** A compressed key of 33 bytes: the parity of y, then x. */
function compressed(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(2 + (publicKey[63]! & 1)), publicKey.subarray(0, 32));
}

function invalid(why: string): Error {
  return fail('NODE_RECORD_INVALID', `node record: ${why}`);
}
