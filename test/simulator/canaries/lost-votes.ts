/** A restarted validator has forgotten its votes. */
import type { Canary } from './canary.ts';

export const LOST_VOTES: Canary = { name: 'lost-votes', forgetsVotes: true };
