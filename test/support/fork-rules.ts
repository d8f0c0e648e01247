/** Rules of plain Ethereum forks, as the official tests name them. */
import { FORKS, type Fork, type Rules } from '../../src/core/chain/rules.ts';

const NAMES: Readonly<Record<string, Fork>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  ArrowGlacier: 'london',
  GrayGlacier: 'london',
  Merge: 'paris',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
};

const WEI_PER_ETHER = 10n ** 18n;

/** Chain id 1. Block rewards are those of proof of work, 0 from Paris on. Throws for an unknown name. */
export function rulesOfFork(name: string): Rules {
  const fork = NAMES[name];
  if (!fork) throw new Error(`no rules for the fork ${name}`);
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
    transactionBytesMax: 131_072,
    minerGasLimit: undefined,
    blockReward: rewardOf(has),
    rewardTo: { kind: 'coinbase' },
  };
}

function rewardOf(has: (fork: Fork) => boolean): bigint {
  if (has('paris')) return 0n;
  if (has('constantinople')) return 2n * WEI_PER_ETHER;
  return (has('byzantium') ? 3n : 5n) * WEI_PER_ETHER;
}
