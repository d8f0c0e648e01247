/** What GoQuorum checks of a chain when a node starts, and not at `init`. */
import { equalBytes } from '../base/bytes.ts';
import type { ChainConfig } from './chain-config.ts';
import { engineAt } from './consensus-rules.ts';
import { ISTANBUL_DIGEST, readBftExtra } from './extra-data.ts';
import type { Genesis } from './genesis.ts';
import { genesisFault } from './json-fields.ts';

/** Throws GENESIS_INVALID. */
export function checkStart({ config, header }: Pick<Genesis, 'config' | 'header'>): void {
  checkEngines(config);
  if (!config.isQuorum || !['qbft', 'ibft'].includes(engineAt(config, 1))) return;
  const fault = headerFault(header);
  // GoQuorum goes on, and never makes a block.
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

function headerFault({ extraData, mixHash, difficulty }: Genesis['header']): string | undefined {
  if (!readBftExtra(extraData)) return 'invalid extra data format';
  if (!equalBytes(mixHash, ISTANBUL_DIGEST)) return 'invalid Istanbul mix digest';
  return difficulty === 1n ? undefined : 'invalid difficulty';
}
