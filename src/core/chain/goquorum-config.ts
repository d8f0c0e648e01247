/**
 * The `config` object of a GoQuorum genesis file (GoQuorum params/config.go), with GoQuorum's
 * checks and texts.
 */
import { isZeroBytes } from '../base/bytes.ts';
import { readBlockTimes, shortPeriodForks } from './block-times.ts';
import type {
  BftConfig,
  ChainConfig,
  CodeSizeStep,
  ForkBlocks,
  Transition,
} from './chain-config.ts';
import { genesisFault, type JsonFields } from './json-fields.ts';

const FORK_KEYS = {
  homestead: 'homesteadBlock',
  eip150: 'eip150Block',
  eip155: 'eip155Block',
  eip158: 'eip158Block',
  byzantium: 'byzantiumBlock',
  constantinople: 'constantinopleBlock',
  petersburg: 'petersburgBlock',
  istanbul: 'istanbulBlock',
  muirGlacier: 'muirGlacierBlock',
} as const;

/** Top-level keys that GoQuorum's fork id counts in addition to the forks above. */
const FORK_ID_KEYS = [
  ...Object.values(FORK_KEYS),
  'daoForkBlock',
  'berlinBlock',
  'yoloV3Block',
  'ewasmBlock',
  'catalystBlock',
  'maxCodeSizeChangeBlock',
  'privacyEnhancementsBlock',
  'privacyPrecompileBlock',
  'enableGasPriceBlock',
];

/**
 * Newer forks come from `config.quorate` only: files in use contain `londonBlock` 0 although
 * GoQuorum ignores it.
 */
const NEWER_FORK_KEYS = {
  london: 'londonBlock',
  paris: 'parisBlock',
  shanghai: 'shanghaiBlock',
  cancun: 'cancunBlock',
} as const;

/**
 * Reads without checking: an existing database may hold what `init` now refuses. See
 * checkGoquorumConfig().
 */
export function readGoquorumConfig(config: JsonFields, isQuorum: boolean): ChainConfig {
  const newer = readNewerForks(config);
  const transitions = (config.objects('transitions') ?? []).map(readTransition);
  const qbft = readBft(config.object('qbft'));
  const { forkIdBlocks, hasForkAtStart } = shortPeriodForks(qbft, transitions);
  return {
    format: 'goquorum',
    chainId: config.quantity('chainId'),
    isQuorum,
    isMps: config.boolean('isMPS') ?? false,
    forkBlocks: { ...readForkBlocks(config), ...newer },
    forkTimes: {},
    forkIdBlocks: [
      ...FORK_ID_KEYS.flatMap((key) => config.quantity(key) ?? []),
      ...Object.values(newer).filter((block) => block !== undefined),
      ...forkIdBlocks,
    ],
    forkIdTimes: [],
    hasForkAtStart,
    isZeroBaseFee: true,
    istanbul: readIstanbul(config.object('istanbul')),
    ibft: readBft(config.object('ibft')),
    qbft,
    transitions,
    transactionKilobytesMax: config.number('txnSizeLimit') ?? 0,
    codeSizes: readCodeSizes(config),
    codeBytesMax: undefined,
    qip714Block: config.quantity('qip714Block'),
    votesOnPermissions: config.object('quorate')?.boolean('permissionVotes'),
    privacyEnhancementsBlock: config.quantity('privacyEnhancementsBlock'),
    privacyPrecompileBlock: config.quantity('privacyPrecompileBlock'),
    enableGasPriceBlock: config.quantity('enableGasPriceBlock'),
    source: undefined,
  };
}

/** GoQuorum's checks at `init`, with its texts. Throws GENESIS_INVALID. */
export function checkGoquorumConfig(config: JsonFields, chain: ChainConfig): void {
  checkCodeSizes(config);
  if (chain.isQuorum) checkTransitions(chain);
  checkTransactionSize(chain);
  checkForkOrder(config, readNewerForks(config));
  checkOwnKeys(config);
  checkBeneficiaryMode(chain);
}

function readForkBlocks(config: JsonFields): ForkBlocks {
  const blocks: Record<string, bigint | undefined> = {};
  for (const [fork, key] of Object.entries(FORK_KEYS)) blocks[fork] = config.quantity(key);
  blocks.petersburg ??= blocks.constantinople;
  const berlin = config.quantity('berlinBlock');
  const yolo = config.quantity('yoloV3Block');
  blocks.berlin = berlin === undefined || (yolo !== undefined && yolo < berlin) ? yolo : berlin;
  return blocks;
}

function readNewerForks(config: JsonFields): ForkBlocks {
  const own = config.object('quorate');
  if (!own) return {};
  const blocks: Record<string, bigint | undefined> = {};
  for (const [fork, key] of Object.entries(NEWER_FORK_KEYS)) blocks[fork] = own.quantity(key);
  return blocks;
}

