/**
 * The `config` object of Besu's and go-ethereum's genesis files. Of Besu: QBFT only, with its own
 * key names and `transitions.qbft`.
 */
import { isZeroBytes } from '../base/bytes.ts';
import { readBlockTimes, shortPeriodForks } from './block-times.ts';
import type {
  BftConfig,
  ChainConfig,
  ForkBlocks,
  GenesisFormat,
  Transition,
} from './chain-config.ts';
import { genesisFault, type JsonFields } from './json-fields.ts';

/** Oldest first. Besu knows no eip155Block: replay protection comes with eip158Block. */
const FORK_KEYS: readonly (readonly [fork: keyof ForkBlocks, key: string])[] = [
  ['homestead', 'homesteadBlock'],
  ['eip150', 'eip150Block'],
  ['eip155', 'eip155Block'],
  ['eip158', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['muirGlacier', 'muirGlacierBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['paris', 'mergeNetsplitBlock'],
];

/** Forks that no other fork implies. */
const OPTIONAL_FORKS: readonly string[] = ['muirGlacier', 'paris'];

const FORK_ID_KEYS = [
  ...FORK_KEYS.map(([, key]) => key),
  'daoForkBlock',
  'arrowGlacierBlock',
  'grayGlacierBlock',
];

const FORK_ID_TIME_KEYS = [
  'shanghaiTime',
  'cancunTime',
  'pragueTime',
  'osakaTime',
  'bpo1Time',
  'bpo2Time',
  'bpo3Time',
  'bpo4Time',
  'bpo5Time',
];

export function readEthereumConfig(config: JsonFields, format: GenesisFormat): ChainConfig {
  refuseEngines(config);
  const qbft = config.object('qbft');
  const isBesu = format === 'besu';
  const engine = isBesu && qbft ? { ...readBft(qbft), ceil2Nby3Block: 0n } : undefined;
  const transitions = isBesu ? readTransitions(config) : [];
  const { forkIdBlocks, hasForkAtStart } = shortPeriodForks(engine, transitions);
  return {
    format,
    chainId: config.quantity('chainId'),
    isQuorum: false,
    isMps: false,
    forkBlocks: readForkBlocks(config),
    forkTimes: {
      shanghai: config.quantity('shanghaiTime', 64),
      cancun: config.quantity('cancunTime', 64),
    },
    forkIdBlocks: [...FORK_ID_KEYS.flatMap((key) => config.quantity(key) ?? []), ...forkIdBlocks],
    forkIdTimes: FORK_ID_TIME_KEYS.flatMap((key) => config.quantity(key, 64) ?? []),
    hasForkAtStart,
    isZeroBaseFee: config.boolean('zeroBaseFee') ?? false,
    istanbul: undefined,
    ibft: undefined,
    qbft: engine,
    transitions,
    transactionKilobytesMax: 0,
    codeSizes: [],
    codeBytesMax: config.number('contractSizeLimit'),
    qip714Block: undefined,
    privacyEnhancementsBlock: undefined,
    privacyPrecompileBlock: undefined,
    enableGasPriceBlock: undefined,
    source: undefined,
  };
}

function refuseEngines(config: JsonFields): void {
  if (config.has('ibft2')) {
    throw genesisFault(
      'invalid genesis file: config.ibft2: IBFT 2.0 is not supported; migrate the network to QBFT in Besu first, or start a new chain with config.qbft',
    );
  }
  if (config.object('qbft')?.has('startBlock')) {
    throw genesisFault(
      'invalid genesis file: config.qbft.startBlock: a chain that migrated to QBFT is not supported; start from a genesis file with config.qbft alone',
    );
  }
}

/** A fork whose key is omitted starts with the next one: Besu files often name only the newest. */
function readForkBlocks(config: JsonFields): ForkBlocks {
  const blocks: Record<string, bigint | undefined> = {};
  let next = newestFromStart(config);
  for (const [fork, key] of FORK_KEYS.toReversed()) {
    const own = config.quantity(key);
    next = own ?? next;
    blocks[fork] = OPTIONAL_FORKS.includes(fork) ? own : next;
  }
  if (config.quantity('terminalTotalDifficulty') === 0n) blocks.paris ??= 0n;
  return blocks;
}

/** A fork by time that is active from the beginning includes all earlier ones. */
function newestFromStart(config: JsonFields): bigint | undefined {
  return config.quantity('shanghaiTime') === 0n || config.quantity('cancunTime') === 0n
    ? 0n
    : undefined;
}

function readBft(fields: JsonFields): BftConfig {
  const contract = fields.address('validatorcontractaddress');
  const mode = fields.text('validatorselectionmode');
  return {
    epoch: fields.number('epochlength') || undefined,
    ...readBlockTimes(fields),
    validatorContract: contract && !isZeroBytes(contract) ? contract : undefined,
    validatorSelectionMode: mode ?? (contract ? 'contract' : undefined),
    validators: fields.addresses('validators'),
    blockReward: fields.quantity('blockreward'),
    miningBeneficiary: fields.address('miningbeneficiary'),
  };
}

function readTransitions(config: JsonFields): Transition[] {
  const entries = config.object('transitions')?.objects('qbft') ?? [];
  const transitions = entries.map((fields): Transition => {
    const block = fields.quantity('block');
    if (block === undefined) throw fields.fault('block', 'is missing');
    return { ...readBft(fields), block, transactionKilobytesMax: 0 };
  });
  return transitions.sort((a, b) => Number(a.block - b.block));
}
