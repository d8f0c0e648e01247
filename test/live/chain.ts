/** What the recorded steps are played on: the recorded chain, or the one that the devnet makes. */
import { readFileSync } from 'node:fs';
import { FREE_GAS } from '../../src/services/devnet/commands.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import type { Recording } from './recording.ts';

export interface LiveChain {
  /** The genesis file's text. */
  readonly genesis: string;
  /** What nodes are started with for its fees. */
  readonly flags: readonly string[];
  /** Names of steps that it has other answers to. */
  readonly leftOut: ReadonlySet<string>;
  /** Members that its receipts have besides, with their value. */
  readonly members: Readonly<Record<string, unknown>>;
  /** By step: how much more gas it takes than when it was recorded. */
  readonly moreGas: Readonly<Record<string, bigint>>;
}

const PERIODS = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };

/** A slot that is met first, written (EIP-2929). */
const COLD_STORE = 2_100n;
/** A slot that is met first, read: 2,100 in place of Istanbul's 800. */
const COLD_LOAD = 1_300n;
/** An account that is met first, called: 2,600 in place of Istanbul's 700. */
const COLD_CALL = 1_900n;
/** Words of init code at 2 each (EIP-3860). */
const STORAGE_CODE = 2n * 68n;
const PROXY_CODE = 2n * 45n;

/** Istanbul's rules; gas has no price. */
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
 * The genesis that `npm start` writes, for the recorded validators and accounts: Berlin to Cancun,
 * any price. What runs in private is not charged, so only what runs in public takes other gas.
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
    // It offers a price, which the recorded chain refuses and this one takes
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
