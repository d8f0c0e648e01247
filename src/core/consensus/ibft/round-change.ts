/**
 * ROUND-CHANGE: asking for the next round, and beginning it when a quorum has asked (GoQuorum
 * consensus/istanbul/ibft/core/roundchange.go).
 */
import { type Address, keyOf } from '../../base/bytes.ts';
import { ROUND_MAX, roundToCatchUp, startClock } from '../bft/rounds.ts';
import { saySigned, viewOf } from '../bft/step.ts';
import { leaveView, setRepeatTimer, setRoundTimer } from '../bft/timers.ts';
import { type RoundChange, signRoundChange } from './messages.ts';
import { broadcast, type HeightState, newRound, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** The round failed: requests the next one. */
export function leaveRound(step: Step): void {
  askFor(step, step.state.current.round + 1);
}

/** Leaves the round and tells the other validators; a non-voting node follows silently. */
function askFor(step: Step, round: number): void {
  const { state } = step;
  if (round > ROUND_MAX) return;
  leaveView(step);
  state.current = { ...newRound(state, round), isWaiting: true };
  if (!state.isVoting) return;
  startClock(step, roundsAsked(state));
  setRepeatTimer(step);
  remember(step);
  sendRoundChange(step);
}

function roundsAsked({ roundChanges }: HeightState): number[] {
  return [...roundChanges.values()];
}

/** Call it after the round is remembered. */
export function sendRoundChange(step: Step): void {
  const { signer } = step;
  const view = viewOf(step);
  const sign = () => signRoundChange(signer, view);
  saySigned(step, 'roundChange', sign, (then, message) => {
    broadcast(then, message);
    onRoundChange(then, signer.address, message);
  });
}

/** A ROUND-CHANGE for the current round or a later one. */
export function onRoundChange(step: Step, signer: Address, { view }: RoundChange): void {
  const { state } = step;
  const key = keyOf(signer);
  const isNews = view.round > (state.roundChanges.get(key) ?? 0);
  if (state.isDecided || !isNews || view.round > ROUND_MAX) return;
  state.roundChanges.set(key, view.round);
  const agreed = agreedRound(step);
  if (agreed !== undefined) {
    beginRound(step, agreed);
    return;
  }
  const asked = roundsAsked(state);
  // COMPAT: GoQuorum follows at its own timeout, or when exactly f + 1 validators request the same
  // round while it waits itself.
  const ahead = roundToCatchUp(state, asked);
  if (ahead !== undefined) askFor(step, ahead);
  else startClock(step, asked);
}

/** The highest round that a quorum has requested, if this node has not begun it. */
function agreedRound({ state }: Step): number | undefined {
  const { round, isWaiting } = state.current;
  const votes = new Map<number, number>();
  for (const asked of state.roundChanges.values()) votes.set(asked, (votes.get(asked) ?? 0) + 1);
  let agreed: number | undefined;
  for (const [asked, count] of votes) {
    const isOpen = asked > round || (asked === round && isWaiting);
    if (count >= state.quorum && isOpen && asked > (agreed ?? 0)) agreed = asked;
  }
  return agreed;
}

function beginRound(step: Step, round: number): void {
  const { state } = step;
  if (state.current.round === round) {
    state.current.isWaiting = false;
  } else {
    leaveView(step);
    state.current = newRound(state, round);
    if (state.isVoting) setRepeatTimer(step);
  }
  if (state.isVoting) setRoundTimer(step);
}
