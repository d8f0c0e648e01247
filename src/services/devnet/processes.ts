/**
 * Child processes of the devnet: started with a log file each, watched, and stopped together. Each has a channel to its parent
 * and ends when the parent is gone, however that came, until it is released.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface Command {
  readonly name: string;
  /** Arguments of `quorate`. */
  readonly args: readonly string[];
  readonly logFile: string;
  /** Has little to do: memory before speed. */
  readonly isSmall: boolean;
}

export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Resolves once it has ended, with how: "status 1", "signal SIGKILL". */
  readonly ended: Promise<string>;
  /** Lets it outlive this process. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** How the devnet brings a node or a manager to life: as a process (here), or inside this one (tests). */
export type Launch = (command: Command) => Promise<Running>;

/** What a released child hears. */
const RELEASE = 'release';
const STOP_PATIENCE_MS = 10_000;
/** Two megabytes of young space, and one malloc arena in place of one per thread: a third less memory. */
const SMALL_NODE_FLAGS = ['--max-semi-space-size=2'];
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

/** Starts `quorate ARGS` as its own process, out of reach of the terminal's Ctrl-C, which the devnet itself handles. */
export function processLauncher(mainFile: string, environment: NodeJS.ProcessEnv): Launch {
  return (command) => {
    const log = openSync(command.logFile, 'a');
    const flags = [...process.execArgv, ...(command.isSmall ? SMALL_NODE_FLAGS : [])];
    const child = spawn(process.execPath, [...flags, mainFile, ...command.args], {
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...environment, ...(command.isSmall ? SMALL_ENVIRONMENT : {}) },
      detached: true,
    });
    closeSync(log);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(watch(command.name, child)));
    });
  };
}

/** In the child: ends this process, as SIGTERM does, when the devnet that started it is gone without having released it. */
export function endWithParent(): void {
  if (!process.connected) return;
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  process.once('message', (message) => {
    if (message === RELEASE) process.off('disconnect', end);
  });
}

function watch(name: string, child: ChildProcess): Running {
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `status ${code}`));
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    pid: child.pid as number,
    ended,
    async release() {
      if (hasEnded()) return;
      await new Promise<void>((resolve) => {
        child.send(RELEASE, () => resolve());
      });
      child.disconnect();
      child.unref();
    },
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(patience);
    },
  };
}
