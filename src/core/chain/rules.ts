/**
 * The rules at one block, as one frozen flat record. Only rulesAt() and the fork id read
 * ChainConfig.
 */
import { type Address, ZERO_ADDRESS } from '../base/bytes.ts';
import { CODE_BYTES_MAX, TRANSACTION_KILOBYTES_DEFAULT } from '../base/limits.ts';
import { type ChainConfig, isForked, type Transition, transitionsUntil } from './chain-config.ts';
import { engineAt } from './consensus-rules.ts';

export type { BftEngine, ConsensusRules, Engine } from './consensus-rules.ts';

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
  /** From the merge on: PREVRANDAO instead of DIFFICULTY. */
  readonly isParis: boolean;
  readonly isShanghai: boolean;
  readonly isCancun: boolean;
  readonly chainId: bigint;
  /** A GoQuorum chain: dual state, gas price rules, private transactions. */
  readonly isQuorum: boolean;
  readonly isMps: boolean;
  /** Network permissioning by contracts (qip714Block or a transition). */
  readonly isEnhancedPermissioning: boolean;
  /** From London on: the base fee is 0 in every block. */
  readonly isZeroBaseFee: boolean;
  /** While it is false on a GoQuorum chain, every gas price must be 0. True on other chains. */
  readonly isGasPriceEnabled: boolean;
  readonly isPrivacyEnhancements: boolean;
  readonly isPrivacyPrecompile: boolean;
  /** Bytes. */
  readonly codeBytesMax: number;
  /** Bytes. */
  readonly transactionBytesMax: number;
  /** Gas limit that a block builder aims for; undefined: the builder's own setting. */
  readonly minerGasLimit: bigint | undefined;
  /** In wei, paid to `rewardTo`. */
  readonly blockReward: bigint;
  readonly rewardTo:
    | { readonly kind: 'coinbase' }
    | { readonly kind: 'validators' }
    | { readonly kind: 'fixed'; readonly address: Address }
    | { readonly kind: 'list'; readonly addresses: readonly Address[] };
}

const BYTES_PER_KILOBYTE = 1024;
/** go-ethereum's limit for a transaction in its pool. */
const ETHEREUM_TRANSACTION_BYTES_MAX = 128 * BYTES_PER_KILOBYTE;
const WEI_PER_ETHER = 10n ** 18n;

/**
 * Rules of block `number` with this timestamp (seconds). All blocks between two changes share one
 * record.
 */
export function rulesAt(config: ChainConfig, number: number, timestamp: bigint): Rules {
  let table = tables.get(config);
  if (!table) {
    table = { ...changesOf(config), known: new Map() };
    tables.set(config, table);
  }
  const block = countPassed(table.blocks, number);
  const time = countPassed(table.times, timestamp);
  const key = block * (table.times.length + 1) + time;
  let rules = table.known.get(key);
  if (!rules) {
    rules = Object.freeze(computeRules(config, number, timestamp));
    table.known.set(key, rules);
  }
  return rules;
}

interface RulesTable {
  /** Ascending: blocks and times at which a rule changes. */
  readonly blocks: readonly bigint[];
  readonly times: readonly bigint[];
  readonly known: Map<number, Rules>;
}

const tables = new WeakMap<ChainConfig, RulesTable>();

function countPassed(changes: readonly bigint[], at: number | bigint): number {
  let passed = 0;
  while (passed < changes.length && changes[passed]! <= at) passed++;
  return passed;
}

/** Blocks and timestamps (seconds) from which a rule changes, ascending. */
export function changesOf(config: ChainConfig): { blocks: bigint[]; times: bigint[] } {
  const { shanghai, cancun } = config.forkTimes;
  return { blocks: changingBlocks(config), times: ascending([shanghai, cancun]) };
}

function changingBlocks(config: ChainConfig): bigint[] {
  const blocks = [
    ...Object.values(config.forkBlocks),
    ...config.transitions.map(({ block }) => block),
    ...config.codeSizes.map(({ block }) => block),
    config.istanbul?.testQbftBlock,
    config.qip714Block,
    config.privacyEnhancementsBlock,
    config.privacyPrecompileBlock,
    config.enableGasPriceBlock,
  ];
  return ascending(blocks);
}

function ascending(values: readonly (bigint | undefined)[]): bigint[] {
  const known = new Set(values.filter((value) => value !== undefined));
  return [...known].sort((a, b) => (a < b ? -1 : 1));
}

type ForkRules = Pick<
  Rules,
  | 'isHomestead'
  | 'isEip150'
  | 'isEip155'
  | 'isEip158'
  | 'isByzantium'
  | 'isConstantinople'
  | 'isPetersburg'
  | 'isIstanbul'
  | 'isBerlin'
  | 'isLondon'
  | 'isParis'
  | 'isShanghai'
  | 'isCancun'
>;

/**
 * COMPAT: up to Berlin every fork is switched separately, as in GoQuorum; London and later include
 * all earlier ones.
 */
function forkRules(config: ChainConfig, number: number, timestamp: bigint): ForkRules {
  const { forkBlocks, forkTimes } = config;
  const hasTime = (time: bigint | undefined) => time !== undefined && time <= timestamp;
  const isCancun = isForked(forkBlocks.cancun, number) || hasTime(forkTimes.cancun);
  const isShanghai =
    isCancun || isForked(forkBlocks.shanghai, number) || hasTime(forkTimes.shanghai);
  const isParis = isShanghai || isForked(forkBlocks.paris, number);
  const isLondon = isParis || isForked(forkBlocks.london, number);
  const has = (block: bigint | undefined) => isLondon || isForked(block, number);
  return {
    isHomestead: has(forkBlocks.homestead),
    isEip150: has(forkBlocks.eip150),
    isEip155: has(forkBlocks.eip155),
    isEip158: has(forkBlocks.eip158),
    isByzantium: has(forkBlocks.byzantium),
    isConstantinople: has(forkBlocks.constantinople),
    isPetersburg: has(forkBlocks.petersburg),
    isIstanbul: has(forkBlocks.istanbul),
    isBerlin: has(forkBlocks.berlin),
    isLondon,
    isParis,
    isShanghai,
    isCancun,
  };
}

