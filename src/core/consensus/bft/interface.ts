/**
 * Inputs and effects of a BFT engine (QBFT, IBFT). The driver carries effects out in order; after
 * `remember` it waits until the memory is on disk. See docs/consensus.md for the life of one
 * height.
 */
import type { Address, Hash32 } from '../../base/bytes.ts';
import type { Machine } from '../../base/machine.ts';
import type { Block } from '../../chain/block.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { quorumOf } from './quorum.ts';

export interface View {
  /** Block number. */
  readonly height: number;
  /** From 0; at most 2^32 - 1, the header's field. */
  readonly round: number;
}

/** Ascending by address, without duplicates: the order that the proposer rule uses. */
export type ValidatorSet = readonly Address[];

/** 65 bytes r ‖ s ‖ v (v 0 or 1) over the commit pre-image. */
export type Seal = Uint8Array;

/** What a validator must not forget: opaque bytes of the engine, kept in the vote file. */
export interface VoteMemory {
  /** The height of the last vote: no vote below it is ever sent. */
  readonly height: number;
  /** The round of the last vote at this height. */
  readonly round: number;
  /**
   * A proposal's hash, and the lock with its proof, in parts, so that a lock's block is not copied;
   * at most VOTE_BYTES_MAX in all.
   */
  readonly parts: readonly Uint8Array[];
}

/**
 * Keccak-256 of a message that is too long to be hashed at once: computed beforehand, in pieces.
 */
export interface MessageHashes {
  readonly message: Hash32;
  /** Hash of the bytes that its signer signs. */
  readonly signed: Hash32;
}

/**
 * A long block in the form in which its proposer sends it in `view`: encoded and hashed beforehand,
 * in pieces.
 */
export interface LongProposal {
  readonly view: View;
  readonly block: Block;
  /** The part of the message that carries the block. */
  readonly payload: Uint8Array;
  /** Keccak-256 of the bytes that its proposer signs. */
  readonly signed: Hash32;
}

/**
 * `isMemoryLost`: this validator may have voted more than it remembers. It then sends nothing until
 * it has seen a height decided.
 */
export type BftInput =
  | {
      readonly kind: 'start';
      /** Already on disk. */
      readonly head: Header;
      readonly headHash: Hash32;
      /** The validators of the next block; empty: the engine is idle. */
      readonly validators: ValidatorSet;
      /** Rules of the next block. */
      readonly rules: ConsensusRules;
      /** From the vote file; undefined: this validator has never voted. */
      readonly memory?: VoteMemory;
      readonly isMemoryLost?: boolean;
    }
  /**
   * `from` is the address of the peer that delivered it, which need not be its signer; `code` and
   * `bytes` as on the wire: a message code of the protocol, at most 10 MiB.
   */
  | {
      readonly kind: 'message';
      readonly from: Address;
      readonly code: number;
      readonly bytes: Uint8Array;
      /** The hashes of a long message, computed in advance. */
      readonly hashes?: MessageHashes;
    }
  /** `id` as given to `setTimer`; a timer of a past view is ignored. */
  | { readonly kind: 'timer'; readonly id: string }
  /** Answer to `assemble`: a complete block of this node, in IBFT with the proposer's seal. */
  | { readonly kind: 'assembled'; readonly view: View; readonly block: Block }
  /** Answer to `encode`. */
  | { readonly kind: 'encoded'; readonly proposal: LongProposal }
  /**
   * Answer to `verify`, by the block's `hash`. `fault`: a text for the log; without it the block is
   * valid and the result of its execution is kept.
   */
  | { readonly kind: 'verified'; readonly hash: Hash32; readonly fault?: string }
  /** The chain has a new head, decided here or synced, and on disk. */
  | {
      readonly kind: 'committed';
      readonly head: Header;
      readonly headHash: Hash32;
      /** For the block after `head`, as in `start`; so are the `rules`. */
      readonly validators: ValidatorSet;
      readonly rules: ConsensusRules;
      /** As in `start`. */
      readonly isMemoryLost?: boolean;
    }
  /**
   * The transaction pool holds executable transactions: ends the wait of an empty block period.
   * Sent when the pool stops being empty, and after each `start` and `committed` with a pool that
   * is not.
   */
  | { readonly kind: 'transactionsPending' }
  /** A signature that was awaited is there (see ConsensusSigner.sign). */
  | { readonly kind: 'signed' };

