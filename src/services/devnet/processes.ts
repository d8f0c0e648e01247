/** Child processes of the devnet: started with a log file each, watched, and stopped together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface Command {
  readonly name: string;
  /** Arguments of `quorate`. */
  readonly args: readonly string[];
  readonly logFile: string;
}

export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit status once it has ended. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

/** How the devnet brings a node or a manager to life: as a process (here), or inside this one (tests). */
export type Launch = (command: Command) => Promise<Running>;

const STOP_PATIENCE_MS = 10_000;

/** Starts `quorate ARGS` as its own process. `isDetached` lets it outlive this one. */
export function processLauncher(mainFile: string, isDetached: boolean): Launch {
  return (command) => {
    const log = openSync(command.logFile, 'a');
    const child = spawn(process.execPath, [...process.execArgv, mainFile, ...command.args], {
      stdio: ['ignore', log, log],
      detached: isDetached,
    });
    closeSync(log);
    if (isDetached) child.unref();
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(watch(command.name, child)));
    });
  };
}

function watch(name: string, child: ChildProcess): Running {
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
  return {
    name,
    pid: child.pid as number,
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(patience);
    },
  };
}
