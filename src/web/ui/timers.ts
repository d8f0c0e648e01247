/** Time in components: once after a while, and again and again. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** Runs `act` once, `ms` after this began to be asked for; undefined: not. */
export function useDelay(ms: number | undefined, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (ms === undefined) return undefined;
    const timer = setTimeout(() => latest.current(), ms);
    return () => clearTimeout(timer);
  }, [ms]);
}

/** Runs `act` every `ms`, the next one only when the last one is through; undefined: not. */
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
 * Milliseconds that are left until `endMs` of the page's own clock (performance.now), looked at
 * every second; 0 at the end.
 */
export function useCountdown(endMs: number | undefined): number {
  const [nowMs, setNow] = useState(() => performance.now());
  useRepeat(endMs === undefined ? undefined : 250, async () => setNow(performance.now()));
  return endMs === undefined ? 0 : Math.max(0, endMs - nowMs);
}
