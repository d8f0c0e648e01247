/**
 * The settings in a genesis file that determine the rules of its chain. Only rulesAt(),
 * consensusAt() and the fork id read it.
 */
import type { Address } from '../base/bytes.ts';

/** First block of each fork; undefined: never. */
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

/** First timestamp of each fork, in seconds. */
export interface ForkTimes {
  readonly shanghai?: bigint | undefined;
  readonly cancun?: bigint | undefined;
}

/** A `qbft`, `ibft` or `istanbul` block of the file. undefined: not set, so the default applies. */
export interface BftConfig {
  readonly epoch?: number | undefined;
  readonly blockPeriodSeconds?: number | undefined;
  /** Takes precedence over `blockPeriodSeconds`. */
  readonly blockPeriodMs?: number | undefined;
  readonly emptyBlockPeriodSeconds?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  readonly maxRequestTimeoutMs?: number | undefined;
  readonly isSticky?: boolean | undefined;
  /** null: never, as in a legacy `istanbul` block without this key. */
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

/** One entry of `transitions`: what changes from `block` on. undefined: unchanged. */
export interface Transition extends BftConfig {
  readonly block: bigint;
  readonly algorithm?: 'ibft' | 'qbft' | undefined;
  readonly codeKilobytesMax?: number | undefined;
  /**
   * 0 when absent. COMPAT: the last entry applies even then, and resets the limit to
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

/** Which client's format the file has; it determines the meaning of its keys. */
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
   * Whether a rule that neither GoQuorum nor Besu has applies from the first block on: the fork id
   * then counts a fork at block 0.
   */
  readonly hasForkAtStart?: boolean | undefined;
  readonly isZeroBaseFee: boolean;
  readonly istanbul: BftConfig | undefined;
  readonly ibft: BftConfig | undefined;
  readonly qbft: BftConfig | undefined;
  readonly transitions: readonly Transition[];
  /** In KB; 0: not set. */
  readonly transactionKilobytesMax: number;
  readonly codeSizes: readonly CodeSizeStep[];
  /** In bytes; Besu's contractSizeLimit. */
  readonly codeBytesMax: number | undefined;
  readonly qip714Block: bigint | undefined;
  /**
   * Validators reject proposals that the network's permissions do not allow. Every validator must
   * run Quorate.
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

/** Transitions that apply at block `number`, in their order. */
export function transitionsUntil(config: ChainConfig, number: number): readonly Transition[] {
  const end = config.transitions.findIndex((transition) => transition.block > number);
  return end < 0 ? config.transitions : config.transitions.slice(0, end);
}

export function isForked(block: bigint | undefined, number: number): boolean {
  return block !== undefined && block <= number;
}