/** Reads a legacy block. COMPAT: without `ceil2Nby3Block` the quorum is 2F + 1 forever. */
function readIstanbul(fields: JsonFields | undefined): BftConfig | undefined {
  if (!fields) return undefined;
  return {
    epoch: fields.number('epoch') || undefined,
    isSticky: fields.quantity('policy') === 1n,
    ceil2Nby3Block: fields.quantity('ceil2Nby3Block') ?? null,
    testQbftBlock: fields.quantity('testQBFTBlock'),
  };
}

function readBft(fields: JsonFields | undefined): BftConfig | undefined {
  if (!fields) return undefined;
  return {
    ...readSharedBft(fields),
    isSticky: fields.quantity('policy') === 1n,
    ceil2Nby3Block: fields.quantity('ceil2Nby3Block'),
  };
}

/**
 * Settings that a `qbft` block and a transition have in common; 0 means "not set" where GoQuorum's
 * field is not a pointer.
 */
function readSharedBft(fields: JsonFields): BftConfig {
  const maxTimeout = fields.number('maxRequestTimeoutSeconds');
  const contract = fields.address('validatorcontractaddress');
  const validators = fields.addresses('validators');
  return {
    epoch: fields.number('epochlength') || undefined,
    ...readBlockTimes(fields),
    maxRequestTimeoutMs: maxTimeout === undefined ? undefined : maxTimeout * 1000,
    validatorContract: contract && !isZeroBytes(contract) ? contract : undefined,
    validatorSelectionMode: fields.text('validatorselectionmode') || undefined,
    validators: validators && validators.length > 0 ? validators : undefined,
    blockReward: fields.quantity('blockReward'),
    beneficiaryMode: fields.text('beneficiaryMode'),
    miningBeneficiary: fields.address('miningBeneficiary'),
  };
}

function readTransition(fields: JsonFields): Transition {
  const algorithm = (fields.text('algorithm') ?? '').toLowerCase();
  if (algorithm !== '' && algorithm !== 'ibft' && algorithm !== 'qbft') {
    throw transitionFault('transition algorithm is invalid, should be either `ibft` or `qbft`');
  }
  const mode = fields.text('validatorselectionmode') ?? '';
  if (mode !== '' && mode !== 'contract' && mode !== 'blockheader') {
    throw transitionFault(
      'validator selection mode is invalid, should be either `contract` or `blockheader`',
    );
  }
  const block = fields.quantity('block');
  if (block === undefined) throw transitionFault('block number not given in transitions data');
  return {
    ...readSharedBft(fields),
    block,
    algorithm: algorithm === '' ? undefined : algorithm,
    codeKilobytesMax: fields.number('contractsizelimit') || undefined,
    transactionKilobytesMax: fields.number('transactionSizeLimit') ?? 0,
    isEnhancedPermissioning: fields.boolean('enhancedPermissioningEnabled'),
    isPrivacyEnhancements: fields.boolean('privacyEnhancementsEnabled'),
    isPrivacyPrecompile: fields.boolean('privacyPrecompileEnabled'),
    isGasPriceEnabled: fields.boolean('gasPriceEnabled'),
    is2FPlus1: fields.boolean('2FPlus1Enabled'),
    minerGasLimit: fields.quantity('miner.gaslimit', 64) || undefined,
  };
}

function readCodeSizes(config: JsonFields): CodeSizeStep[] {
  const steps = config.objects('maxCodeSizeConfig') ?? [];
  if (steps.length > 0) {
    return steps.map((entry) => ({
      block: entry.quantity('block') ?? 0n,
      kilobytes: entry.number('size') ?? 0,
    }));
  }
  const kilobytes = config.number('maxCodeSize') ?? 0;
  return kilobytes === 0
    ? []
    : [{ block: config.quantity('maxCodeSizeChangeBlock') ?? 0n, kilobytes }];
}

function checkCodeSizes(config: JsonFields): void {
  if (config.quantity('maxCodeSize') || config.has('maxCodeSizeChangeBlock')) {
    throw codeSizeFault(
      'maxCodeSize & maxCodeSizeChangeBlock deprecated. Consider using maxCodeSizeConfig',
    );
  }
  let previous = 0n;
  for (const entry of config.objects('maxCodeSizeConfig') ?? []) {
    const kilobytes = entry.number('size') ?? 0;
    if (kilobytes < 24 || kilobytes > 128) {
      throw codeSizeFault('Genesis max code size must be between 24 and 128');
    }
    const block = entry.quantity('block');
    if (block === undefined) {
      throw codeSizeFault('Block number not given in maxCodeSizeConfig data');
    }
    if (block < previous) {
      throw codeSizeFault('invalid maxCodeSize detail, block order has to be ascending');
    }
    previous = block;
  }
}

