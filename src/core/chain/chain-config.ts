/**
 * What a genesis file says about the rules of its chain. Only rulesAt(), consensusAt() and the fork
 * id read it.
 */
import type { Address } from '../base/bytes.ts';

/** Blocks from which a fork holds; undefined: never. */
export interface ForkBlocks {
  readonly homestead?: bigint | undefined;
  readonly eip150?: bigint | undefined;
  readonly eip155?: bigint | undefined;
  readonly eip158?: bigint | undefined;
  readonly byzantium?: bigint | undefined;
  readonly constantinople?: bigint | undefined;
  readonly petersburg?: bigint | undefined;
  readonly istanbul?: bigint | undefined;
  readonly muirGlacier?: bigint | undefined;
  readonly berlin?: bigint | undefined;
  readonly london?: bigint | undefined;
  readonly paris?: bigint | undefined;
  readonly shanghai?: bigint | undefined;
  readonly cancun?: bigint | undefined;
}

/** Seconds from which a fork holds. */
export interface ForkTimes {
  readonly shanghai?: bigint | undefined;
  readonly cancun?: bigint | undefined;
}

/** A `qbft`, `ibft` or `istanbul` block of the file. undefined: not set, the default holds. */
export interface BftConfig {
  readonly epoch?: number | undefined;
  readonly blockPeriodSeconds?: number | undefined;
  /** Wins over `blockPeriodSeconds`. */
  readonly blockPeriodMs?: number | undefined;
  readonly emptyBlockPeriodSeconds?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly maxRequestTimeoutMs?: number | undefined;
  readonly isSticky?: boolean | undefined;
  /** null: never, as a legacy `istanbul` block without it says. */
  readonly ceil2Nby3Block?: bigint | null | undefined;
  /** From a legacy `istanbul` block: QBFT from this block on. */
  readonly testQbftBlock?: bigint | undefined;
  readonly validatorContract?: Address | undefined;
  readonly validatorSelectionMode?: string | undefined;
  readonly validators?: readonly Address[] | undefined;
  readonly blockReward?: bigint | undefined;
  readonly beneficiaryMode?: string | undefined;
  readonly miningBeneficiary?: Address | undefined;
}

/** One entry of `transitions`: what changes from `block` on. undefined: stays as it was. */
export interface Transition extends BftConfig {
  readonly block: bigint;
  readonly algorithm?: 'ibft' | 'qbft' | undefined;
  readonly codeKilobytesMax?: number | undefined;
  /**
   * 0 when absent. COMPAT: the last entry counts even then, and sets the limit back to
   * `txnSizeLimit`.
   */
  readonly transactionKilobytesMax: number;
  readonly isEnhancedPermissioning?: boolean | undefined;
  readonly isPrivacyEnhancements?: boolean | undefined;
  readonly isPrivacyPrecompile?: boolean | undefined;
  readonly isGasPriceEnabled?: boolean | undefined;
  readonly is2FPlus1?: boolean | undefined;
  readonly minerGasLimit?: bigint | undefined;
}

export interface CodeSizeStep {
  readonly block: bigint;
  readonly kilobytes: number;
}

/** Which client's format the file has; it decides what keys mean. */
export type GenesisFormat = 'goquorum' | 'besu' | 'ethereum';

export interface ChainConfig {
  readonly format: GenesisFormat;
  readonly chainId: bigint | undefined;
  readonly isQuorum: boolean;
  readonly isMps: boolean;
  readonly forkBlocks: ForkBlocks;
  readonly forkTimes: ForkTimes;
  /** Fork blocks that the fork id counts, unordered, zeros included. */
  readonly forkIdBlocks: readonly bigint[];
  readonly forkIdTimes: readonly bigint[];
  /**
   * A rule that neither GoQuorum nor Besu shares holds from the first block on: the fork id counts
   * a fork at block 0.
   */
  readonly hasForkAtStart?: boolean | undefined;
  readonly isZeroBaseFee: boolean;
  readonly istanbul: BftConfig | undefined;
  readonly ibft: BftConfig | undefined;
  readonly qbft: BftConfig | undefined;
  readonly transitions: readonly Transition[];
  /** KB; 0: not set. */
  readonly transactionKilobytesMax: number;
  readonly codeSizes: readonly CodeSizeStep[];
  /** Bytes; Besu's contractSizeLimit. */
  readonly codeBytesMax: number | undefined;
  readonly qip714Block: bigint | undefined;
  /**
   * Validators reject proposals that the network's permissions do not allow. Every validator must
   * be Quorate.
   */
  readonly votesOnPermissions?: boolean | undefined;
  readonly privacyEnhancementsBlock: bigint | undefined;
  readonly privacyPrecompileBlock: bigint | undefined;
  readonly enableGasPriceBlock: bigint | undefined;
  /**
   * The `config` object as it is in the file, for admin_nodeInfo and for comparing with a newer
   * file.
   */
  readonly source: unknown;
}

/** Transitions that hold at `number`, in their order. */
export function transitionsUntil(config: ChainConfig, number: number): readonly Transition[] {
  const end = config.transitions.findIndex((transition) => transition.block > number);
  return end < 0 ? config.transitions : config.transitions.slice(0, end);
}

export function isForked(block: bigint | undefined, number: number): boolean {
  return block !== undefined && block <= number;
}
