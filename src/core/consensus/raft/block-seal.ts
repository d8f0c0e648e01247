/**
 * Extra data of a Raft block: who minted it, for information only (GoQuorum raft/minter.go).
 * Headers are trusted because they come from members.
 */
import { concatBytes, type Hash32, ZERO_HASH } from '../../base/bytes.ts';
import { RlpWriter, readList } from '../../base/rlp.ts';
import { type Header, headerHash } from '../../chain/header.ts';

const VANITY_BYTES = 32;

export interface RaftSeal {
  /** Hexadecimal digits without 0x. */
  readonly raftIdHex: string;
  /** r ‖ s ‖ v. */
  readonly signature: Uint8Array;
}

/** COMPAT: the signed header has neither extra data nor the hashes and the bloom of the body. */
export function raftSealHash(header: Header): Hash32 {
  return headerHash({
    ...header,
    unclesHash: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: new Uint8Array(256),
    extraData: new Uint8Array(0),
  });
}

export function encodeRaftSeal(raftId: number, signature: Uint8Array): Uint8Array {
  const seal = new RlpWriter(80).list((writer) => {
    writer.string(new TextEncoder().encode(raftId.toString(16))).string(signature);
  });
  return concatBytes(new Uint8Array(VANITY_BYTES), seal.finish());
}

/** Throws RLP_INVALID. */
export function decodeRaftSeal(extraData: Uint8Array): RaftSeal {
  const list = readList(extraData.subarray(VANITY_BYTES));
  const raftIdHex = new TextDecoder().decode(list.string());
  return { raftIdHex, signature: list.string() };
}
