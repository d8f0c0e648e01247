/**
 * QBFT messages: encoding and decoding of their exact bytes (GoQuorum
 * consensus/istanbul/qbft/types). The signed hash is keccak256(rlp([code, payload])), so every
 * message keeps the payload as received. Decoding never checks signatures; signerOf() does.
 */
import {
  type Address,
  concatBytes,
  equalBytes,
  type Hash32,
  isZeroBytes,
} from '../../base/bytes.ts';
import { fail, hasCode, type QuorateError } from '../../base/errors.ts';
import { keccak256 } from '../../base/keccak.ts';
import { listOfRaw, listParts, RlpReader, RlpWriter, readList } from '../../base/rlp.ts';
import { type Block, encodeBlock } from '../../chain/block.ts';
import type { ConsensusSigner, LongProposal, View } from '../bft/interface.ts';
import { readInteger, readProposal } from '../bft/read-message.ts';

/** Message codes, relative to the istanbul/100 sub-protocol. */
export const QBFT_CODE = { preprepare: 0x12, prepare: 0x13, commit: 0x14, roundChange: 0x15 };

/**
 * One signed list. `view` holds the nearest doubles of arbitrary integers; we never write any above
 * 2^53.
 */
export interface Signed {
  readonly code: number;
  readonly view: View;
  /** The signed list, encoded. */
  readonly payload: Uint8Array;
  /** 65 bytes in a valid message; the length is not checked here. */
  readonly signature: Uint8Array;
}

export interface Prepare extends Signed {
  readonly kind: 'prepare';
  readonly digest: Hash32;
}

export interface Commit extends Signed {
  readonly kind: 'commit';
  readonly digest: Hash32;
  readonly seal: Uint8Array;
}

/**
 * The signed part of a ROUND-CHANGE: "I move to this round, and this is the last block I prepared".
 */
export interface RoundChangeClaim extends Signed {
  readonly prepared: { readonly round: number; readonly digest: Hash32 } | undefined;
}

export interface Preprepare extends Signed {
  readonly kind: 'preprepare';
  readonly block: Block;
  readonly roundChanges: readonly RoundChangeClaim[];
  readonly prepares: readonly Prepare[];
}

export interface RoundChange extends RoundChangeClaim {
  readonly kind: 'roundChange';
  readonly block: Block | undefined;
  readonly prepares: readonly Prepare[];
}

export type QbftMessage = Preprepare | Prepare | Commit | RoundChange;

// --- signing ------------------------------------------------------------------------------------------------------

/** What the signer of a message signs. */
export function signingHash(code: number, payload: Uint8Array): Hash32 {
  return keccak256(concatBytes(...signedParts({ code, payload })));
}

/** The signed bytes, in parts. */
export function signedParts({
  code,
  payload,
}: Pick<Signed, 'code' | 'payload'>): readonly Uint8Array[] {
  return listParts([Uint8Array.of(code), payload]);
}

/** Who signed, or undefined when the signature matches no key. `hash`: hash of the signed bytes. */
export function signerOf(
  signer: ConsensusSigner,
  message: Signed,
  hash?: Hash32,
): Address | undefined {
  if (message.signature.length !== 65) return undefined;
  return signer.recover(hash ?? signingHash(message.code, message.payload), message.signature);
}

function signed(
  signer: ConsensusSigner,
  code: number,
  view: View,
  payload: Uint8Array,
  hash: Hash32 = signingHash(code, payload),
): Signed {
  return { code, view, payload, signature: signer.sign(hash) };
}

export function signPrepare(signer: ConsensusSigner, view: View, digest: Hash32): Prepare {
  const payload = payloadOf(view, (w) => w.string(digest));
  return { ...signed(signer, QBFT_CODE.prepare, view, payload), kind: 'prepare', digest };
}

export function signCommit(
  signer: ConsensusSigner,
  view: View,
  digest: Hash32,
  seal: Uint8Array,
): Commit {
  const payload = payloadOf(view, (w) => w.string(digest).string(seal));
  return { ...signed(signer, QBFT_CODE.commit, view, payload), kind: 'commit', digest, seal };
}

