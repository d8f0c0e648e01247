/**
 * Back to the partner with the order's id. It goes by itself once the order needs its customer no
 * more: partners learn of an order by this. Who wants to stay says so.
 */
import { useRef } from 'preact/hooks';
import type { ShownOrder, WidgetState } from '../../../core/ramp/page-data.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useCountdown, useDelay } from '../../ui/timers.ts';
import { useSpeech } from './speech.ts';

/** Long enough to read what came of it. */
const ENDED_MS = 8_000;
/** Money is on its way: the partner shows the rest. */
const PENDING_MS = 30_000;

export function WayBack({
  state,
  order,
  isBound,
  onStay,
}: {
  state: WidgetState;
  order: ShownOrder;
  /**
   * The customer wants to stay, answers a question, or still has to transfer or to send something:
   * nothing takes them away from what they have to know.
   */
  isBound: boolean;
  onStay: () => void;
}) {
  const { texts } = useSpeech();
  const { status, backUrl } = order;
  const isPending = status === 'PENDING' || status === 'CREATED';
  const isGoing = !isBound;
  // A recurring buy shows a link to keep.
  const waitMs = isPending || order.recurs ? PENDING_MS : ENDED_MS;
  const start = useRef({ waitMs, endMs: performance.now() + waitMs });
  if (start.current.waitMs !== waitMs || !isGoing) {
    start.current = { waitMs, endMs: performance.now() + waitMs };
  }
  const leftMs = useCountdown(isGoing ? start.current.endMs : undefined);
  useDelay(isGoing ? waitMs : undefined, () => location.assign(backUrl));
  const seconds = Math.ceil(leftMs / 1000);
  return (
    <div class="stack-close">
      <ButtonLink href={backUrl} look="primary" wide>
        {texts.backNow(state.partner)}
      </ButtonLink>
      {isGoing && (
        <div class="way-back">
          <span class="small soft numeric" aria-hidden="true">
            {texts.backSoon(state.partner, seconds)}
          </span>
          <Button look="quiet" small onClick={onStay}>
            {texts.stay}
          </Button>
        </div>
      )}
    </div>
  );
}
