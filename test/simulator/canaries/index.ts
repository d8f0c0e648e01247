import type { Canary } from './canary.ts';
import { IBFT_LOST_LOCK, IBFT_LOST_VOTES, IBFT_SMALL_QUORUM } from './ibft.ts';
import { LOST_LOCK } from './lost-lock.ts';
import { LOST_VOTES } from './lost-votes.ts';
import { NEVER_ABANDONS } from './never-abandons.ts';
import { NO_JUSTIFICATION } from './no-justification.ts';
import { SMALL_QUORUM } from './small-quorum.ts';

export const CANARIES: readonly Canary[] = [
  SMALL_QUORUM,
  LOST_VOTES,
  LOST_LOCK,
  NO_JUSTIFICATION,
  NEVER_ABANDONS,
  IBFT_SMALL_QUORUM,
  IBFT_LOST_VOTES,
  IBFT_LOST_LOCK,
];