export type BftEffect =
  /**
   * Fence: effects after it, also of later steps, wait until it is on disk. The head on which it
   * builds must be on disk first: a validator that remembers a height does not vote below it.
   */
  | { readonly kind: 'remember'; readonly memory: VoteMemory }
  | {
      readonly kind: 'send';
      /** A validator of the current set other than this node. */
      readonly to: Address;
      /** As in the input `message`; the same in all other effects that send. */
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  /**
   * To all connected validators of the current set, but not to this node. A vote or proposal is
   * preceded by its `remember`, which must be on disk first.
   */
  | { readonly kind: 'broadcast'; readonly code: number; readonly bytes: Uint8Array }
  /**
   * A valid message of another validator, to be relayed to validators that may lack it: not to
   * `from`, not to its signer. For networks where not all validators are connected to each other.
   * It needs no `remember` before it: the message is not ours.
   */
  | {
      readonly kind: 'relay';
      readonly from: Address;
      readonly signer: Address;
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  /** Replaces a timer with the same id. `delayMs`: from 0 to 2^31 - 1. */
  | { readonly kind: 'setTimer'; readonly id: string; readonly delayMs: number }
  | { readonly kind: 'clearTimer'; readonly id: string }
  /**
   * Build a block on `parent`, not before `notBeforeMs`, with a timestamp not before it; answered
   * by `assembled`. Unless `mayBeEmpty` it is answered only when there are transactions, and
   * requested again after `transactionsPending`. A later `assemble` replaces an earlier one.
   * `parent` must be on disk: the effect comes after the head's `start` or `committed`.
   */
  | {
      readonly kind: 'assemble';
      readonly parent: Hash32;
      readonly view: View;
      readonly notBeforeMs: number;
      readonly mayBeEmpty: boolean;
    }
  /** Encode and hash a long block that is to be proposed in `view`; answered by `encoded`. */
  | { readonly kind: 'encode'; readonly view: View; readonly block: Block }
  /**
   * Check and execute a proposal, keep the result under its hash; answered by `verified`, unless it
   * is abandoned first.
   */
  | { readonly kind: 'verify'; readonly block: Block }
  /**
   * The round of a proposal has passed: its check pauses until the block is to be verified again.
   */
  | { readonly kind: 'abandon'; readonly hash: Hash32 }
  /**
   * Final. `seals`: a quorum in the order of arrival, at most one per validator. The next height
   * starts with `committed`, once the block is on disk.
   */
  | {
      readonly kind: 'decide';
      /** Verified; its number is the height. */
      readonly block: Block;
      /** The round in which it was decided, as in a View. */
      readonly round: number;
      readonly seals: readonly Seal[];
    }
  /**
   * `peer` is at fault: the peer that delivered unreadable bytes, otherwise the message's signer.
   * `fault`: a text for the log.
   */
  | { readonly kind: 'misbehaved'; readonly peer: Address; readonly fault: string };

export interface EngineOptions {
  /** Relay valid messages: needed where not all validators are connected to each other. */
  readonly isRelaying?: boolean;
  /** A different quorum rule, to prove that the simulator detects a wrong one. */
  readonly quorumOf?: typeof quorumOf;
}

export type BftEngineMachine = Machine<BftInput, BftEffect>;

/**
 * The validator's own key, behind an interface so that the simulator can use cheap stand-in
 * signatures, and that the key may be in another process.
 */
export interface ConsensusSigner {
  readonly address: Address;
  /**
   * r ‖ s ‖ v. Throws SIGNATURE_AWAITED while another process signs; the engine asks again for the
   * same hash at its input `signed`.
   */
  sign(hash: Hash32): Uint8Array;
  recover(hash: Hash32, signature65: Uint8Array): Address | undefined;
}
