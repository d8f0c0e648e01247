/** Genesis files of GoQuorum networks, of any engine, as operators write them. */
import { EMPTY_BYTES, ZERO_HASH } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import {
  encodeIbftExtra,
  encodeQbftExtra,
  ISTANBUL_DIGEST,
} from '../../src/core/chain/extra-data.ts';
import { sortedValidators } from '../../src/core/consensus/bft/validators.ts';

export const CHAIN_ID = 1337;
const FORKS = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople'] as const;
const LATER_FORKS = ['petersburg', 'istanbul', 'muirGlacier'] as const;

const USUAL_SETTINGS = {
  ...{ epochlength: 30_000, policy: 0, ceil2Nby3Block: 0 },
  ...{ blockperiodseconds: 1, requesttimeoutseconds: 2 },
};
/**
 * Below --miner.recommit (3 s): a GoQuorum validator restarts its round timer with each block that
 * it prepares again. It reads the cap only from a `qbft` block or a transition.
 */
export const TIMEOUT_CAP = { maxRequestTimeoutSeconds: 2 };

export interface GenesisFileOptions {
  readonly engine: 'qbft' | 'ibft' | 'raft';
  /** Addresses of the validators. */
  readonly validators?: readonly string[];
  /** Additional settings in the engine's part of the genesis file. */
  readonly settings?: object;
  readonly transitions?: readonly object[];
  readonly config?: object;
  readonly alloc?: object;
}

/** The key of a funded account for tests: number 1 to 255. */
export function testSecretKey(number: number): string {
  return `0x${number.toString(16).padStart(2, '0').repeat(32)}`;
}

export function genesisFile(options: GenesisFileOptions): object {
  const { engine, settings, transitions, config, alloc = {} } = options;
  const isRaft = engine === 'raft';
  return {
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries([...FORKS, ...LATER_FORKS].map((fork) => [`${fork}Block`, 0])),
      isQuorum: true,
      ...(isRaft
        ? {}
        : {
            [engine]: { ...USUAL_SETTINGS, ...(engine === 'qbft' ? TIMEOUT_CAP : {}), ...settings },
          }),
      ...(transitions ? { transitions } : {}),
      ...config,
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0xe0000000',
    difficulty: isRaft ? '0x0' : '0x1',
    mixHash: toHex(isRaft ? ZERO_HASH : ISTANBUL_DIGEST),
    coinbase: `0x${'00'.repeat(20)}`,
    extraData: toHex(isRaft ? ZERO_HASH : extraOf(engine, options.validators ?? [])),
    alloc: { ...fundedAccounts(), ...alloc },
  };
}

function extraOf(engine: 'qbft' | 'ibft', addresses: readonly string[]): Uint8Array {
  const validators = sortedValidators(addresses.map((address) => fromHex(address)));
  const shared = { vanity: ZERO_HASH, validators, seals: [] };
  return engine === 'ibft'
    ? encodeIbftExtra({ ...shared, proposerSeal: EMPTY_BYTES })
    : encodeQbftExtra({ ...shared, vote: undefined, round: 0 });
}

function fundedAccounts(): object {
  const keys = [0x11, 0x12, 0x13, 0x14].map((number) => fromHex(testSecretKey(number)));
  const funds = { balance: `0x${(10n ** 24n).toString(16)}` };
  return Object.fromEntries(keys.map((key) => [toHex(addressOfSecretKey(key)), funds]));
}
