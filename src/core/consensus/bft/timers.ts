/**
 * Timers of QBFT and IBFT, and other state that ends with a view. Timer names contain the view, so
 * that a late one is recognised as stale.
 */
import { isShortPeriod } from '../../chain/block-times.ts';
import type { StepBase } from './step.ts';
import { roundTimeoutMs } from './timeout.ts';

/**
 * round: it timed out. future: a held proposal is due. empty: an empty block is due. repeat: send
 * messages again.
 */
export type TimerName = 'round' | 'future' | 'empty' | 'repeat';
const NAMES: readonly TimerName[] = ['round', 'future', 'empty', 'repeat'];

function timerId({ state }: StepBase, name: TimerName): string {
  return `${name}/${state.height}/${state.current.round}`;
}

export function setTimer(step: StepBase, name: TimerName, dueMs: number): void {
  const delayMs = Math.max(0, dueMs - step.nowMs);
  step.effects.push({ kind: 'setTimer', id: timerId(step, name), delayMs });
}

/** Which timer of the current view this is, or undefined for one of another view. */
export function dueTimer(step: StepBase, id: string): TimerName | undefined {
  return NAMES.find((name) => timerId(step, name) === id);
}

/**
 * Runs before the view changes. A proposal whose check outlasts its round must not delay the next
 * round: its proposer may have made it slow on purpose.
 */
export function leaveView(step: StepBase): void {
  for (const name of NAMES) step.effects.push({ kind: 'clearTimer', id: timerId(step, name) });
  const { proposal } = step.state.current;
  if (proposal?.status !== 'checking') return;
  step.effects.push({ kind: 'abandon', hash: proposal.block.hash });
}

/**
 * End of the block period: nothing is proposed earlier. Timestamps cannot show the end of a period
 * below a second: it ends when the clock is a multiple of it, so that blocks keep the pace however
 * long agreement takes, but not before half of it has passed.
 */
export function periodEndMs({ state }: StepBase): number {
  const { blockPeriodMs } = state.rules;
  if (!isShortPeriod(state.rules)) return Number(state.head.timestamp) * 1000 + blockPeriodMs;
  return Math.ceil(halfPeriodMs({ state }) / blockPeriodMs) * blockPeriodMs;
}

/**
 * A new proposal is accepted from here on: without timestamps, only this slows down a dishonest
 * proposer.
 */
export function proposableFromMs({ state }: Pick<StepBase, 'state'>): number {
  return isShortPeriod(state.rules) ? halfPeriodMs({ state }) : 0;
}

function halfPeriodMs({ state }: Pick<StepBase, 'state'>): number {
  return state.headAtMs + state.rules.blockPeriodMs / 2;
}

/**
 * An empty block is due: later than the block period only where an empty block period is set.
 * COMPAT: not in IBFT.
 */
export function emptyDueMs(step: StepBase): number {
  const { rules, head } = step.state;
  const emptySeconds = rules.engine === 'ibft' ? 0 : rules.emptyBlockPeriodSeconds;
  return Math.max(periodEndMs(step), (Number(head.timestamp) + emptySeconds) * 1000);
}

/**
 * The round's timer starts now; in round 0, when a proposal is due. GoQuorum starts it when its own
 * block is built, which is the same moment.
 */
export function setRoundTimer(step: StepBase): void {
  const { state, nowMs } = step;
  const { round, proposal } = state.current;
  const dueMs = state.hasTransactions ? periodEndMs(step) : emptyDueMs(step);
  const fromMs = round === 0 && !proposal ? Math.max(nowMs, dueMs) : nowMs;
  state.current.isTimed = true;
  setTimer(step, 'round', fromMs + roundTimeoutMs(state.rules, round));
}

export function setRepeatTimer(step: StepBase): void {
  setTimer(step, 'repeat', step.nowMs + step.state.rules.requestTimeoutMs);
}
