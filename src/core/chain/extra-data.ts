/**
 * Extra data of IBFT and QBFT headers, the block hash rule and the pre-images of seals (GoQuorum
 * core/types/istanbul.go). Seals are 65 bytes r ‖ s ‖ v.
 */
import { type Address, concatBytes, EMPTY_BYTES, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail, hasCode } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { type RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import type { BftEngine } from './consensus-rules.ts';
import { type Header, headerHash } from './header.ts';

/** mixHash of every header that a BFT engine seals. */
export const ISTANBUL_DIGEST: Hash32 = fromHex(
  '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
);
const VANITY_BYTES = 32;
/** First bytes of RLP lists: an empty one, and the longest one whose length fits in that byte. */
const LIST_OF_0 = 0xc0;
const LIST_OF_55 = 0xf7;
const COMMIT_CODE = 2;

export interface QbftVote {
  readonly candidate: Address;
  /** 0xff adds, 0 removes. */
  readonly code: number;
}

export interface QbftExtra {
  readonly kind: 'qbft';
  readonly vanity: Uint8Array;
  readonly validators: readonly Address[];
  readonly vote: QbftVote | undefined;
  readonly round: number;
  readonly seals: readonly Uint8Array[];
}

export interface IbftExtra {
  readonly kind: 'ibft';
  /** 32 bytes. */
  readonly vanity: Uint8Array;
  readonly validators: readonly Address[];
  /** Empty before the proposer has signed. */
  readonly proposerSeal: Uint8Array;
  readonly seals: readonly Uint8Array[];
}

export type BftExtra = QbftExtra | IbftExtra;

export const QBFT_VOTE = { add: 0xff, remove: 0 } as const;

export function encodeQbftExtra(extra: Omit<QbftExtra, 'kind'>): Uint8Array {
  const writer = new RlpWriter(256);
  const start = writer.begin();
  writer.string(extra.vanity);
  writeStrings(writer, extra.validators);
  const vote = writer.begin();
  if (extra.vote) writer.string(extra.vote.candidate).number(extra.vote.code);
  writer.end(vote).number(extra.round);
  writeStrings(writer, extra.seals);
  return writer.end(start).finish();
}

/** Throws RLP_INVALID or EXTRA_DATA_INVALID. */
export function decodeQbftExtra(bytes: Uint8Array): QbftExtra {
  const list = readList(bytes);
  const vanity = list.string();
  const validators = readAddresses(list);
  const vote = readVote(list.enter());
  const round = list.number();
  if (round > 0xffffffff) throw fail('EXTRA_DATA_INVALID', 'extra data: round above 32 bits');
  const seals = readStrings(list);
  list.finish();
  return { kind: 'qbft', vanity, validators, vote, round, seals };
}

export function encodeIbftExtra(extra: Omit<IbftExtra, 'kind'>): Uint8Array {
  const writer = new RlpWriter(256);
  const start = writer.begin();
  writeStrings(writer, extra.validators);
  writer.string(extra.proposerSeal);
  writeStrings(writer, extra.seals);
  return concatBytes(extra.vanity, writer.end(start).finish());
}

/** Throws RLP_INVALID or EXTRA_DATA_INVALID. */
export function decodeIbftExtra(bytes: Uint8Array): IbftExtra {
  if (bytes.length < VANITY_BYTES) {
    throw fail('EXTRA_DATA_INVALID', 'invalid istanbul header extra-data');
  }
  const list = readList(bytes.subarray(VANITY_BYTES));
  const validators = readAddresses(list);
  const proposerSeal = list.string();
  const seals = readStrings(list);
  list.finish();
  return { kind: 'ibft', vanity: bytes.subarray(0, VANITY_BYTES), validators, proposerSeal, seals };
}

/** Reads either form, IBFT first as the block hash does; undefined: the bytes have neither form. */
export function readBftExtra(bytes: Uint8Array): BftExtra | undefined {
  const ibft = mayBeIbft(bytes) ? attempt(decodeIbftExtra, bytes) : undefined;
  return ibft ?? attempt(decodeQbftExtra, bytes);
}

/**
 * Whether a list starts after the vanity and ends with the bytes. It saves a decoding that always
 * fails for QBFT headers.
 */
function mayBeIbft(bytes: Uint8Array): boolean {
  const first = bytes[VANITY_BYTES];
  if (first === undefined || first < LIST_OF_0) return false;
  const rest = bytes.length - VANITY_BYTES - 1;
  if (first <= LIST_OF_55) return rest === first - LIST_OF_0;
  const lengthBytes = first - LIST_OF_55;
  let length = 0;
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (bytes[VANITY_BYTES + i] ?? 0);
  return rest === lengthBytes + length;
}

function encodeBftExtra(extra: BftExtra): Uint8Array {
  return extra.kind === 'ibft' ? encodeIbftExtra(extra) : encodeQbftExtra(extra);
}

/**
 * The hash of a block. BFT omits the commit seals and, in QBFT, the round: validators store
 * different ones.
 */
export function blockHash(header: Header): Hash32 {
  if (!equalBytes(header.mixHash, ISTANBUL_DIGEST)) return headerHash(header);
  const extra = readBftExtra(header.extraData);
  if (!extra) return headerHash(header);
  const bare = extra.kind === 'ibft' ? { ...extra, seals: [] } : { ...extra, round: 0, seals: [] };
  return headerHash({ ...header, extraData: encodeBftExtra(bare) });
}

/**
 * The hash that a QBFT validator signs in its commit seal: of the header without seals, with the
 * round of the commit.
 */
export function qbftCommitPreimage(header: Header, round: number): Hash32 {
  const extra = decodeQbftExtra(header.extraData);
  return headerHash({ ...header, extraData: encodeQbftExtra({ ...extra, round, seals: [] }) });
}

/** The hash that an IBFT validator signs in its commit seal. */
function ibftCommitPreimage(hash: Hash32): Hash32 {
  return keccak256(concatBytes(hash, Uint8Array.of(COMMIT_CODE)));
}

/** The hash that a validator of `engine` signs to commit the block of this header in `round`. */
export function commitPreimage(engine: BftEngine, header: Header, round: number): Hash32 {
  return engine === 'qbft'
    ? qbftCommitPreimage(header, round)
    : ibftCommitPreimage(blockHash(header));
}

/** The hash that identifies an IBFT block before its proposer has signed. */
export function ibftSealHash(header: Header): Hash32 {
  const extra = decodeIbftExtra(header.extraData);
  const bare = { ...extra, proposerSeal: EMPTY_BYTES, seals: [] };
  return headerHash({ ...header, extraData: encodeIbftExtra(bare) });
}

/** The hash that an IBFT proposer signs. COMPAT: the seal hash, hashed again. */
export function ibftProposerPreimage(header: Header): Hash32 {
  return keccak256(ibftSealHash(header));
}

export function withProposerSeal(header: Header, proposerSeal: Uint8Array): Header {
  const extra = decodeIbftExtra(header.extraData);
  return { ...header, extraData: encodeIbftExtra({ ...extra, proposerSeal }) };
}

/** The header as stored after the decision; IBFT has no round. */
export function withCommitSeals(
  header: Header,
  round: number,
  seals: readonly Uint8Array[],
): Header {
  const extra = readBftExtra(header.extraData);
  if (!extra) throw fail('EXTRA_DATA_INVALID', 'invalid istanbul header extra-data');
  const sealed = extra.kind === 'ibft' ? { ...extra, seals } : { ...extra, round, seals };
  return { ...header, extraData: encodeBftExtra(sealed) };
}

/**
 * The proposer of the block: its miner field in QBFT, the signer of the proposer's seal in IBFT
 * (undefined: the seal is invalid).
 */
export function blockAuthor(
  engine: BftEngine,
  header: Header,
  recover: typeof recoverAddress = recoverAddress,
): Address | undefined {
  if (engine === 'qbft') return header.coinbase;
  const extra = attempt(decodeIbftExtra, header.extraData);
  return extra && recover(ibftProposerPreimage(header), extra.proposerSeal);
}

/**
 * Validators of the next block that this header lists; throws when the extra data has the form of
 * no BFT engine.
 */
export function validatorsOf(header: Header): readonly Address[] {
  const extra = readBftExtra(header.extraData);
  if (!extra) throw fail('EXTRA_DATA_INVALID', 'invalid istanbul header extra-data');
  return extra.validators;
}

const IBFT_ADD_NONCE = fromHex('0xffffffffffffffff');
const IBFT_REMOVE_NONCE = new Uint8Array(8);

export interface HeaderVote {
  readonly candidate: Address;
  readonly isAdd: boolean;
}

/**
 * The vote that the proposer casts. IBFT: candidate in the miner field, kind in the nonce.
 * undefined: no vote.
 */
export function voteOf(engine: BftEngine, header: Header): HeaderVote | undefined {
  if (engine === 'qbft') {
    const { vote } = decodeQbftExtra(header.extraData);
    if (!vote) return undefined;
    if (vote.code === QBFT_VOTE.add) return { candidate: vote.candidate, isAdd: true };
    if (vote.code === QBFT_VOTE.remove) return { candidate: vote.candidate, isAdd: false };
    throw fail('VOTE_INVALID', 'invalid vote type');
  }
  const isAdd = equalBytes(header.nonce, IBFT_ADD_NONCE);
  if (!isAdd && !equalBytes(header.nonce, IBFT_REMOVE_NONCE)) {
    throw fail('VOTE_INVALID', 'vote nonce not 0x00..0 or 0xff..f');
  }
  if (header.coinbase.every((byte) => byte === 0)) return undefined;
  return { candidate: header.coinbase, isAdd };
}

function attempt<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T | undefined {
  try {
    return decode(bytes);
  } catch (error) {
    if (hasCode(error, 'RLP_INVALID') || hasCode(error, 'EXTRA_DATA_INVALID')) return undefined;
    throw error;
  }
}

function readVote(list: RlpReader): QbftVote | undefined {
  if (list.done) return undefined;
  const candidate = list.fixed(20);
  const code = list.number();
  if (code > 0xff) throw fail('EXTRA_DATA_INVALID', 'extra data: vote above 8 bits');
  list.finish();
  return { candidate, code };
}

function readAddresses(reader: RlpReader): Address[] {
  const list = reader.enter();
  const addresses: Address[] = [];
  while (!list.done) addresses.push(list.fixed(20));
  return addresses;
}

function readStrings(reader: RlpReader): Uint8Array[] {
  const list = reader.enter();
  const strings: Uint8Array[] = [];
  while (!list.done) strings.push(list.string());
  return strings;
}

function writeStrings(writer: RlpWriter, strings: readonly Uint8Array[]): void {
  const start = writer.begin();
  for (const string of strings) writer.string(string);
  writer.end(start);
}
