/**
 * One reload at a time, in the background, and the result of the last one (Web3Signer Eth1Runner).
 */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { ReloadReport } from '../keys/accounts.ts';

export type ReloadStatus = 'idle' | 'running' | 'completed' | 'completed_with_errors' | 'failed';

/** The answer of GET /reload. */
export interface ReloadState {
  readonly status: ReloadStatus;
  /** ISO 8601. */
  readonly lastOperationTime?: string;
  readonly lastError?: string;
}

export interface ReloadDeps {
  readonly reload: () => Promise<ReloadReport>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ReloadControl {
  private readonly deps: ReloadDeps;
  private current: ReloadState = { status: 'idle' };
  private isAskedAgain = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(deps: ReloadDeps) {
    this.deps = deps;
  }

  get state(): ReloadState {
    return this.current;
  }

  /** False: a reload is already running. */
  start(): boolean {
    if (this.current.status === 'running') return false;
    const { lastOperationTime } = this.current;
    this.current = { status: 'running', ...(lastOperationTime ? { lastOperationTime } : {}) };
    this.ended = this.run();
    return true;
  }

  /** Starts now, or after a running reload, which may already have read its files. */
  startOrFollow(): void {
    if (!this.start()) this.isAskedAgain = true;
  }

  /** Resolves when the running reload has ended. */
  settled(): Promise<void> {
    return this.ended;
  }

  private async run(): Promise<void> {
    try {
      const { errors } = await this.deps.reload();
      if (errors === 0) this.end('completed');
      else {
        this.end(
          'completed_with_errors',
          `Reload completed with ${errors} signer loading error(s)`,
        );
      }
    } catch (error) {
      this.deps.log('error', 'Reload failed', { error });
      this.end('failed', error instanceof Error ? error.message : String(error));
    }
  }

  private end(status: ReloadStatus, lastError?: string): void {
    const lastOperationTime = new Date(this.deps.clock.nowMs()).toISOString();
    this.current = { status, lastOperationTime, ...(lastError ? { lastError } : {}) };
    if (!this.isAskedAgain) return;
    this.isAskedAgain = false;
    this.start();
  }
}
