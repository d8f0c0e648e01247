/** How long the rest of some work will take at its rate so far: `40 s`, `12 min`, `3.5 h`. */

/** `part`: the fraction, from 0 to 1, that is done after `elapsedMs`. */
export function timeLeft(elapsedMs: number, part: number): string {
  if (part <= 0) return 'not known yet';
  const seconds = Math.ceil((elapsedMs * (1 - Math.min(part, 1))) / part / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
