/** `quorate devnet stop`: ends a network that runs in the background. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../../io/host/process-table.ts';
import { livingPids, removeDescription } from './description-file.ts';

const POLL_INTERVAL_MS = 50;
const STOP_PATIENCE_MS = 10_000;

/** Resolves with the number of stopped processes; 0 when none ran. */
export async function stopDevnet(folder: string): Promise<number> {
  const pids = livingPids(folder);
  send('SIGTERM', pids);
  const deadline = performance.now() + STOP_PATIENCE_MS;
  for (let isKilled = false; pids.some(isAlive); await pause(POLL_INTERVAL_MS)) {
    if (isKilled || performance.now() < deadline) continue;
    send('SIGKILL', pids);
    isKilled = true;
  }
  removeDescription(folder);
  return pids.length;
}

function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}
