/**
 * A timeout for input from outside. If this thread is busy beyond the deadline, input that arrived
 * meanwhile is still handled before the timeout.
 */
export function patientTimer(ms: number, onTimeout: () => void): { cancel(): void } {
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // In a turn of Node's event loop, timers run before sockets, and immediates after them.
    last = setImmediate(onTimeout);
  }, ms);
  return {
    cancel() {
      clearTimeout(timer);
      if (last) clearImmediate(last);
    },
  };
}