function newestFork(rules: ForkRules, isMuirGlacier: boolean): Fork {
  if (rules.isCancun) return 'cancun';
  if (rules.isShanghai) return 'shanghai';
  if (rules.isParis) return 'paris';
  if (rules.isLondon) return 'london';
  if (rules.isBerlin) return 'berlin';
  if (isMuirGlacier) return 'muirGlacier';
  if (rules.isIstanbul) return 'istanbul';
  if (rules.isPetersburg) return 'petersburg';
  if (rules.isConstantinople) return 'constantinople';
  if (rules.isByzantium) return 'byzantium';
  if (rules.isEip158) return 'spuriousDragon';
  if (rules.isEip150) return 'tangerineWhistle';
  return rules.isHomestead ? 'homestead' : 'frontier';
}

function computeRules(config: ChainConfig, number: number, timestamp: bigint): Rules {
  const forks = forkRules(config, number, timestamp);
  const past = transitionsUntil(config, number);
  const isSwitched = (block: bigint | undefined, of: (t: Transition) => boolean | undefined) =>
    isForked(block, number) || (latest(past, of) ?? false);
  return {
    ...forks,
    fork: newestFork(forks, isForked(config.forkBlocks.muirGlacier, number)),
    chainId: config.chainId ?? 0n,
    isQuorum: config.isQuorum,
    isMps: config.isMps,
    isEnhancedPermissioning: isSwitched(config.qip714Block, (t) => t.isEnhancedPermissioning),
    isZeroBaseFee: config.isZeroBaseFee,
    isGasPriceEnabled:
      !config.isQuorum || isSwitched(config.enableGasPriceBlock, (t) => t.isGasPriceEnabled),
    isPrivacyEnhancements: isSwitched(
      config.privacyEnhancementsBlock,
      (t) => t.isPrivacyEnhancements,
    ),
    isPrivacyPrecompile: isSwitched(config.privacyPrecompileBlock, (t) => t.isPrivacyPrecompile),
    codeBytesMax: codeBytesMax(config, number, past),
    transactionBytesMax: transactionBytesMax(config, past),
    minerGasLimit: latest(past, (t) => t.minerGasLimit),
    blockReward: blockReward(config, number, forks, past),
    rewardTo: rewardTo(config, past),
  };
}

/** The value of the last transition that sets one. */
function latest<T>(
  past: readonly Transition[],
  of: (transition: Transition) => T | undefined,
): T | undefined {
  let value: T | undefined;
  for (const transition of past) value = of(transition) ?? value;
  return value;
}

/**
 * EIP-3860: twice the size limit of a contract; where GoQuorum networks allow larger contracts,
 * they also allow larger init code.
 */
export function initCodeBytesMax(rules: Rules): number {
  return 2 * rules.codeBytesMax;
}

function codeBytesMax(config: ChainConfig, number: number, past: readonly Transition[]): number {
  const byTransition = latest(past, (t) => t.codeKilobytesMax);
  if (byTransition !== undefined) return byTransition * BYTES_PER_KILOBYTE;
  let bytes = config.codeBytesMax ?? CODE_BYTES_MAX;
  for (const step of config.codeSizes) {
    if (step.block > number) break;
    bytes = step.kilobytes * BYTES_PER_KILOBYTE;
  }
  return bytes;
}

/** COMPAT: the last transition applies even when it does not mention the limit. */
function transactionBytesMax(config: ChainConfig, past: readonly Transition[]): number {
  if (config.format !== 'goquorum') return ETHEREUM_TRANSACTION_BYTES_MAX;
  const kilobytes =
    past.at(-1)?.transactionKilobytesMax ||
    config.transactionKilobytesMax ||
    TRANSACTION_KILOBYTES_DEFAULT;
  return kilobytes * BYTES_PER_KILOBYTE;
}

/**
 * QBFT pays the reward in the file, IBFT none; without a BFT engine (as with Raft) ethash's reward
 * applies.
 */
function blockReward(
  config: ChainConfig,
  number: number,
  forks: ForkRules,
  past: readonly Transition[],
): bigint {
  const engine = engineAt(config, number);
  if (engine === 'qbft')
    return latest(past, (t) => t.blockReward) ?? config.qbft?.blockReward ?? 0n;
  if (engine === 'ibft' || forks.isParis) return 0n;
  if (forks.isConstantinople) return 2n * WEI_PER_ETHER;
  return (forks.isByzantium ? 3n : 5n) * WEI_PER_ETHER;
}

function rewardTo(config: ChainConfig, past: readonly Transition[]): Rules['rewardTo'] {
  let fixed = config.qbft?.miningBeneficiary;
  let isFixed = fixed !== undefined;
  const mode = config.qbft?.beneficiaryMode?.toLowerCase();
  if (mode !== undefined) isFixed = mode === 'fixed';
  for (const { beneficiaryMode, miningBeneficiary } of past) {
    if (beneficiaryMode === 'validators' || beneficiaryMode === 'validator') isFixed = false;
    if (miningBeneficiary && (beneficiaryMode === undefined || beneficiaryMode === 'fixed')) {
      fixed = miningBeneficiary;
      isFixed = true;
    }
  }
  return isFixed ? { kind: 'fixed', address: fixed ?? ZERO_ADDRESS } : { kind: 'coinbase' };
}
