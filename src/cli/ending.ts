/**
 * Tells when a network in the foreground must end: at a signal, or when its parent npm has ended.
 */
import { commandLineOf, isAlive, parentOf } from '../io/host/process-table.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm forwards signals: one Ctrl-C in the terminal arrives twice within this time. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_INTERVAL_MS = 500;

export interface Ending {
  /** Resolves with the reason: `SIGTERM`, `npm is gone`. */
  readonly told: Promise<string>;
  /** `act` runs if the user does not wait for a clean end; default: this process ends at once. */
  onHaste(act: () => void): void;
}

export function endingOf(environment: NodeJS.ProcessEnv): Ending {
  let haste: () => void = () => process.exit(1);
  const told = new Promise<string>((resolve) => {
    if (environment.npm_lifecycle_event !== undefined) watchNpm(() => resolve('npm is gone'));
    let firstMs: number | undefined;
    const onSignal = (signal: string) => {
      firstMs ??= performance.now();
      resolve(signal);
      if (performance.now() - firstMs < SAME_SIGNAL_MS) return;
      for (const each of SIGNALS) process.off(each, onSignal).on(each, () => {});
      haste();
    };
    for (const each of SIGNALS) process.on(each, onSignal);
  });
  return {
    told,
    onHaste(act) {
      haste = act;
    },
  };
}

/** npm shares no pipe with its child, so the parent process is polled. */
function watchNpm(onGone: () => void): void {
  const parent = process.ppid;
  // Most shells stay between npm and its child.
  const isShell = /^\S*sh -c /.test(commandLineOf(parent));
  const npm = isShell ? (parentOf(parent) ?? parent) : parent;
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(npm)) return;
    clearInterval(timer);
    onGone();
  }, PARENT_INTERVAL_MS);
  timer.unref();
}
