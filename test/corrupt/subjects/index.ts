import type { Subject } from '../subject.ts';
import { MANAGER } from './manager.ts';
import { NODE } from './node.ts';
import { RAFT } from './raft.ts';
import { RAMP } from './ramp.ts';
import { SIGNER } from './signer.ts';
import { STAKING } from './staking.ts';

export const SUBJECTS: readonly Subject[] = [NODE, RAFT, MANAGER, SIGNER, STAKING, RAMP];
