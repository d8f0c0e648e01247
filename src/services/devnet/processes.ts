/**
 * Child processes of the devnet: started with a log file each, watched, and stopped together. Each
 * holds a pipe from its parent and, unless released, ends when the parent dies: see child.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { CHANNEL, CHILD_ENVIRONMENT, STOP_PATIENCE_MS } from './child.ts';

export interface Command {
  readonly name: string;
  /** Arguments of `quorate`. */
  readonly args: readonly string[];
  readonly logFile: string;
  /** The process is mostly idle: it is started so that it saves memory rather than time. */
  readonly isSmall: boolean;
}

export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended, with how: "status 1", "signal SIGKILL". */
  readonly ended: Promise<string>;
  /** Lets the child outlive this process. */
  release(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after `patienceMs`: 10 s unless given. */
  stop(patienceMs?: number): Promise<void>;
}

/** How the devnet starts a node or a manager: as a process (here), or inside this one (tests). */
export type Launch = (command: Command) => Promise<Running>;

/** Message for a released child. */
const RELEASE = 'release';
/**
 * Two megabytes of young space, and one malloc arena in place of one per thread: a third less
 * memory.
 */
const SMALL_NODE_FLAGS = ['--max-semi-space-size=2'];
const SMALL_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

/**
 * Starts `quorate ARGS` as its own process, detached from the terminal's Ctrl-C, which the devnet
 * itself handles.
 */
export function processLauncher(mainFile: string, environment: NodeJS.ProcessEnv): Launch {
  return (command) => {
    const log = openSync(command.logFile, 'a');
    const flags = [...process.execArgv, ...(command.isSmall ? SMALL_NODE_FLAGS : [])];
    const child = spawn(process.execPath, [...flags, mainFile, ...command.args], {
      stdio: ['ignore', log, log, 'pipe'],
      env: {
        ...environment,
        ...CHILD_ENVIRONMENT,
        ...(command.isSmall ? SMALL_ENVIRONMENT : {}),
      },
      detached: true,
    });
    closeSync(log);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(watch(command.name, child)));
    });
  };
}

function watch(name: string, child: ChildProcess): Running {
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `status ${code}`));
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const channel = child.stdio[CHANNEL] as Socket;
  // The child has ended.
  channel.on('error', () => {});
  return {
    name,
    pid: child.pid as number,
    ended,
    async release() {
      if (hasEnded()) return;
      await new Promise<void>((resolve) => channel.end(RELEASE, () => resolve()));
      channel.destroy();
      child.unref();
    },
    async stop(patienceMs = STOP_PATIENCE_MS) {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(patience);
    },
  };
}
