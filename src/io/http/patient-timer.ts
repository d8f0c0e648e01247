/**
 * A timeout for input from outside. This thread may have been busy long after the deadline: input
 * that arrived meanwhile counts, so it is handled before the timeout.
 */
export function patientTimer(ms: number, onTimeout: () => void): { cancel(): void } {
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // Timers come before sockets in a turn of Node's event loop, immediates after them.
    last = setImmediate(onTimeout);
  }, ms);
  return {
    cancel() {
      clearTimeout(timer);
      if (last) clearImmediate(last);
    },
  };
}
