/**
 * A timeout of what comes from outside. This thread may have been busy until long after the time was up: what arrived meanwhile
 * counts, so it is heard before the time is.
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
