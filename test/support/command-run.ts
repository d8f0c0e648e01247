/** Runs a command of `quorate` inside this process, and returns its output and exit code. */
import { vi } from 'vitest';
import { runCommand } from '../../src/cli/run.ts';
import { reasonOf } from '../../src/io/host/reason.ts';
import { until } from './conditions.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface CommandRun {
  readonly lines: readonly string[];
  /** `serving`: it started to serve, and was stopped. */
  readonly status: number | 'serving';
}

/**
 * Runs it until it ends; a command that serves is stopped as soon as it reports that it is ready.
 */
export async function commandRun(...argv: string[]): Promise<CommandRun> {
  let text = '';
  let exited: (status: number) => void = () => {};
  const exit = new Promise<number>((resolve) => {
    exited = resolve;
  });
  let isUp: () => void = () => {};
  const up = new Promise<'serving'>((resolve) => {
    isUp = () => resolve('serving');
  });
  const take = (piece: unknown) => {
    text += String(piece);
    if (/ is up /.test(text)) isUp();
    return true;
  };
  const line = (...words: unknown[]) => void take(`${words.map(String).join(' ')}\n`);
  vi.spyOn(console, 'log').mockImplementation(line);
  vi.spyOn(console, 'error').mockImplementation(line);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process, 'exit').mockImplementation(((status: number) => exited(status)) as never);
  const before = new Map(STOP_SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  try {
    const ended = runCommand(argv).then(({ status }) => status);
    const status = await Promise.race([ended, exit, up]);
    if (status === 'serving') {
      const listening = () => process.listenerCount('SIGTERM') > before.get('SIGTERM')!.length;
      await until('it listens to signals', listening);
      process.emit('SIGTERM', 'SIGTERM');
      await exit;
    }
    return { lines: text.split('\n'), status };
  } catch (error) {
    throw new Error(`quorate ${argv.join(' ')}: ${reasonOf(error)}`, { cause: error });
  } finally {
    for (const signal of STOP_SIGNALS) {
      for (const listener of process.listeners(signal))
        if (!before.get(signal)!.includes(listener)) process.off(signal, listener);
    }
    vi.restoreAllMocks();
  }
}
