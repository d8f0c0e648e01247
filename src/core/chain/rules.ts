/** What holds at one block: one frozen flat record. Nobody but rulesAt() and the fork id looks into ChainConfig. */
import type { Address } from '../base/bytes.ts';

export const FORKS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
] as const;
export type Fork = (typeof FORKS)[number];

export interface Rules {
  readonly fork: Fork;
  readonly isHomestead: boolean;
  readonly isEip150: boolean;
  readonly isEip155: boolean;
  readonly isEip158: boolean;
  readonly isByzantium: boolean;
  readonly isConstantinople: boolean;
  readonly isPetersburg: boolean;
  readonly isIstanbul: boolean;
  readonly isBerlin: boolean;
  readonly isLondon: boolean;
  /** The merge: PREVRANDAO instead of DIFFICULTY. */
  readonly isParis: boolean;
  readonly isShanghai: boolean;
  readonly isCancun: boolean;
  readonly chainId: bigint;
  /** A GoQuorum chain: dual state, gas price rules, private transactions. */
  readonly isQuorum: boolean;
  readonly isMps: boolean;
  /** While false on a GoQuorum chain every gas price must be 0. True on other chains. */
  readonly isGasPriceEnabled: boolean;
  readonly isPrivacyEnhancements: boolean;
  readonly isPrivacyPrecompile: boolean;
  /** Bytes. */
  readonly codeBytesMax: number;
  /** Bytes. */
  readonly transactionBytesMax: number;
  /** Gas limit that a block builder steers to; undefined: its own setting. */
  readonly minerGasLimit: bigint | undefined;
  /** Wei, to `rewardTo`. */
  readonly blockReward: bigint;
  readonly rewardTo:
    | { readonly kind: 'coinbase' }
    | { readonly kind: 'validators' }
    | { readonly kind: 'fixed'; readonly address: Address }
    | { readonly kind: 'list'; readonly addresses: readonly Address[] };
}

export type BftEngine = 'qbft' | 'ibft';
export type Engine = BftEngine | 'raft' | 'none';

/** Consensus settings that hold at one block (consensus dossier §1, §6). */
export interface ConsensusRules {
  readonly engine: Engine;
  readonly blockPeriodSeconds: number;
  /** 0 or below the block period: empty blocks come at the block period. */
  readonly emptyBlockPeriodSeconds: number;
  readonly requestTimeoutMs: number;
  /** 0: no cap. */
  readonly maxRequestTimeoutMs: number;
  readonly epoch: number;
  readonly proposerPolicy: 'roundRobin' | 'sticky';
  readonly allowedFutureBlockSeconds: number;
  /** COMPAT: from this block on the quorum is ceil(2n/3), before it 2f + 1. */
  readonly isCeil2Nby3: boolean;
  /** Validators come from this contract; undefined: from the header. */
  readonly validatorContract: Address | undefined;
  /** Validators that a transition sets at this very block. */
  readonly validatorOverride: readonly Address[] | undefined;
}
