/** Checks that a chain can make blocks: GoQuorum detects these faults at start, or never. */
import { equalBytes } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import type { ChainConfig } from './chain-config.ts';
import { consensusAt, engineAt } from './consensus-rules.ts';
import { ISTANBUL_DIGEST, readBftExtra } from './extra-data.ts';
import type { Genesis } from './genesis.ts';
import { genesisFault } from './json-fields.ts';

/** Throws GENESIS_INVALID, naming the key of the file. */
export function checkStart({ config, header }: Pick<Genesis, 'config' | 'header'>): void {
  checkEngines(config);
  if (!['qbft', 'ibft'].includes(engineAt(config, 1))) return;
  const fault =
    validatorsFault(config, header) ?? (config.isQuorum ? sealFault(header) : undefined);
  // GoQuorum continues, and never makes a block.
  if (fault !== undefined) throw genesisFault(`BFT: invalid genesis block: ${fault}`);
}

function checkEngines(config: ChainConfig): void {
  const { istanbul, ibft, qbft } = config;
  if (istanbul && (ibft || qbft)) {
    throw genesisFault(
      'the attributes config.Istanbul and config.[IBFT|QBFT] are mutually exclusive on the genesis file',
    );
  }
  if (ibft && qbft) {
    throw genesisFault(
      'the attributes config.IBFT and config.QBFT are mutually exclusive on the genesis file',
    );
  }
  if (config.isQuorum && config.chainId === 1n) {
    throw genesisFault('Cannot have chain id or network id as 1.');
  }
}

function validatorsFault(
  config: ChainConfig,
  { extraData }: Genesis['header'],
): string | undefined {
  const extra = readBftExtra(extraData);
  if (!extra) {
    return `invalid extra data format: the ${extraData.length} bytes of extraData are neither QBFT's form, the RLP list [vanity, validators, vote, round, seals], nor IBFT's, 32 bytes and the RLP list [validators, seal, seals]`;
  }
  const { validatorContract, validatorOverride } = consensusAt(config, 0);
  if (validatorContract || (validatorOverride ?? extra.validators).length > 0) return undefined;
  return 'no validators: extraData names none, and the configuration names no contract that does';
}

function sealFault({ mixHash, difficulty }: Genesis['header']): string | undefined {
  if (!equalBytes(mixHash, ISTANBUL_DIGEST))
    return `invalid Istanbul mix digest: mixHash must be ${toHex(ISTANBUL_DIGEST)}`;
  return difficulty === 1n ? undefined : `invalid difficulty: it is ${difficulty}, and must be 1`;
}
