/** Flags of the staking service that have an effect only together with another flag. */
import { type FlagNeed, given, on } from '../../../io/options/needs.ts';

export const STORE_NEEDS: readonly FlagNeed[] = [
  {
    flags: ['datadir'],
    isMet: (world) => !given('store')(world) || !given('secret-file')(world),
    what: '--store or --secret-file to be omitted: they replace it',
  },
];

export const STAKING_NEEDS: readonly FlagNeed[] = [
  ...STORE_NEEDS,
  {
    flags: ['metrics.addr'],
    isMet: given('metrics.port'),
    what: '--metrics.port: without it there are no metrics',
  },
  {
    flags: [
      ...['api.audience', 'ledger.url', 'deposit.from', 'deposit.contract', 'deposit.fork-version'],
    ],
    isMet: on('api'),
    what: 'the staking API, which --api=false turns off',
  },
  {
    flags: ['ledger.url', 'deposit.contract', 'deposit.fork-version'],
    isMet: (world) => !on('api')(world) || given('deposit.from')(world),
    what: '--deposit.from: without it no account pays for deposits',
  },
];
