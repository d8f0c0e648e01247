/** The chain to replay the recorded steps on: the recorded one, or one like the devnet's. */
import { readFileSync } from 'node:fs';
import { FREE_GAS } from '../../src/services/devnet/commands.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import type { Recording } from './recording.ts';

export interface LiveChain {
  /** The genesis file's text. */
  readonly genesis: string;
  /** The nodes' flags that concern fees. */
  readonly flags: readonly string[];
  /** Names of steps that are skipped, because this chain answers them differently. */
  readonly leftOut: ReadonlySet<string>;
  /** Additional members of its receipts, with their values. */
  readonly members: Readonly<Record<string, unknown>>;
  /** By step: the additional gas, compared with the recording. */
  readonly moreGas: Readonly<Record<string, bigint>>;
}

const PERIODS = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };

/** The first write to a storage slot (EIP-2929). */
const COLD_STORE = 2_100n;
/** The first read of a storage slot: 2,100 in place of Istanbul's 800. */
const COLD_LOAD = 1_300n;
/** The first call of an account: 2,600 in place of Istanbul's 700. */
const COLD_CALL = 1_900n;
/** Init code costs 2 gas per word (EIP-3860). */
const STORAGE_CODE = 2n * 68n;
const PROXY_CODE = 2n * 45n;

/** Istanbul's rules; gas is free. */
export function recordedChain({ genesisFile }: Recording): LiveChain {
  return {
    genesis: readFileSync(genesisFile, 'utf8'),
    flags: ['--miner.gasprice', '0'],
    leftOut: new Set(),
    members: {},
    moreGas: {},
  };
}

/**
 * The genesis that `npm start` writes, for the recorded validators and accounts: the forks from
 * Berlin to Cancun, and any gas price. Private execution is not charged, so only public execution
 * takes other gas than recorded.
 */
export function devnetChain({ genesisFile, nodes }: Recording): LiveChain {
  const { alloc } = JSON.parse(readFileSync(genesisFile, 'utf8'));
  const parts = {
    consensus: 'qbft',
    nodes: nodes.map(({ nodeAddress }) => ({ address: nodeAddress })),
    funded: Object.keys(alloc).map((address) => `0x${address}`),
  } as const;
  return {
    genesis: JSON.stringify(devnetGenesis(parts, PERIODS)),
    flags: FREE_GAS,
    // This step offers a price: the recorded chain refuses it, this one accepts it
    // (test/e2e/fees.test.ts).
    leftOut: new Set(['085-err-gas-price']),
    members: { effectiveGasPrice: '0x0' },
    moreGas: {
      '027-public-storage': STORAGE_CODE + COLD_STORE,
      '033-public-proxy': PROXY_CODE + COLD_LOAD,
      '034-public-to-private': COLD_CALL + COLD_LOAD,
      '103-fill-deploy': STORAGE_CODE + COLD_STORE,
      '108-estimate-deploy': STORAGE_CODE + COLD_STORE,
      '109-estimate-deploy-no-value': STORAGE_CODE + COLD_STORE,
    },
  };
}
