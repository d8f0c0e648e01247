/**
 * The consensus settings of one block (GoQuorum params/config.go, consensus/istanbul/config.go).
 */
import type { Address } from '../base/bytes.ts';
import { type BftConfig, type ChainConfig, isForked, transitionsUntil } from './chain-config.ts';

export type BftEngine = 'qbft' | 'ibft';
export type Engine = BftEngine | 'raft' | 'none';

/** Timestamps of a Raft chain are in nanoseconds. */
export const NANOSECONDS_PER_SECOND = 1_000_000_000n;

export interface ConsensusRules {
  readonly engine: Engine;
  /** Whole seconds, or 50 to 1,000 ms. Below 1,000 a block may repeat its parent's timestamp. */
  readonly blockPeriodMs: number;
  /** 0 or below the block period: empty blocks are made at the block period, too. */
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
  /**
   * Validators that a transition sets at this very block, unless a contract names them; at block 0
   * those of the configuration. GoQuorum searches for them only in the first transition of the
   * file, and still sets them when it prepares the next block.
   */
  readonly validatorOverride: readonly Address[] | undefined;
}

/**
 * Command-line values for chains whose file omits the setting (`--istanbul.blockperiod` and similar
 * ones).
 */
export interface ConsensusDefaults {
  readonly blockPeriodSeconds?: number;
  readonly requestTimeoutMs?: number;
  readonly allowedFutureBlockSeconds?: number;
}

const DEFAULT_BLOCK_PERIOD_SECONDS = 5;
const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_EPOCH_BLOCKS = 30_000;

/** The engine that seals block `number`. */
export function engineAt(config: ChainConfig, number: number): Engine {
  const base = baseEngine(config);
  if (!base) return config.isQuorum ? 'raft' : 'none';
  if (base.kind === 'qbft' || isForked(config.istanbul?.testQbftBlock, number)) return 'qbft';
  const past = transitionsUntil(config, number);
  return past.some(({ algorithm }) => algorithm === 'qbft') ? 'qbft' : 'ibft';
}

/** Settings of block `height`. */
export function consensusAt(
  config: ChainConfig,
  height: number,
  defaults: ConsensusDefaults = {},
): ConsensusRules {
  const base = baseEngine(config);
  const settings = { ...base?.settings };
  const past = transitionsUntil(config, height);
  let is2FPlus1 = false;
  for (const transition of past) {
    assignSet(settings, transition);
    is2FPlus1 = transition.is2FPlus1 ?? is2FPlus1;
  }
  const ceilBlock = settings.ceil2Nby3Block === undefined ? 0n : settings.ceil2Nby3Block;
  const isContract = settings.validatorSelectionMode === 'contract';
  // COMPAT: GoQuorum applies the allowed future time only for a legacy `istanbul` block.
  const future = config.istanbul ? defaults.allowedFutureBlockSeconds : undefined;
  return {
    engine: engineAt(config, height),
    blockPeriodMs: settings.blockPeriodMs ?? 1000 * secondsOf(settings, defaults),
    emptyBlockPeriodSeconds: settings.emptyBlockPeriodSeconds ?? 0,
    requestTimeoutMs:
      settings.requestTimeoutMs ?? defaults.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    maxRequestTimeoutMs: settings.maxRequestTimeoutMs ?? 0,
    epoch: settings.epoch ?? DEFAULT_EPOCH_BLOCKS,
    proposerPolicy: base?.settings.isSticky ? 'sticky' : 'roundRobin',
    allowedFutureBlockSeconds: future ?? 0,
    isCeil2Nby3: !is2FPlus1 && ceilBlock !== null && ceilBlock <= height,
    validatorContract: isContract ? settings.validatorContract : undefined,
    validatorOverride: isContract ? undefined : overrideAt(config, height),
  };
}

function secondsOf({ blockPeriodSeconds }: BftConfig, defaults: ConsensusDefaults): number {
  return blockPeriodSeconds ?? defaults.blockPeriodSeconds ?? DEFAULT_BLOCK_PERIOD_SECONDS;
}

interface BaseEngine {
  readonly kind: BftEngine;
  readonly settings: BftConfig;
}

/**
 * The order of GoQuorum's choice: a legacy block, IBFT, QBFT; each may also be set by a transition
 * at block 0.
 */
function baseEngine(config: ChainConfig): BaseEngine | undefined {
  if (config.istanbul) return { kind: 'ibft', settings: config.istanbul };
  const atGenesis = (algorithm: BftEngine) =>
    transitionsUntil(config, 0).some((transition) => transition.algorithm === algorithm);
  if (config.ibft || atGenesis('ibft')) return { kind: 'ibft', settings: config.ibft ?? {} };
  if (config.qbft || atGenesis('qbft')) return { kind: 'qbft', settings: config.qbft ?? {} };
  return undefined;
}

type Settings = { -readonly [K in keyof BftConfig]: BftConfig[K] };

/** Overwrites `settings` with those that `change` sets. */
function assignSet(settings: Settings, change: BftConfig): void {
  settings.epoch = change.epoch ?? settings.epoch;
  // A change to whole seconds removes a period in milliseconds.
  const isInSeconds = change.blockPeriodSeconds !== undefined;
  settings.blockPeriodMs =
    change.blockPeriodMs ?? (isInSeconds ? undefined : settings.blockPeriodMs);
  settings.blockPeriodSeconds = change.blockPeriodSeconds ?? settings.blockPeriodSeconds;
  settings.emptyBlockPeriodSeconds =
    change.emptyBlockPeriodSeconds ?? settings.emptyBlockPeriodSeconds;
  settings.requestTimeoutMs = change.requestTimeoutMs ?? settings.requestTimeoutMs;
  settings.maxRequestTimeoutMs = change.maxRequestTimeoutMs ?? settings.maxRequestTimeoutMs;
  settings.validatorContract = change.validatorContract ?? settings.validatorContract;
  settings.validatorSelectionMode =
    change.validatorSelectionMode ?? settings.validatorSelectionMode;
}

function overrideAt(config: ChainConfig, height: number): readonly Address[] | undefined {
  const configured = height === 0 ? config.qbft?.validators : undefined;
  if (configured) return configured;
  return config.transitions.find(
    ({ block, validators }) => block === BigInt(height) && validators !== undefined,
  )?.validators;
}
