/** What the runners of kind `p2p` share. */
import type { Report } from './kind.ts';

export function check(report: Report, name: string, got: unknown, want: unknown): void {
  const [a, b] = [got, want].map((value) => JSON.stringify(value));
  if (a === b) report.pass(name);
  else report.fail(name, `got ${a?.slice(0, 300)}, want ${b?.slice(0, 300)}`);
}

/** Runs `body`; an error that it throws is the failure of the case. */
export function attempt(report: Report, name: string, body: () => void): void {
  try {
    body();
  } catch (error) {
    report.fail(name, (error as Error).message);
  }
}
