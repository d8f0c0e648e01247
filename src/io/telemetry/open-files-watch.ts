/**
 * Warns when this process cannot open any more files: the operating system then refuses its
 * connections silently, and Node drops them without an error.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { hasCode } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import { reasonOf } from '../host/reason.ts';

const LOOK_MS = 1_000;

/** Checks every second while the process runs. `open` throws the errors of `openSync`. */
export function watchOpenFiles(log: Log, open: () => void = openOne): { stop(): void } {
  let isOut = false;
  const look = () => {
    const fault = faultOf(open);
    if (fault !== undefined && !isOut)
      log('error', 'No file can be opened: connections are refused meanwhile', { err: fault });
    if (fault === undefined && isOut) log('info', 'Files can be opened again');
    isOut = fault !== undefined;
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function openOne(): void {
  closeSync(openSync(devNull, 'r'));
}

function faultOf(open: () => void): string | undefined {
  try {
    open();
    return undefined;
  } catch (error) {
    return hasCode(error, 'EMFILE') || hasCode(error, 'ENFILE') ? reasonOf(error) : undefined;
  }
}
