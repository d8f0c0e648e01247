/**
 * Full disks: each store gets a small file system of its own with a given number of free pages, and
 * writes until it fails. The error must name the cause, everything acknowledged must be there once
 * there is space again, and the store must continue.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Done, Job } from './worker.ts';
import { WORKLOADS } from './workloads.ts';

const DISK = '48m';
const SAYS_FULL = /no space left|has no space left|cannot be written|needs \d+/;

export interface FullDiskReport {
  readonly runs: number;
  /** The runs in which the disk was full before the work was done. */
  readonly failed: number;
  readonly faults: readonly string[];
}

/**
 * Must run in a mount namespace of its own (`unshare -rm`). `pages`: free pages, one run for each
 * number.
 */
export async function runFullDisk(
  names: readonly string[],
  pages: readonly number[],
  say: (line: string) => void,
): Promise<FullDiskReport> {
  const faults: string[] = [];
  let [runs, failed] = [0, 0];
  const worker = new Worker();
  const disk = mkdtempSync(join(tmpdir(), 'quorate-full-'));
  try {
    for (const { name } of WORKLOADS.filter((each) => names.includes(each.name))) {
      for (const left of pages) {
        const found = await oneRun(worker, disk, name, left);
        runs++;
        if (found.isFull) failed++;
        if (found.fault !== undefined) faults.push(`${name}, ${left} pages left: ${found.fault}`);
        say(`${name}, ${left} pages left: ${found.fault ?? found.told}`);
      }
    }
  } finally {
    worker.stop();
    rmSync(disk, { recursive: true, force: true });
  }
  return { runs, failed, faults };
}

async function oneRun(worker: Worker, disk: string, name: string, left: number) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
  try {
    const folder = join(disk, 'data');
    mkdirSync(folder);
    await worker.must({ name, folder, step: 'begin' });
    const filler = join(disk, 'filler');
    const full = { path: filler, pagesLeft: left };
    const done = await worker.run({ name, folder, step: 'work', filler: full });
    const after = `after ${done.acknowledged.length}`;
    const fault = faultOf(done);
    if (fault !== undefined) return { isFull: true, fault: `${after}: ${fault}`, told: '' };
    rmSync(filler, { force: true });
    const ids = done.acknowledged;
    const { missing, error } = await worker.run({ name, folder, step: 'missing', ids });
    const lost = error ? `does not start again: ${error.message}` : lostOf(missing);
    // With free space again, it continues.
    const again = await worker.run({ name, folder, step: 'work' });
    const stuck = again.error && `does not continue: ${again.error.message}`;
    const told = `${after}: ${done.error?.message ?? 'all was written'}`;
    return { isFull: done.error !== undefined, fault: lost ?? stuck, told };
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

function faultOf({ error }: Done): string | undefined {
  return error && !SAYS_FULL.test(error.message)
    ? `it says ${error.code} ${error.message}`
    : undefined;
}

function lostOf(missing: readonly number[]): string | undefined {
  return missing.length > 0 ? `lost what it had acknowledged: ${missing.join()}` : undefined;
}

class Worker {
  private child = start();

  async run(job: Job): Promise<Done> {
    const { child } = this;
    const over = new AbortController();
    const { signal } = over;
    try {
      child.send(job);
      return await Promise.race([
        once(child, 'message', { signal }).then(([done]) => done as Done),
        once(child, 'exit', { signal }).then(([code, name]): Done => {
          this.child = start();
          const error = { code: 'CRASH', message: `the process ended: ${name ?? code}` };
          return { acknowledged: [], missing: [], error };
        }),
      ]);
    } finally {
      over.abort();
    }
  }

  async must(job: Job): Promise<void> {
    const { error } = await this.run(job);
    if (error) throw new Error(`${job.name} ${job.step}: ${error.message}`);
  }

  stop(): void {
    this.child.kill();
  }
}

function start(): ChildProcess {
  return fork(join(import.meta.dirname, 'worker.ts'), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