/** `long`: the encoded block, if it was encoded beforehand. */
export function signPreprepare(
  signer: ConsensusSigner,
  view: View,
  block: Block,
  roundChanges: readonly RoundChangeClaim[],
  prepares: readonly Prepare[],
  long?: LongProposal,
): Preprepare {
  const payload = long?.payload ?? concatBytes(...proposalParts(view, block));
  const base = signed(signer, QBFT_CODE.preprepare, view, payload, long?.signed);
  return { ...base, kind: 'preprepare', block, roundChanges, prepares };
}

/** The signed part of a proposal, in parts. */
export function proposalParts(view: View, block: Block): readonly Uint8Array[] {
  return listParts([numberItem(view.height), numberItem(view.round), encodeBlock(block)]);
}

/** `lock`: the last prepared block with its round and the PREPAREs that prove it. */
export function signRoundChange(
  signer: ConsensusSigner,
  view: View,
  lock:
    | { readonly round: number; readonly block: Block; readonly prepares: readonly Prepare[] }
    | undefined,
): RoundChange {
  const prepared = lock && { round: lock.round, digest: lock.block.hash };
  const payload = payloadOf(view, (w) =>
    w.list((list) => {
      if (prepared) list.number(prepared.round).string(prepared.digest);
    }),
  );
  return {
    ...signed(signer, QBFT_CODE.roundChange, view, payload),
    kind: 'roundChange',
    prepared,
    block: lock?.block,
    prepares: lock?.prepares ?? [],
  };
}

function payloadOf(view: View, write: (writer: RlpWriter) => unknown): Uint8Array {
  const writer = new RlpWriter(160);
  writer.list((list) => {
    list.number(view.height).number(view.round);
    write(list);
  });
  return writer.finish();
}

// --- encoding -----------------------------------------------------------------------------------------------------

/** `[payload, signature]`: a complete PREPARE or COMMIT, or a part of a justification. */
export function encodeSigned(message: Signed): Uint8Array {
  return concatBytes(...signedItems(message));
}

function signedItems({ payload, signature }: Signed): Uint8Array[] {
  return listParts([payload, stringItem(signature)]);
}

/** The payload of the devp2p message. */
export function encodeMessage(message: QbftMessage): Uint8Array {
  switch (message.kind) {
    case 'prepare':
    case 'commit':
      return encodeSigned(message);
    case 'preprepare':
      return listOfRaw([
        ...signedItems(message),
        listOfRaw([
          listOfRaw(message.roundChanges.map(encodeSigned)),
          listOfRaw(message.prepares.map(encodeSigned)),
        ]),
      ]);
    case 'roundChange':
      return listOfRaw([
        encodeSigned(message),
        message.block ? encodeBlock(message.block) : EMPTY_LIST,
        listOfRaw(message.prepares.map(encodeSigned)),
      ]);
  }
}

const EMPTY_LIST = Uint8Array.of(0xc0);

function numberItem(value: number): Uint8Array {
  return new RlpWriter(10).number(value).finish();
}

function stringItem(bytes: Uint8Array): Uint8Array {
  return new RlpWriter(bytes.length + 2).string(bytes).finish();
}

// --- decoding -----------------------------------------------------------------------------------------------------

/** Throws CONSENSUS_MESSAGE with GoQuorum's text on anything but the exact form. */
export function decodeMessage(code: number, bytes: Uint8Array): QbftMessage {
  switch (code) {
    case QBFT_CODE.preprepare:
      return decodeWith(bytes, readPreprepare, 'PRE-PREPARE');
    case QBFT_CODE.prepare:
      // COMPAT: GoQuorum names the wrong message here.
      return decodeWith(bytes, readPrepare, 'COMMIT');
    case QBFT_CODE.commit:
      return decodeWith(bytes, readCommit, 'COMMIT');
    case QBFT_CODE.roundChange:
      return decodeWith(bytes, readRoundChange, 'ROUND-CHANGE');
    default:
      throw fail('CONSENSUS_MESSAGE', 'invalid message');
  }
}

