import type { Canary } from './canary.ts';
import { LOST_LOCK } from './lost-lock.ts';
import { LOST_VOTES } from './lost-votes.ts';
import { NO_JUSTIFICATION } from './no-justification.ts';
import { SMALL_QUORUM } from './small-quorum.ts';

export const CANARIES: readonly Canary[] = [SMALL_QUORUM, LOST_VOTES, LOST_LOCK, NO_JUSTIFICATION];
