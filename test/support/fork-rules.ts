/**
 * Rules by the official tests' names of forks, with the block rewards of proof of work until Paris.
 */
import { FORKS, type Fork, type Rules } from '../../src/core/chain/rules.ts';
import { rulesOfFork } from './rules-of-fork.ts';

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

/** Throws for an unknown name. */
export function rulesOfName(name: string): Rules {
  const fork = NAMES[name];
  if (!fork) throw new Error(`no rules for the fork ${name}`);
  return rulesOfFork(fork, { blockReward: rewardOf(fork) });
}

function rewardOf(fork: Fork): bigint {
  const has = (other: Fork) => FORKS.indexOf(fork) >= FORKS.indexOf(other);
  if (has('paris')) return 0n;
  if (has('constantinople')) return 2n * WEI_PER_ETHER;
  return (has('byzantium') ? 3n : 5n) * WEI_PER_ETHER;
}
