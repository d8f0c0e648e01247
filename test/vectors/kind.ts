/**
 * One kind of vector files: where they are, and how to run a file. Used by the tests and by `npm
 * run vectors -- DIR`.
 */
export interface VectorKind {
  /** The name that the runner prints, such as `state-tests`. */
  readonly name: string;
  /**
   * Files of this kind below a folder laid out like `shared/vectors`, as absolute paths; [] when
   * there are none.
   */
  find(root: string): string[];
  /**
   * Runs every case of one file. Must throw when it cannot read the file, so that no file is
   * skipped.
   */
  run(file: string, report: Report): void | Promise<void>;
}

export interface Report {
  pass(name: string): void;
  fail(name: string, why: string): void;
}

/** Counts passes and collects failures. */
export class Tally implements Report {
  passed = 0;
  readonly failures: { name: string; why: string }[] = [];

  pass(_name: string): void {
    this.passed++;
  }

  fail(name: string, why: string): void {
    this.failures.push({ name, why });
  }
}
