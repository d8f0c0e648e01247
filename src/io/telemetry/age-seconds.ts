/** Seconds since `sinceMs`, for a metric; 0 if the clock was set back. */
export function ageSeconds(sinceMs: number, nowMs: number): number {
  return Math.max(0, nowMs - sinceMs) / 1000;
}