function decodeWith<M>(bytes: Uint8Array, read: (reader: RlpReader) => M, name: string): M {
  try {
    const reader = new RlpReader(bytes);
    const message = read(reader);
    reader.finish();
    return message;
  } catch (error) {
    // Any error inside (RLP, extra data, a transaction) is the sender's fault; our own faults pass
    // through.
    if (hasCode(error, 'INVARIANT_BROKEN') || !(error as Partial<QuorateError>).code) throw error;
    throw fail('CONSENSUS_MESSAGE', `failed to decode ${name} message`, { cause: error });
  }
}

interface Envelope {
  readonly body: RlpReader;
  readonly view: View;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

/** Enters `[payload, signature]` and reads the view that every payload begins with. */
function openEnvelope(reader: RlpReader): Envelope {
  const list = reader.enter();
  const payload = list.raw();
  const body = readList(payload);
  const view = { height: readInteger(body), round: readInteger(body) };
  const signature = list.string();
  list.finish();
  return { body, view, payload, signature };
}

/** Reads one PREPARE of a certificate; throws the errors of the reader. */
export function readPrepare(reader: RlpReader): Prepare {
  const { body, view, payload, signature } = openEnvelope(reader);
  const digest = body.fixed(32);
  body.finish();
  return { kind: 'prepare', code: QBFT_CODE.prepare, view, payload, signature, digest };
}

function readCommit(reader: RlpReader): Commit {
  const { body, view, payload, signature } = openEnvelope(reader);
  const digest = body.fixed(32);
  const seal = body.string();
  body.finish();
  return { kind: 'commit', code: QBFT_CODE.commit, view, payload, signature, digest, seal };
}

function readClaim(reader: RlpReader): RoundChangeClaim {
  const { body, view, payload, signature } = openEnvelope(reader);
  const list = body.enter();
  let prepared: RoundChangeClaim['prepared'];
  if (!list.done) {
    const round = readInteger(list);
    const digest = list.fixed(32);
    // COMPAT: a round with an empty digest says "nothing prepared".
    if (round !== 0 || !isZeroBytes(digest)) prepared = { round, digest };
    list.finish();
  }
  body.finish();
  return { code: QBFT_CODE.roundChange, view, payload, signature, prepared };
}

function readPreprepare(reader: RlpReader): Preprepare {
  const outer = reader.enter();
  const { body, view, payload, signature } = openEnvelope(outer);
  const block = readProposal(body);
  body.finish();
  const justification = outer.enter();
  const roundChanges = readAll(justification, readClaim);
  const prepares = readAll(justification, readPrepare);
  justification.finish();
  outer.finish();
  const signedPart = { code: QBFT_CODE.preprepare, view, payload, signature };
  return { ...signedPart, kind: 'preprepare', block, roundChanges, prepares };
}

function readRoundChange(reader: RlpReader): RoundChange {
  const outer = reader.enter();
  const claim = readClaim(outer);
  const block = isEmptyItem(outer) ? skip(outer) : readProposal(outer);
  if (block && !(claim.prepared && equalBytes(block.hash, claim.prepared.digest))) {
    throw fail('CONSENSUS_MESSAGE', 'the prepared block is not the one of the claim');
  }
  const prepares = isEmptyItem(outer) ? skip(outer) : readAll(outer, readPrepare);
  outer.finish();
  return { ...claim, kind: 'roundChange', block, prepares: prepares ?? [] };
}

function readAll<T>(reader: RlpReader, read: (reader: RlpReader) => T): T[] {
  const list = reader.enter();
  const items: T[] = [];
  while (!list.done) items.push(read(list));
  return items;
}

/** COMPAT: an absent part may be an empty string as well as an empty list. */
function isEmptyItem(reader: RlpReader): boolean {
  const first = reader.bytes[reader.at];
  return !reader.done && (first === 0x80 || first === 0xc0);
}

function skip(reader: RlpReader): undefined {
  reader.skip();
  return undefined;
}
