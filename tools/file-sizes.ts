/** A file holds one idea: 400 lines at most. Data is exempt. */

const LINES_MAX = 400;
/** Recorded data may have any length. */
const DATA = /^test\/vectors\/data\//;

/** Returns one line for a file that is too long. */
export function sizeFault(path: string, text: string): string | undefined {
  if (DATA.test(path)) return undefined;
  const lines = text.split('\n').length - 1;
  if (lines <= LINES_MAX) return undefined;
  return `${path}: ${lines} lines, at most ${LINES_MAX}: split it by idea`;
}
