/** Timers of QBFT and IBFT, and what else ends with a view. Their names carry the view, so that one that fires late is recognised as stale. */
import type { StepBase } from './step.ts';
import { roundTimeoutMs } from './timeout.ts';

/** round: it lasts too long. future: a held proposal is due. empty: an empty block is due. repeat: say it again. */
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
 * Before the view changes. A proposal whose check takes longer than its round must not hold up the next one: whoever made it may
 * have made it so.
 */
export function leaveView(step: StepBase): void {
  for (const name of NAMES) step.effects.push({ kind: 'clearTimer', id: timerId(step, name) });
  const { proposal } = step.state.current;
  if (proposal?.status !== 'checking') return;
  step.effects.push({ kind: 'abandon', hash: proposal.block.hash });
}

/** The block period ends: nothing is proposed earlier. */
export function periodEndMs({ state }: StepBase): number {
  return (Number(state.head.timestamp) + state.rules.blockPeriodSeconds) * 1000;
}

/** An empty block is due: later than the block period only where an empty block period is set. COMPAT: not in IBFT. */
export function emptyDueMs({ state }: StepBase): number {
  const { engine, blockPeriodSeconds, emptyBlockPeriodSeconds } = state.rules;
  const emptySeconds = engine === 'ibft' ? 0 : emptyBlockPeriodSeconds;
  const seconds = Math.max(blockPeriodSeconds, emptySeconds);
  return (Number(state.head.timestamp) + seconds) * 1000;
}

/**
 * The round's time runs from now on; in round 0 from the moment at which a proposal is due.
 * GoQuorum starts it when its own block is built, which is the same moment.
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
