/** Timers for components: once after a delay, or repeatedly. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** Runs `act` once, `ms` after the first render with this delay; undefined: never. */
export function useDelay(ms: number | undefined, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (ms === undefined) return undefined;
    const timer = setTimeout(() => latest.current(), ms);
    return () => clearTimeout(timer);
  }, [ms]);
}

/** Runs `act` every `ms`, each time only after the last run has finished; undefined: never. */
export function useRepeat(ms: number | undefined, act: () => Promise<void>): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (ms === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const wait = () => {
      timer = setTimeout(async () => {
        await latest.current();
        if (!isOver) wait();
      }, ms);
    };
    wait();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [ms]);
}

/**
 * Milliseconds left until `endMs` on the page's clock (performance.now), updated every second; 0 at
 * the end.
 */
export function useCountdown(endMs: number | undefined): number {
  const [nowMs, setNow] = useState(() => performance.now());
  useRepeat(endMs === undefined ? undefined : 250, async () => setNow(performance.now()));
  return endMs === undefined ? 0 : Math.max(0, endMs - nowMs);
}
