/**
 * The link back to the partner, with the order's id. The page follows it by itself once the order
 * needs nothing more from its customer, because partners learn of an order this way. A customer may
 * choose to stay.
 */
import { useRef } from 'preact/hooks';
import type { ShownOrder, WidgetState } from '../../../core/ramp/page-data.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useCountdown, useDelay } from '../../ui/timers.ts';
import { useSpeech } from './speech.ts';

/** Long enough to read the outcome. */
const ENDED_MS = 8_000;
/** Money is on its way; the partner shows the rest. */
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
   * The customer wants to stay, is answering a question, or must still transfer or send something:
   * then the page must not leave.
   */
  isBound: boolean;
  onStay: () => void;
}) {
  const { texts } = useSpeech();
  const { status, backUrl } = order;
  const isPending = status === 'PENDING' || status === 'CREATED';
  const isGoing = !isBound;
  // The page of a recurring buy shows a link to keep.
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
