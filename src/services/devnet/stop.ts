/** `quorate devnet stop`: ends a network that runs in the background. */
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descriptionFile, isAlive, readDescription } from './start.ts';

const POLL_INTERVAL_MS = 50;
const STOP_PATIENCE_MS = 10_000;

/** Resolves with how many processes were stopped; 0 when none ran. */
export async function stopDevnet(folder: string): Promise<number> {
  const description = readDescription(folder);
  if (!description) return 0;
  const pids = description.nodes.flatMap((node) => [node.pid, node.ptm.pid]).filter(isAlive);
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (pids.some(isAlive)) {
    if (performance.now() > deadline) {
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
      break;
    }
    await pause(POLL_INTERVAL_MS);
  }
  rmSync(descriptionFile(folder), { force: true });
  return pids.length;
}
