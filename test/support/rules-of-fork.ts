/** The rules of a plain Ethereum chain at one fork, for tests without a genesis file. */
import { FORKS, type Fork, type Rules } from '../../src/core/chain/rules.ts';

export function rulesOfFork(fork: Fork, overrides: Partial<Rules> = {}): Rules {
  const has = (other: Fork) => FORKS.indexOf(fork) >= FORKS.indexOf(other);
  return {
    fork,
    isHomestead: has('homestead'),
    isEip150: has('tangerineWhistle'),
    isEip155: has('spuriousDragon'),
    isEip158: has('spuriousDragon'),
    isByzantium: has('byzantium'),
    isConstantinople: has('constantinople'),
    isPetersburg: has('petersburg'),
    isIstanbul: has('istanbul'),
    isBerlin: has('berlin'),
    isLondon: has('london'),
    isParis: has('paris'),
    isShanghai: has('shanghai'),
    isCancun: has('cancun'),
    chainId: 1n,
    isQuorum: false,
    isMps: false,
    isEnhancedPermissioning: false,
    isZeroBaseFee: false,
    isGasPriceEnabled: true,
    isPrivacyEnhancements: false,
    isPrivacyPrecompile: false,
    codeBytesMax: 24_576,
    transactionBytesMax: 128 * 1024,
    minerGasLimit: undefined,
    blockReward: 0n,
    rewardTo: { kind: 'coinbase' },
    ...overrides,
  };
}
