/** `istanbul_*`: validators of QBFT and IBFT (GoQuorum consensus/istanbul/backend/api.go). */
import type { BlockTag, Hex } from '../rpc-types.ts';

/** The proposer and the signers of a block. */
export interface Signers {
  readonly number: number;
  readonly hash: Hex;
  /** The block's proposer. */
  readonly author: Hex;
  /** The validators whose seals are in the header. */
  readonly committers: readonly Hex[];
}

/** Without a block, the calls are about the newest one. Errors are those of the sending library. */
export interface Istanbul {
  /**
   * Address of the node's key.
   *
   * @example
   * console.log(await rpc.istanbul.nodeAddress());
   */
  nodeAddress(): Promise<Hex>;
  /**
   * Validators after a block: those that propose and seal the next one.
   *
   * @example
   * console.log((await rpc.istanbul.getValidators('latest')).length); // 4
   */
  getValidators(block?: BlockTag): Promise<readonly Hex[]>;
  /**
   * The same, by the block's hash.
   *
   * @example
   * console.log(await rpc.istanbul.getValidatorsAtHash(blockHash));
   */
  getValidatorsAtHash(block: Hex): Promise<readonly Hex[]>;
  /**
   * Whether this node is a validator after the block.
   *
   * @example
   * console.log(await rpc.istanbul.isValidator()); // true
   */
  isValidator(block?: BlockTag): Promise<boolean>;
  /**
   * The proposer of a block, and the validators that sealed it.
   *
   * @example
   * const { author, committers } = await rpc.istanbul.getSignersFromBlock('latest');
   * console.log(author, committers.length);
   */
  getSignersFromBlock(block?: BlockTag): Promise<Signers>;
  /**
   * The same, by the block's hash.
   *
   * @example
   * console.log((await rpc.istanbul.getSignersFromBlockByHash(blockHash)).author);
   */
  getSignersFromBlockByHash(block: Hex): Promise<Signers>;
  /**
   * Validators, votes and their tally after a block.
   *
   * @example
   * const { validators, votes } = await rpc.istanbul.getSnapshot('latest');
   * console.log(validators, votes);
   */
  getSnapshot(block?: BlockTag): Promise<Readonly<Record<string, unknown>>>;
  /**
   * The same, by the block's hash.
   *
   * @example
   * console.log(await rpc.istanbul.getSnapshotAtHash(blockHash));
   */
  getSnapshotAtHash(block: Hex): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Votes that this node casts when it proposes: true adds a validator, false removes one.
   *
   * @example
   * console.log(await rpc.istanbul.candidates()); // {}
   */
  candidates(): Promise<Readonly<Record<Hex, boolean>>>;
  /**
   * Votes an account in, or out.
   *
   * @example
   * await rpc.istanbul.propose(candidate, true);
   */
  propose(account: Hex, isIn: boolean): Promise<null>;
  /**
   * Withdraws a vote of this node.
   *
   * @example
   * await rpc.istanbul.discard(candidate);
   */
  discard(account: Hex): Promise<null>;
  /**
   * How many blocks each validator proposed: of the last 64, or from `from` up to and excluding
   * `to`.
   *
   * @example
   * const { numBlocks, sealerActivity } = await rpc.istanbul.status();
   * console.log(numBlocks, sealerActivity);
   */
  status(from?: BlockTag, to?: BlockTag): Promise<Readonly<Record<string, unknown>>>;
}
