/**
 * ROUND-CHANGE: leaving a round that timed out, and proposing in the next with a proof (GoQuorum
 * consensus/istanbul/qbft/core/roundchange.go).
 */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { requestBlock } from '../bft/own-block.ts';
import { ROUND_MAX, roundToCatchUp, startClock } from '../bft/rounds.ts';
import { type Ballot, blame, isProposer, saySigned, viewOf } from '../bft/step.ts';
import { leaveView, setRepeatTimer } from '../bft/timers.ts';
import { certificateFault } from './justification.ts';
import { type RoundChange, signRoundChange } from './messages.ts';
import { propose } from './proposal.ts';
import { broadcast, electorateOf, type HeightState, newRound, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/**
 * Enters `round` of the same height and tells the other validators; a non-voting node follows
 * silently.
 */
export function changeRound(step: Step, round: number): void {
  const { state } = step;
  if (round > ROUND_MAX) return;
  leaveView(step);
  state.current = newRound(state, round);
  if (!state.isVoting) return;
  startClock(step, roundsAsked(state));
  setRepeatTimer(step);
  remember(step);
  sendRoundChange(step);
}

/** Call it after the round and the lock are remembered. */
export function sendRoundChange(step: Step): void {
  const { signer } = step;
  const { lock } = step.state;
  const view = viewOf(step);
  const sign = () => signRoundChange(signer, view, lock);
  saySigned(step, 'roundChange', sign, (then, message) => {
    broadcast(then, message);
    onRoundChange(then, signer.address, message);
  });
}

/** A ROUND-CHANGE for the current round or a later one. */
export function onRoundChange(step: Step, signer: Address, message: RoundChange): void {
  const { state } = step;
  if (state.isDecided || message.view.round > ROUND_MAX || message.view.round === 0) return;
  if (!record(step, signer, message)) return;
  const asked = roundsAsked(state);
  // COMPAT: GoQuorum moves when exactly f + 1 validators are ahead, to the lowest of their rounds,
  // and may miss it.
  const ahead = roundToCatchUp(state, asked);
  if (ahead !== undefined) {
    changeRound(step, ahead);
    return;
  }
  startClock(step, asked);
  tryPropose(step);
}

function roundsAsked({ roundChanges }: HeightState): number[] {
  return [...roundChanges.values()].map(({ message }) => message.view.round);
}

/** Keeps the latest ROUND-CHANGE of each signer, if its claim is proved. */
function record(step: Step, signer: Address, message: RoundChange): boolean {
  const { roundChanges } = step.state;
  const earlier = roundChanges.get(keyOf(signer))?.message;
  if (earlier && earlier.view.round >= message.view.round) {
    const isDouble =
      earlier.view.round === message.view.round && !equalBytes(earlier.payload, message.payload);
    if (isDouble) blame(step, signer, 'two different ROUND-CHANGE messages for one round');
    return false;
  }
  const fault = message.prepared ? certificateFault(electorateOf(step), message) : undefined;
  if (fault) {
    blame(step, signer, fault);
    return false;
  }
  roundChanges.set(keyOf(signer), { signer, message });
  return true;
}

/** As proposer of a round above 0: proposes when a quorum has moved to this round. */
export function tryPropose(step: Step): void {
  const { state } = step;
  const { current } = state;
  if (current.round === 0 || current.hasProposed || state.isDecided || !isProposer(step)) return;
  const here = [...state.roundChanges.values()]
    .map(({ message }: Ballot<RoundChange>) => message)
    .filter(({ view }) => view.round === current.round);
  if (here.length < state.quorum) return;
  const highest = highestPrepared(here);
  if (highest?.block) propose(step, highest.block, here, highest.prepares);
  else if (state.own) propose(step, state.own, here, []);
  else if (!current.wanted) requestBlock(step);
}

function highestPrepared(messages: readonly RoundChange[]): RoundChange | undefined {
  let highest: RoundChange | undefined;
  for (const message of messages) {
    if (!message.prepared) continue;
    if (!highest || message.prepared.round > highest.prepared!.round) highest = message;
  }
  return highest;
}
