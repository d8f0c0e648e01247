import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { threadCpuMs } from './thread-cpu.ts';

/** Works until the process has used the given number of further milliseconds of CPU time. */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  const end = used() + workerData;
  while (used() < end);
  parentPort.postMessage('done');
`;

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

it('counts what this thread works, and not what another one does', async () => {
  const before = [threadCpuMs(), usedMs()] as const;
  while (usedMs() - before[1] < 100);
  const own = threadCpuMs() - before[0];
  expect(own).toBeGreaterThan(20);
  const idle = threadCpuMs();
  const worker = new Worker(WORKER, { eval: true, workerData: 300 });
  await new Promise((resolve) => worker.once('message', resolve));
  await worker.terminate();
  expect(threadCpuMs() - idle).toBeLessThan(200);
});
