/**
 * Entries of a genesis file that have no effect, or an effect that its author may not expect.
 * Clients accept such a file: none of these is a mistake for which it is refused.
 */
import type { BftConfig, ChainConfig } from './chain-config.ts';
import { parseGenesis } from './genesis.ts';
import { JsonFields, parseGenesisJson } from './json-fields.ts';

/** Gas that a transfer costs. */
const TRANSFER_GAS = 21_000n;
const REMARKS_MAX = 100;

const BFT = [
  ...['epochlength', 'blockperiodseconds', 'emptyblockperiodseconds', 'requesttimeoutseconds'],
  ...['policy', 'ceil2Nby3Block', 'validatorcontractaddress', 'validators'],
  ...['validatorselectionmode', 'blockReward', 'beneficiaryMode', 'miningBeneficiary'],
  ...['maxRequestTimeoutSeconds', 'xblockperiodmilliseconds', 'xemptyblockperiodseconds'],
  'xrequesttimeoutmilliseconds',
];
/** Names that GoQuorum knows (GoQuorum params/config.go), and those of this client. */
const CONFIG = [
  ...['chainId', 'homesteadBlock', 'daoForkBlock', 'daoForkSupport', 'eip150Block', 'eip150Hash'],
  ...['eip155Block', 'eip158Block', 'byzantiumBlock', 'constantinopleBlock', 'petersburgBlock'],
  ...['istanbulBlock', 'muirGlacierBlock', 'berlinBlock', 'yoloV3Block', 'ewasmBlock'],
  ...['catalystBlock', 'ethash', 'clique', 'istanbul', 'ibft', 'qbft', 'transitions'],
  ...['isQuorum', 'isMPS', 'txnSizeLimit', 'maxCodeSize', 'maxCodeSizeChangeBlock'],
  ...['maxCodeSizeConfig', 'qip714Block', 'privacyEnhancementsBlock', 'privacyPrecompileBlock'],
  ...['enableGasPriceBlock', 'quorate'],
];
const TRANSITION = [
  ...BFT,
  ...['block', 'algorithm', 'contractsizelimit', 'transactionSizeLimit', 'miner.gaslimit'],
  ...['enhancedPermissioningEnabled', 'privacyEnhancementsEnabled', 'privacyPrecompileEnabled'],
  ...['gasPriceEnabled', '2FPlus1Enabled'],
];
/** Forks newer than GoQuorum's: it does not read their keys. */
const NEWER_FORK = /^(london|paris|shanghai|cancun)block$/;

/** Remarks on a file without mistakes. Throws GENESIS_INVALID. */
export function genesisRemarks(text: string): string[] {
  const { config, header } = parseGenesis(text);
  const fields = new JsonFields(parseGenesisJson(text), '').object('config')!;
  const remarks = [
    ...chainRemarks(config),
    ...(header.gasLimit < TRANSFER_GAS
      ? [`gasLimit is ${header.gasLimit}: no transaction fits into the first blocks`]
      : []),
    ...(config.format === 'goquorum' ? quorumRemarks(config, fields) : []),
  ];
  return remarks.slice(0, REMARKS_MAX);
}

function chainRemarks(config: ChainConfig): string[] {
  if (config.chainId) return [];
  const what = config.chainId === 0n ? 'is 0' : 'is missing';
  return [`config.chainId ${what}: wallets refuse such a chain, or sign for every chain`];
}

function quorumRemarks(config: ChainConfig, fields: JsonFields): string[] {
  const blocks = ['qbft', 'ibft'].flatMap((name) => fields.object(name) ?? []);
  return [
    ...unknownIn(fields, CONFIG),
    ...blocks.flatMap((block) => [...unknownIn(block, bftNames(block)), ...zeroIn(block)]),
    ...unknownIn(fields.object('istanbul'), ['epoch', 'policy', 'ceil2Nby3Block', 'testQBFTBlock']),
    ...(fields.objects('transitions') ?? []).flatMap((each) => unknownIn(each, TRANSITION)),
    ...(fields.objects('maxCodeSizeConfig') ?? []).flatMap((each) =>
      unknownIn(each, ['block', 'size']),
    ),
    ...(config.qbft ? qbftRemarks(config.qbft) : []),
  ];
}

/** Includes keys that quorum-genesis-tool writes although no client reads them. */
function bftNames(block: JsonFields): readonly string[] {
  return [...BFT, 'testQBFTBlock', ...(block.has('epochlength') ? ['epoch'] : [])];
}

function unknownIn(fields: JsonFields | undefined, known: readonly string[]): string[] {
  return (fields?.keys ?? []).flatMap((key) => {
    if (known.some((name) => name.toLowerCase() === key)) return [];
    const path = `${fields!.path}.${key}`;
    if (NEWER_FORK.test(key)) {
      return [`${path} has no effect, as in GoQuorum: config.quorate activates newer forks`];
    }
    const meant = known.find((name) => isLike(name.toLowerCase(), key));
    return [`${path} means nothing${meant ? `: ${meant} is meant?` : ''}`];
  });
}

/** Whether one of the names begins with the other. */
function isLike(known: string, given: string): boolean {
  return given.length > 2 && (known.startsWith(given) || given.startsWith(known));
}

function zeroIn(block: JsonFields): string[] {
  return ['epochlength', 'blockperiodseconds', 'requesttimeoutseconds']
    .filter((name) => block.quantity(name) === 0n)
    .map((name) => `${block.path}.${name} is 0: the default applies`);
}

function qbftRemarks(qbft: BftConfig): string[] {
  const { blockPeriodSeconds: period = 0, emptyBlockPeriodSeconds: empty = 0 } = qbft;
  const { validatorSelectionMode: mode, beneficiaryMode, miningBeneficiary } = qbft;
  return [
    ...(empty > 0 && empty < period
      ? ['config.qbft.emptyblockperiodseconds is shorter than blockperiodseconds: without effect']
      : []),
    ...(mode !== undefined && mode !== 'contract' && mode !== 'blockheader'
      ? [`config.qbft.validatorselectionmode "${mode}" is neither contract nor blockheader`]
      : []),
    ...(beneficiaryMode?.toLowerCase() === 'fixed' && !miningBeneficiary
      ? ['config.qbft.beneficiaryMode is fixed without miningBeneficiary: address 0 is rewarded']
      : []),
  ];
}
