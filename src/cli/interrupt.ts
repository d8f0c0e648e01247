/** The first SIGINT or SIGTERM lets the current block finish; a second one ends the process. */
export function watchInterrupt() {
  let asked = false;
  const ask = () => {
    asked = true;
  };
  process.once('SIGINT', ask);
  process.once('SIGTERM', ask);
  return {
    isAsked: () => asked,
    end() {
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}
