/**
 * IBFT messages: encoding and decoding of their exact bytes (GoQuorum
 * consensus/istanbul/ibft/types/message.go). All have the same code; on the wire, each is an RLP
 * byte string that holds `[code, body, address, signature, seal]`. The signed bytes are that list
 * with an empty signature.
 */
import {
  type Address,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  type Hash32,
  lengthOf,
  ZERO_HASH,
} from '../../base/bytes.ts';
import { fail, hasCode, type QuorateError } from '../../base/errors.ts';
import { keccak256 } from '../../base/keccak.ts';
import {
  listOfRaw,
  listParts,
  RlpReader,
  RlpWriter,
  readList,
  rlpStringHeader,
} from '../../base/rlp.ts';
import { type Block, encodeBlock } from '../../chain/block.ts';
import { commitPreimage } from '../../chain/extra-data.ts';
import type { ConsensusSigner, LongProposal, Seal, View } from '../bft/interface.ts';
import { readInteger, readProposal } from '../bft/read-message.ts';

/** Message code, relative to the istanbul sub-protocols. */
export const IBFT_MESSAGE = 0x11;

/** The kind of a message, in its first field. */
const KIND_CODE = { preprepare: 0, prepare: 1, commit: 2, roundChange: 3 } as const;

/**
 * One signed list. `view` holds the nearest doubles of arbitrary integers; we never write any above
 * 2^53.
 */
interface Signed {
  readonly view: View;
  /** The encoded `[view, block | digest]`. */
  readonly body: Uint8Array;
  /** Who claims to have signed. */
  readonly address: Address;
  /** 65 bytes in a valid message; the length is not checked here. */
  readonly signature: Uint8Array;
  /** The commit seal; empty in other messages of honest validators. */
  readonly seal: Seal;
}

export interface Preprepare extends Signed {
  readonly kind: 'preprepare';
  readonly block: Block;
}

export interface Prepare extends Signed {
  readonly kind: 'prepare';
  readonly digest: Hash32;
}

export interface Commit extends Signed {
  readonly kind: 'commit';
  readonly digest: Hash32;
}

/** `view.round` is the round that its signer moves to. */
export interface RoundChange extends Signed {
  readonly kind: 'roundChange';
  readonly digest: Hash32;
}

export type IbftMessage = Preprepare | Prepare | Commit | RoundChange;

// --- signing ------------------------------------------------------------------------------------------------------

/**
 * Who signed, or undefined when the signature is not by the address in the message. `hash`: hash of
 * the signed bytes.
 */
export function signerOf(
  signer: ConsensusSigner,
  message: IbftMessage,
  hash?: Hash32,
): Address | undefined {
  if (message.signature.length !== 65) return undefined;
  const recovered = signer.recover(hash ?? signingHash(message), message.signature);
  return recovered && equalBytes(recovered, message.address) ? recovered : undefined;
}

function signingHash(message: Unsigned): Hash32 {
  return keccak256(concatBytes(...signedParts(message)));
}

/** The signed bytes, in parts. */
export function signedParts(message: Unsigned): readonly Uint8Array[] {
  return partsOf(message, EMPTY_BYTES);
}

type Unsigned = Pick<IbftMessage, 'kind' | 'body' | 'address' | 'seal'>;

/** `long`: the encoded block, if it was encoded beforehand. */
export function signPreprepare(
  signer: ConsensusSigner,
  view: View,
  block: Block,
  long?: LongProposal,
): Preprepare {
  const kind = 'preprepare';
  const body = long?.payload ?? concatBytes(...proposalParts(view, block));
  return { kind, view, block, ...signed(signer, kind, body, EMPTY_BYTES, long?.signed) };
}

/** The signed part of a proposal, without its proposer, in parts. */
export function proposalParts(view: View, block: Block): readonly Uint8Array[] {
  return listParts([viewItem(view), encodeBlock(block)]);
}

export function signPrepare(signer: ConsensusSigner, view: View, digest: Hash32): Prepare {
  const kind = 'prepare';
  return { kind, view, digest, ...signed(signer, kind, subject(view, digest), EMPTY_BYTES) };
}

export function signCommit(
  signer: ConsensusSigner,
  view: View,
  digest: Hash32,
  seal: Seal,
): Commit {
  const kind = 'commit';
  return { kind, view, digest, ...signed(signer, kind, subject(view, digest), seal) };
}

