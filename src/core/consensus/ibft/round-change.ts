/** ROUND-CHANGE: asking for the next round, and beginning it when a quorum has asked (consensus dossier §5.2). */
import { type Address, keyOf } from '../../base/bytes.ts';
import { viewOf } from '../bft/step.ts';
import { isAtCap } from '../bft/timeout.ts';
import { clearTimers, setRepeatTimer, setRoundTimer } from '../bft/timers.ts';
import { type RoundChange, signRoundChange } from './messages.ts';
import { broadcast, newRound, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** Rounds beyond it are not believed: at a second each it takes a century to come here. */
const ROUND_MAX = 0xffffffff;

/** The round failed: asks for the next. */
export function leaveRound(step: Step): void {
  askFor(step, step.state.current.round + 1);
}

/** Leaves the round and tells the others; one that does not vote follows in silence. */
function askFor(step: Step, round: number): void {
  const { state } = step;
  if (round > ROUND_MAX) return;
  clearTimers(step);
  state.current = { ...newRound(state, round), isWaiting: true };
  if (!state.isVoting) return;
  startClock(step);
  setRepeatTimer(step);
  remember(step);
  sendRoundChange(step);
}

/**
 * Lets the time of a round that is asked for run. While rounds still grow it runs at once, as in the reference. At the cap they
 * do not, and validators that are out of step would stay so for ever: there it runs when a quorum has come this far.
 */
function startClock(step: Step): void {
  const { current, roundChanges, quorum, rules, isVoting } = step.state;
  if (current.isTimed || !isVoting) return;
  const here = [...roundChanges.values()].filter((round) => round >= current.round);
  if (!isAtCap(rules, current.round) || here.length >= quorum) setRoundTimer(step);
}

/** After the round is remembered. */
export function sendRoundChange(step: Step): void {
  const { signer } = step;
  const message = signRoundChange(signer, viewOf(step));
  broadcast(step, message);
  onRoundChange(step, signer.address, message);
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
  const ahead = roundToCatchUp(step);
  if (ahead !== undefined) askFor(step, ahead);
  else startClock(step);
}

/** The highest round that a quorum has asked for, when it has not begun here. */
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

/**
 * f + 1 validators are ahead, so an honest one is: the highest round that f + 1 have reached. COMPAT: the reference follows at
 * its own timeout, or when exactly f + 1 ask for one round while it waits itself.
 */
function roundToCatchUp({ state }: Step): number | undefined {
  const ahead = [...state.roundChanges.values()]
    .filter((round) => round > state.current.round)
    .sort((a, b) => b - a);
  return ahead[state.faulty];
}

function beginRound(step: Step, round: number): void {
  const { state } = step;
  if (state.current.round === round) {
    state.current.isWaiting = false;
  } else {
    clearTimers(step);
    state.current = newRound(state, round);
    if (state.isVoting) setRepeatTimer(step);
  }
  if (state.isVoting) setRoundTimer(step);
}
