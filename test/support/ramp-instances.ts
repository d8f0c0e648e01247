/**
 * `quorate ramp` as processes that may be killed: one, or several with a shared PostgreSQL
 * database.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prng } from '../../src/core/base/prng.ts';
import { until } from './conditions.ts';
import { MAIN } from './devnet.ts';
import { endsWithProcess } from './own-processes.ts';
import { testOffer } from './ramp.ts';
import { ask } from './staking.ts';

export interface InstancesOptions {
  readonly folder: string;
  /** One port per instance. */
  readonly ports: readonly number[];
  /** Flags that name the store. */
  readonly store: readonly string[];
  readonly flags: readonly string[];
  readonly prng: Prng;
}

export class RampInstances {
  private readonly options: InstancesOptions;
  private readonly running: ChildProcess[] = [];
  private isStopped = false;
  /** The number of kills so far. */
  kills = 0;

  constructor(options: InstancesOptions) {
    this.options = options;
    writeFileSync(join(options.folder, 'ramp.json'), JSON.stringify(testOffer()));
  }

  async start(): Promise<void> {
    for (const at of this.options.ports.keys()) this.launch(at);
    for (const port of this.options.ports) {
      await until(
        'a ramp is ready',
        async () => (await ask(`${urlAt(port)}/ready`)).status === 200,
      );
    }
  }

  /** Kills one of them with SIGKILL. */
  kill(): void {
    this.running[this.options.prng.below(this.running.length)]!.kill('SIGKILL');
    this.kills++;
  }

  /** Calls one of them, and retries on another until an answer tells the outcome. */
  reach<T extends { readonly status: number }>(
    what: string,
    call: (ramp: { readonly url: string }) => Promise<T>,
  ): Promise<T> {
    const { ports, prng } = this.options;
    return until(what, async () => {
      const answer = await call({ url: urlAt(ports[prng.below(ports.length)]!) });
      return answer.status < 500 && answer;
    });
  }

  stop(): void {
    this.isStopped = true;
    for (const child of this.running) child.kill('SIGKILL');
  }

  private launch(at: number): void {
    const { folder, ports, store, flags } = this.options;
    const argv = ['ramp', '--offer', join(folder, 'ramp.json'), ...store, '--rate', '0'];
    const port = ['--http.port', String(ports[at])];
    const child = endsWithProcess(
      spawn(process.execPath, [MAIN, ...argv, ...port, ...flags], { stdio: 'ignore' }),
    );
    this.running[at] = child;
    // Restarts it, as a service manager would.
    child.once('exit', () => {
      if (!this.isStopped) this.launch(at);
    });
  }
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}`;
}
