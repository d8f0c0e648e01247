/** A quorum of valid seals decides (GoQuorum consensus/istanbul/qbft/core/commit.go). */
import { equalBytes, type Hash32, keyOf } from '../../base/bytes.ts';
import type { Header } from '../../chain/header.ts';
import type { Seal } from './interface.ts';
import { blame, type StepBase, votesFor } from './step.ts';
import { leaveView } from './timers.ts';

/** The bytes that a seal signs, from the header and the round. */
export type SealPreimage = (header: Header, round: number) => Hash32;

/** Decides once a quorum has sealed a valid proposal, even before its PREPAREs arrive. */
export function tryDecide(step: StepBase, preimageOf: SealPreimage): void {
  const { state, effects } = step;
  const { proposal, commits, round } = state.current;
  if (state.isDecided || proposal?.status !== 'valid') return;
  if (votesFor(commits, proposal.block.hash).length < state.quorum) return;
  const seals = soundSeals(step, preimageOf);
  if (seals.length < state.quorum) return;
  state.isDecided = true;
  leaveView(step);
  effects.push({ kind: 'decide', block: proposal.block, round, seals });
}

/**
 * Drops COMMITs whose seal is not by their signer: even one of them would make every node reject
 * the block.
 */
function soundSeals(step: StepBase, preimageOf: SealPreimage): readonly Seal[] {
  const { commits, proposal, round } = step.state.current;
  const { header, hash } = proposal!.block;
  const preimage = preimageOf(header, round);
  const seals: Seal[] = [];
  for (const { signer, message } of votesFor(commits, hash)) {
    const sealer = step.signer.recover(preimage, message.seal);
    if (sealer && equalBytes(sealer, signer)) {
      seals.push(message.seal);
    } else {
      commits.delete(keyOf(signer));
      blame(step, signer, 'COMMIT with a seal that is not by its signer');
    }
  }
  return seals;
}
