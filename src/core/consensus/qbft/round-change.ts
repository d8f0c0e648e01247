/** ROUND-CHANGE: leaving a round that takes too long, and proposing in the next with a proof (consensus dossier §4.4). */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { requestBlock } from '../bft/own-block.ts';
import { type Ballot, blame, isProposer, viewOf } from '../bft/step.ts';
import { isAtCap } from '../bft/timeout.ts';
import { clearTimers, setRepeatTimer, setRoundTimer } from '../bft/timers.ts';
import { certificateFault } from './justification.ts';
import { type RoundChange, signRoundChange } from './messages.ts';
import { propose } from './proposal.ts';
import { broadcast, newRound, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** Rounds fit the 32 bits that the header has for them. */
const ROUND_MAX = 0xffffffff;

/** Enters `round` of the same height and tells the others; one that does not vote follows in silence. */
export function changeRound(step: Step, round: number): void {
  const { state } = step;
  if (round > ROUND_MAX) return;
  clearTimers(step);
  state.current = newRound(state, round);
  if (!state.isVoting) return;
  startClock(step);
  setRepeatTimer(step);
  remember(step);
  sendRoundChange(step);
}

/** After the round and the lock are remembered. */
export function sendRoundChange(step: Step): void {
  const { signer, state } = step;
  const message = signRoundChange(signer, viewOf(step), state.lock);
  broadcast(step, message);
  onRoundChange(step, signer.address, message);
}

/** A ROUND-CHANGE for the current round or a later one. */
export function onRoundChange(step: Step, signer: Address, message: RoundChange): void {
  const { state } = step;
  if (state.isDecided || message.view.round > ROUND_MAX || message.view.round === 0) return;
  if (!record(step, signer, message)) return;
  const ahead = roundToCatchUp(step);
  if (ahead !== undefined) {
    changeRound(step, ahead);
    return;
  }
  startClock(step);
  tryPropose(step);
}

/**
 * Lets the time of the round run. While rounds still grow it runs at once, as in the reference. At the cap they do not, and
 * validators that are out of step would stay so for ever: there it runs when a quorum has come this far.
 */
function startClock(step: Step): void {
  const { current, roundChanges, electorate, rules, isVoting } = step.state;
  if (current.isTimed || !isVoting) return;
  const here = [...roundChanges.values()].filter(
    ({ message }) => message.view.round >= current.round,
  );
  if (!isAtCap(rules, current.round) || here.length >= electorate.quorum) setRoundTimer(step);
}

/** Keeps the latest of each signer, if what it claims is proved. */
function record(step: Step, signer: Address, message: RoundChange): boolean {
  const { roundChanges, electorate } = step.state;
  const earlier = roundChanges.get(keyOf(signer))?.message;
  if (earlier && earlier.view.round >= message.view.round) {
    const isDouble =
      earlier.view.round === message.view.round && !equalBytes(earlier.payload, message.payload);
    if (isDouble) blame(step, signer, 'two different ROUND-CHANGE messages for one round');
    return false;
  }
  const fault = message.prepared ? certificateFault(electorate, message) : undefined;
  if (fault) {
    blame(step, signer, fault);
    return false;
  }
  roundChanges.set(keyOf(signer), { signer, message });
  return true;
}

/**
 * f + 1 validators are ahead, so an honest one is: the highest round that f + 1 have reached. COMPAT: the reference moves when
 * exactly f + 1 are ahead, to the lowest of their rounds, and so may miss it.
 */
function roundToCatchUp({ state }: Step): number | undefined {
  const ahead = [...state.roundChanges.values()]
    .map(({ message }) => message.view.round)
    .filter((round) => round > state.current.round)
    .sort((a, b) => b - a);
  return ahead[state.faulty];
}

/** As proposer of a round above 0: proposes when a quorum has moved here. */
export function tryPropose(step: Step): void {
  const { state } = step;
  const { current, electorate } = state;
  if (current.round === 0 || current.hasProposed || state.isDecided || !isProposer(step)) return;
  const here = [...state.roundChanges.values()]
    .map(({ message }: Ballot<RoundChange>) => message)
    .filter(({ view }) => view.round === current.round);
  if (here.length < electorate.quorum) return;
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
