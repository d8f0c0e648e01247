/** How long the price is valid, and a new price after that. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WidgetAnswer, WidgetState } from '../../../core/ramp/page-data.ts';
import { IconButton } from '../../ui/button.tsx';
import { Ring } from '../../ui/countdown.tsx';
import { clock } from '../../ui/format.ts';
import type { RequestFault } from '../../ui/request.ts';
import { Spinner } from '../../ui/status.tsx';
import { useCountdown } from '../../ui/timers.ts';
import type { WidgetApi } from './api.ts';
import { useSpeech } from './speech.ts';

/** `paused`: a payment at the shown price is in progress. */
export function Price({
  state,
  api,
  paused,
  take,
  onFault,
}: {
  state: WidgetState;
  api: WidgetApi;
  paused: boolean;
  take: (answer: WidgetAnswer) => void;
  onFault: (fault: RequestFault) => void;
}) {
  const { texts } = useSpeech();
  const quote = state.quote!;
  const end = useRef({ of: quote, atMs: performance.now() + quote.goodForMs });
  if (end.current.of !== quote)
    end.current = { of: quote, atMs: performance.now() + quote.goodForMs };
  const leftMs = useCountdown(end.current.atMs);
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    if (isAsking) return;
    setAsking(true);
    await api.requote().then(take, onFault);
    setAsking(false);
  };
  const isOver = leftMs === 0;
  useEffect(() => {
    if (!isOver || paused) return undefined;
    // A hidden page refreshes the price when it is visible again.
    if (document.visibilityState === 'visible') {
      void ask();
      return undefined;
    }
    const onShown = () => document.visibilityState === 'visible' && void ask();
    document.addEventListener('visibilitychange', onShown, { once: true });
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [isOver, paused]);
  return (
    <div class="price">
      {isAsking || isOver ? <Spinner /> : <Ring left={leftMs / quote.lifetimeMs} />}
      <p class="numeric">
        {isAsking || isOver ? texts.priceRefreshing : texts.priceHolds(clock(leftMs))}
      </p>
      <IconButton icon="refresh" label={texts.priceRefresh} onClick={() => void ask()} />
    </div>
  );
}