export function signRoundChange(signer: ConsensusSigner, view: View): RoundChange {
  const kind = 'roundChange';
  const digest = ZERO_HASH;
  return { kind, view, digest, ...signed(signer, kind, subject(view, digest), EMPTY_BYTES) };
}

/** The seal of a validator that commits `block`: the same in every round. */
export function commitSeal(signer: ConsensusSigner, block: Block): Seal {
  return signer.sign(commitPreimage('ibft', block.header, 0));
}

function signed(
  signer: ConsensusSigner,
  kind: IbftMessage['kind'],
  body: Uint8Array,
  seal: Seal,
  hash?: Hash32,
): Pick<Signed, 'body' | 'address' | 'signature' | 'seal'> {
  const { address } = signer;
  const signature = signer.sign(hash ?? signingHash({ kind, body, address, seal }));
  return { body, address, signature, seal };
}

// --- encoding -----------------------------------------------------------------------------------------------------

/** The payload of the devp2p message. */
export function encodeMessage(message: IbftMessage): Uint8Array {
  const list = partsOf(message, message.signature);
  return concatBytes(rlpStringHeader(lengthOf(list)), ...list);
}

function partsOf({ kind, body, address, seal }: Unsigned, signature: Uint8Array): Uint8Array[] {
  const first = new RlpWriter(10).number(KIND_CODE[kind]).finish();
  const rest = new RlpWriter(192).string(address).string(signature).string(seal).finish();
  return listParts([first, rlpStringHeader(body.length), body, rest]);
}

function subject(view: View, digest: Hash32): Uint8Array {
  return listOfRaw([viewItem(view), new RlpWriter(33).string(digest).finish()]);
}

/** COMPAT: the round comes before the height. */
function viewItem({ round, height }: View): Uint8Array {
  return new RlpWriter(24).list((view) => view.number(round).number(height)).finish();
}

// --- decoding -----------------------------------------------------------------------------------------------------

/** Throws CONSENSUS_MESSAGE with GoQuorum's text on anything but the exact form. */
export function decodeMessage(wire: Uint8Array): IbftMessage {
  const { code, ...envelope } = attempt('fail to decode istanbul message', () => openWire(wire));
  switch (code) {
    case KIND_CODE.preprepare:
      return attempt('failed to decode PRE-PREPARE message', () => {
        const { view, value } = readBody(envelope.body, readProposal);
        return { kind: 'preprepare', view, block: value, ...envelope };
      });
    case KIND_CODE.prepare:
      return { kind: 'prepare', ...readSubject(envelope.body, 'PREPARE'), ...envelope };
    case KIND_CODE.commit:
      return { kind: 'commit', ...readSubject(envelope.body, 'COMMIT'), ...envelope };
    case KIND_CODE.roundChange:
      return { kind: 'roundChange', ...readSubject(envelope.body, 'ROUND-CHANGE'), ...envelope };
    default:
      throw fail('CONSENSUS_MESSAGE', 'invalid message');
  }
}

function openWire(wire: Uint8Array) {
  const outer = new RlpReader(wire);
  const list = readList(outer.string());
  outer.finish();
  const code = readInteger(list);
  const body = list.string();
  const address = list.fixed(20);
  const signature = list.string();
  const seal = list.string();
  list.finish();
  return { code, body, address, signature, seal };
}

function readSubject(body: Uint8Array, name: string): { view: View; digest: Hash32 } {
  const read = (list: RlpReader) => list.fixed(32);
  const { view, value } = attempt(`failed to decode ${name} message`, () => readBody(body, read));
  return { view, digest: value };
}

function readBody<T>(body: Uint8Array, read: (list: RlpReader) => T): { view: View; value: T } {
  const list = readList(body);
  const pair = list.enter();
  const round = readInteger(pair);
  const height = readInteger(pair);
  pair.finish();
  const value = read(list);
  list.finish();
  return { view: { height, round }, value };
}

/**
 * Any error inside (RLP, extra data, a transaction) is the sender's fault; our own faults pass
 * through.
 */
function attempt<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'INVARIANT_BROKEN') || !(error as Partial<QuorateError>).code) throw error;
    throw fail('CONSENSUS_MESSAGE', text, { cause: error });
  }
}
