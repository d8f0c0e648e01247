/** Flags of the ramp that need another one to have an effect. */
import { type FlagNeed, given } from '../../../io/options/needs.ts';

export const RAMP_NEEDS: readonly FlagNeed[] = [
  {
    flags: ['datadir'],
    isMet: (world) => !given('store')(world),
    what: '--store to be omitted: it names the place of everything',
  },
  {
    flags: ['metrics.addr'],
    isMet: given('metrics.port'),
    what: '--metrics.port: without it there are no metrics',
  },
  {
    flags: ['stripe.webhook-secret-file', 'stripe.url'],
    isMet: given('stripe.key-file'),
    what: '--stripe.key-file: without it there are no payments by Stripe',
  },
  {
    flags: ['auth.keys', 'auth.audience'],
    isMet: given('auth.issuer'),
    what: '--auth.issuer: without it there are no tokens',
  },
];
