/** The progress of an order, step by step. */
import type { ShownOrder, WidgetState } from '../../../core/ramp/page-data.ts';
import { Timeline, type TimelineStep } from '../../ui/status.tsx';
import { useSpeech } from './speech.ts';
import { stepsDone } from './steps-done.ts';

export function Progress({ state, order }: { state: WidgetState; order: ShownOrder }) {
  const { texts } = useSpeech();
  const { side, terms } = state;
  const crypto = terms.crypto.toUpperCase();
  const titles =
    side === 'buy'
      ? [texts.stepOrder, texts.stepPayment, texts.stepPayout(crypto), texts.stepConfirmed]
      : [texts.stepOrder, texts.stepDeposit(crypto), texts.stepFiatPayout(terms.fiat)];
  const done = stepsDone(side, order.code);
  const isStopped = order.status === 'FAILED' || order.status === 'CANCELLED';
  const stateOf = (at: number): TimelineStep['state'] => {
    if (at < done) return 'done';
    if (at > done) return 'next';
    return isStopped ? 'stopped' : 'now';
  };
  return (
    <Timeline
      label={texts.progress}
      states={texts.states}
      steps={titles.map((title, at) => ({ title, state: stateOf(at) }))}
    />
  );
}