function checkTransitions(chain: ChainConfig): void {
  let isQbft = chain.qbft !== undefined;
  let previous = 0n;
  for (const transition of chain.transitions) {
    if (transition.algorithm && chain.istanbul?.testQbftBlock !== undefined) {
      throw transitionFault("can't use transition algorithm and testQBFTBlock at the same time");
    }
    if (chain.codeSizes.length > 0 && transition.codeKilobytesMax)
      throw transitionFault(
        "can't use transition ContractSizeLimit and MaxCodeSizeConfig at the same time",
      );
    if (transition.algorithm === 'qbft') isQbft = true;
    if (transition.block < previous) throw transitionFault('block order should be ascending');
    if (isQbft && transition.algorithm === 'ibft') {
      throw transitionFault("can't transition from qbft to ibft");
    }
    checkTransitionLimits(transition);
    previous = transition.block;
  }
}

function checkTransitionLimits(transition: Transition): void {
  const code = transition.codeKilobytesMax;
  if (code !== undefined && (code < 24 || code > 128)) {
    throw transitionFault('transition contract code size must be between 24 and 128');
  }
  if (transition.validatorContract && transition.validatorSelectionMode !== 'contract') {
    throw transitionFault(
      'validator selection mode is missing, should specify `contract` when using validatorcontractaddress',
    );
  }
  const size = transition.transactionKilobytesMax;
  if (size !== 0 && (size < 32 || size > 128)) {
    throw transitionFault('genesis transaction size limit must be between 32 and 128');
  }
  const mode = transition.beneficiaryMode;
  if (mode !== undefined && !['fixed', 'validators', '', 'list'].includes(mode)) {
    throw transitionFault('beneficiary mode is not valid');
  }
}

function checkTransactionSize({ transactionKilobytesMax: size }: ChainConfig): void {
  if (size !== 0 && (size < 32 || size > 128)) {
    throw genesisFault(
      'Failed to write genesis block: Genesis transaction size limit must be between 32 and 128',
    );
  }
}

/** Optional forks may be omitted. */
const FORK_ORDER: readonly (readonly [key: string, isOptional: boolean])[] = [
  ['homesteadBlock', false],
  ['daoForkBlock', true],
  ['eip150Block', false],
  ['eip155Block', false],
  ['eip158Block', false],
  ['byzantiumBlock', false],
  ['constantinopleBlock', false],
  ['petersburgBlock', false],
  ['istanbulBlock', false],
  ['muirGlacierBlock', true],
  ['berlinBlock', false],
];

function checkForkOrder(config: JsonFields, newer: ForkBlocks): void {
  const order = FORK_ORDER.map(([name, isOptional]) => ({
    name,
    isOptional,
    block: config.quantity(name),
  }));
  for (const [fork, key] of Object.entries(NEWER_FORK_KEYS)) {
    order.push({
      name: `quorate.${key}`,
      isOptional: true,
      block: newer[fork as keyof ForkBlocks],
    });
  }
  let last = order[0]!;
  for (const current of order.slice(1)) {
    if (current.block !== undefined && (last.block === undefined || last.block > current.block)) {
      const state = last.block === undefined ? 'not enabled' : `enabled at ${last.block}`;
      throw genesisFault(
        `Failed to write genesis block: unsupported fork ordering: ${last.name} ${state}, but ${current.name} enabled at ${current.block}`,
      );
    }
    if (!current.isOptional || current.block !== undefined) last = current;
  }
}

/** A misspelt setting of ours would silently have no effect. */
function checkOwnKeys(config: JsonFields): void {
  const known = [...Object.values(NEWER_FORK_KEYS), 'permissionVotes'];
  const names = known.map((each) => each.toLowerCase());
  const unknown = config.object('quorate')?.keys.find((key) => !names.includes(key));
  if (unknown === undefined) return;
  throw genesisFault(
    `invalid genesis file: config.quorate has no "${unknown}": it takes ${known.join(', ')}`,
  );
}

/** GoQuorum accepts such a file and then fails at every transaction. */
function checkBeneficiaryMode({ qbft }: ChainConfig): void {
  const mode = qbft?.beneficiaryMode?.toLowerCase();
  if (mode !== undefined && mode !== 'fixed' && mode !== 'validator') {
    throw genesisFault(
      'invalid genesis file: config.qbft.beneficiaryMode: BeneficiaryMode must be coinbase|fixed (write `validator` or `fixed`)',
    );
  }
}

function transitionFault(message: string): Error {
  return genesisFault(`transitions data invalid: ${message}`);
}

function codeSizeFault(message: string): Error {
  return genesisFault(`maxCodeSize data invalid: ${message}`);
}
