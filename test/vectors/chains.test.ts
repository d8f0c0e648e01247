import { expect, it } from 'vitest';
import { chains } from './chains.ts';
import { OWN_VECTORS, publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { privateChains } from './private-chains.ts';
import { privateSimulations } from './private-simulations.ts';

it('recorded chains replay without a private transaction manager: roots, blooms and receipts', async () => {
  const tally = new Tally();
  const files = chains.find(OWN_VECTORS);
  expect(files.length).toBeGreaterThanOrEqual(13);
  for (const file of files) await chains.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(700);
});

it('public recorded chains replay too', READS_PUBLIC_VECTORS, async (context) => {
  const root = publicVectorsFor(context);
  const own = chains.find(OWN_VECTORS).map((file) => file.slice(OWN_VECTORS.length));
  const others = chains.find(root).filter((file) => !own.includes(`${file.slice(root.length)}.gz`));
  expect(others.length).toBeGreaterThan(0);
  const tally = new Tally();
  for (const file of others) await chains.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(0);
});

it('recorded private chains replay as each node: private roots and receipts', async () => {
  const tally = new Tally();
  const files = privateChains.find(OWN_VECTORS);
  expect(files.length).toBe(3);
  for (const file of files) await privateChains.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(4 * (303 + 58 + 34));
});

it('flagged private transactions simulate as their recorded senders did', async () => {
  const tally = new Tally();
  for (const file of privateSimulations.find(OWN_VECTORS)) {
    await privateSimulations.run(file, tally);
  }
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThanOrEqual(27);
});
