/** Runs asynchronous jobs one after another. A failing job rejects only its own caller. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.last.then(job, job);
    this.last = result.catch(() => {});
    return result;
  }

  /** Resolves when all jobs queued until now have ended. */
  settled(): Promise<void> {
    return this.run(async () => {});
  }
}
