/**
 * What goes into a BFT engine (QBFT, IBFT) and what comes out. The driver carries effects out in order; behind `remember`
 * it waits until the memory is on disk. See docs/consensus.md for the life of one height.
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
  readonly round: number;
}

/** In the order that the proposer rule walks: ascending by address. */
export type ValidatorSet = readonly Address[];

/** 65 bytes r ‖ s ‖ v (v 0 or 1) over the commit pre-image. */
export type Seal = Uint8Array;

/** What a validator must not forget: opaque bytes of the engine, kept in the vote file. */
export interface VoteMemory {
  readonly height: number;
  readonly round: number;
  readonly bytes: Uint8Array;
}

/**
 * `isMemoryLost`: this validator may have voted more than it remembers. It then says nothing until
 * it has seen a height decided.
 */
export type BftInput =
  | {
      readonly kind: 'start';
      readonly head: Header;
      readonly headHash: Hash32;
      readonly validators: ValidatorSet;
      readonly rules: ConsensusRules;
      readonly memory?: VoteMemory;
      readonly isMemoryLost?: boolean;
    }
  /** `from` is the address of the peer that carried it (not of its signer); `code` and `bytes` as on the wire. */
  | {
      readonly kind: 'message';
      readonly from: Address;
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'timer'; readonly id: string }
  /** Answer to `assemble`: a whole block of this node, in IBFT with the proposer's seal. */
  | { readonly kind: 'assembled'; readonly view: View; readonly block: Block }
  /** Answer to `verify`. */
  | { readonly kind: 'verified'; readonly hash: Hash32; readonly fault?: string }
  /** The chain has a new head, decided here or synced. */
  | {
      readonly kind: 'committed';
      readonly head: Header;
      readonly headHash: Hash32;
      readonly validators: ValidatorSet;
      readonly rules: ConsensusRules;
      readonly isMemoryLost?: boolean;
    }
  /**
   * The pool holds executable transactions: ends the wait of an empty block period. Sent when the pool stops being empty, and
   * after each `start` and `committed` with a pool that is not.
   */
  | { readonly kind: 'transactionsPending' };

export type BftEffect =
  /**
   * Fence: effects behind it, of later steps too, wait until it is on disk. The head that it builds on must be on disk before
   * it: a validator that remembers a height does not vote below it.
   */
  | { readonly kind: 'remember'; readonly memory: VoteMemory }
  | {
      readonly kind: 'send';
      readonly to: Address;
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  /** To all validators of the current set that are connected (never to oneself). */
  | { readonly kind: 'broadcast'; readonly code: number; readonly bytes: Uint8Array }
  /**
   * A valid message of another validator, to be passed on to those validators that may not have it: not to `from`, not to its
   * signer. For networks where not every validator is connected to every other.
   */
  | {
      readonly kind: 'relay';
      readonly from: Address;
      readonly signer: Address;
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'setTimer'; readonly id: string; readonly delayMs: number }
  | { readonly kind: 'clearTimer'; readonly id: string }
  /**
   * Build a block on `parent`, not before `notBeforeMs`, with a timestamp not before it; answered by `assembled`. Unless
   * `mayBeEmpty` it is answered only when there are transactions; it is asked again after `transactionsPending`. A later
   * `assemble` replaces an earlier one.
   */
  | {
      readonly kind: 'assemble';
      readonly parent: Hash32;
      readonly view: View;
      readonly notBeforeMs: number;
      readonly mayBeEmpty: boolean;
    }
  /** Check and execute a proposal, keep the result by its hash; answered by `verified`, unless it is abandoned first. */
  | { readonly kind: 'verify'; readonly block: Block }
  /** Its round has passed: the check of a proposal is to rest, until the block is to be verified again. */
  | { readonly kind: 'abandon'; readonly hash: Hash32 }
  /** Final: `seals` in the order of arrival, own one included. */
  | {
      readonly kind: 'decide';
      readonly block: Block;
      readonly round: number;
      readonly seals: readonly Seal[];
    }
  /** `peer` is to blame: the carrier of bytes that cannot be read, else the signer. */
  | { readonly kind: 'misbehaved'; readonly peer: Address; readonly fault: string };

export interface EngineOptions {
  /** Pass valid messages on: needed where validators are not all connected to each other. */
  readonly isRelaying?: boolean;
  /** Another quorum rule, to prove that the simulator notices a wrong one. */
  readonly quorumOf?: typeof quorumOf;
}

export type BftEngineMachine = Machine<BftInput, BftEffect>;

/** The validator's own key, behind an interface so that the simulator can use cheap stand-in signatures. */
export interface ConsensusSigner {
  readonly address: Address;
  sign(hash: Hash32): Uint8Array;
  recover(hash: Hash32, signature65: Uint8Array): Address | undefined;
}
