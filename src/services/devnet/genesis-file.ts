/**
 * The genesis file of a devnet: written once. A folder keeps its own file, even if later versions
 * would write another one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { writeWhole } from '../../io/host/whole-file.ts';

export interface GenesisFile {
  readonly path: string;
  /** Written by an earlier version, with other rules than this one's. */
  readonly isEarlier: boolean;
  /** Transactions may name a gas price above 0. */
  readonly takesGasPrice: boolean;
  /** Whether the genesis block has something at the address: funds or a contract. */
  allocates(address: string): boolean;
}

interface Genesis {
  readonly config?: {
    readonly qbft?: {
      readonly blockPeriodSeconds: number;
      readonly xblockperiodmilliseconds?: number;
      readonly emptyBlockPeriodSeconds: number;
    };
    readonly enableGasPriceBlock?: number;
  };
  readonly extraData: string;
  readonly alloc?: Readonly<Record<string, unknown>>;
}

/**
 * Writes `wanted` unless the folder has a genesis. Throws DEVNET_DIFFERENT if that one was made
 * with other settings.
 */
export function keepGenesis(folder: string, wanted: object): GenesisFile {
  const path = join(folder, 'genesis.json');
  const text = `${JSON.stringify(wanted, null, 2)}\n`;
  if (!existsSync(path)) writeWhole(path, text);
  const kept = readFileSync(path, 'utf8');
  const genesis = parse(path, kept);
  if (settingsOf(genesis) !== settingsOf(wanted as Genesis)) {
    throw fail(
      'DEVNET_DIFFERENT',
      `the network in ${folder} was made with other settings: start it with those, name another --folder, or start again with --fresh`,
    );
  }
  return {
    path,
    isEarlier: kept !== text,
    takesGasPrice: genesis.config?.enableGasPriceBlock !== undefined,
    allocates: (address) => genesis.alloc?.[address] !== undefined,
  };
}

function parse(path: string, text: string): Genesis {
  try {
    return JSON.parse(text) as Genesis;
  } catch (cause) {
    throw fail('DEVNET_DIFFERENT', `${path} is not JSON: start again with --fresh`, { cause });
  }
}

/** Settings that the command line chooses: consensus, members, and the times between blocks. */
function settingsOf({ config, extraData }: Genesis): string {
  const qbft = config?.qbft;
  return JSON.stringify([
    extraData,
    qbft?.blockPeriodSeconds,
    qbft?.emptyBlockPeriodSeconds,
    qbft?.xblockperiodmilliseconds,
  ]);
}
