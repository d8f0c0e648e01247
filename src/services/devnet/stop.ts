/** `quorate devnet stop`: ends a network that runs in the background. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, livingPids, removeDescription } from './description.ts';

const POLL_INTERVAL_MS = 50;
const STOP_PATIENCE_MS = 10_000;

/** Resolves with how many processes were stopped; 0 when none ran. */
export async function stopDevnet(folder: string): Promise<number> {
  const pids = livingPids(folder);
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (pids.some(isAlive)) {
    if (performance.now() > deadline) {
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
      break;
    }
    await pause(POLL_INTERVAL_MS);
  }
  removeDescription(folder);
  return pids.length;
}
