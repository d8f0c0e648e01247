/** Waits until a process answers 200 at its HTTP endpoint. */
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '../../core/base/errors.ts';
import { holderOf } from '../../io/host/port-holder.ts';
import { lastLines } from './last-lines.ts';
import type { Running } from './processes.ts';

/**
 * Patience for each step of a start. A process that fails ends; one that is alive is only slow, on
 * a busy machine.
 */
export const READY_PATIENCE_MS: number = 300_000;
const POLL_INTERVAL_MS = 50;
const ANSWER_PATIENCE_MS = 2_000;

/**
 * Throws DEVNET_NOT_READY when `process` ends before it answers, or after READY_PATIENCE_MS; the
 * text names the log to read.
 */
export async function untilReady(url: string, process: Running, logFile: string): Promise<void> {
  let end: string | undefined;
  void process.ended.then((how) => {
    end = how;
  });
  const port = Number(new URL(url).port);
  const deadline = performance.now() + READY_PATIENCE_MS;
  while (!((await answers(url)) && isOf(process, port))) {
    if (end !== undefined) {
      throw fail('DEVNET_NOT_READY', endText(process.name, end, logFile));
    }
    if (performance.now() > deadline) {
      throw fail('DEVNET_NOT_READY', `${process.name} does not answer at ${url}: see ${logFile}`);
    }
    await pause(POLL_INTERVAL_MS);
  }
}

/** The end of a process as a text, with the last lines of its log. */
export function endText(name: string, how: string, logFile: string): string {
  return `${name} ended with ${how}: see ${logFile}${lastLines(logFile)}`;
}

/**
 * False if another program took the port first. True when the system does not tell which has it.
 */
function isOf(process: Running, port: number): boolean {
  const holder = holderOf(port);
  return holder === undefined || holder.pid === process.pid;
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: ANSWER_PATIENCE_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('error', () => resolve(false));
    request.once('timeout', () => request.destroy());
  });
}
