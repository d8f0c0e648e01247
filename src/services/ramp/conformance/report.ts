/** Results of the checks of a provider. */

export interface Finding {
  /** Stable, such as `quote.sum`. */
  readonly check: string;
  readonly outcome: 'ok' | 'differs' | 'not run';
  /** What was expected and what was found, or why it was not run. */
  readonly text: string;
}

export class Report {
  readonly findings: Finding[] = [];

  /** `wrong`: what differs; undefined or empty: nothing. */
  note(check: string, what: string, wrong: string | readonly string[] | undefined): void {
    const all = typeof wrong === 'string' ? [wrong] : (wrong ?? []);
    if (all.length === 0) this.findings.push({ check, outcome: 'ok', text: what });
    for (const text of all) this.findings.push({ check, outcome: 'differs', text });
  }

  skip(check: string, why: string): void {
    this.findings.push({ check, outcome: 'not run', text: why });
  }
}

/** Undefined: as expected. */
export function unless(holds: boolean, why: string): string | undefined {
  return holds ? undefined : why;
}
