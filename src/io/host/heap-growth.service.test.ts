import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MB = 1024 * 1024;
const MODULE = new URL('./heap-growth.ts', import.meta.url).href;

/** Keeps 400,000 objects, replaces a third as many over and over, and prints the largest heap. */
const CHURN = `
  const kept = Array.from({ length: 400_000 }, (_, i) => ({ i, pair: [i, i], text: 'x' + i }));
  const replaced = [];
  let most = 0;
  for (let i = 0; i < 4_000_000; i++) {
    replaced[i % 130_000] = { i, four: [i, i, i, i] };
    if (i % 50_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
  }
  console.log(most + kept.length * 0);
`;

async function largestHeap(before: string): Promise<number> {
  const flags = ['--import', 'tsx', '--input-type=module', '-e', before + CHURN];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return Number(stdout) / MB;
}

it('garbage takes less memory in a process that asked for it', async () => {
  const usual = await largestHeap('');
  const small = await largestHeap(`(await import(${JSON.stringify(MODULE)})).keepGarbageSmall();`);
  expect(small).toBeLessThan(0.7 * usual);
});
