/**
 * The chain store over real files and lmdb: after reopening it equals a store that was never
 * closed, also without an index and after kill -9.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endsWithTest } from '../../../test/support/ends-with-test.ts';
import { expectChain, feed, grow, newChain } from '../../../test/support/random-chain.ts';
import { ChainStore } from '../../core/store/chain-store.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(reindex = false): Promise<{ data: DataFolder; store: ChainStore }> {
  const data = await openDataFolder(folder, { reindex });
  const clock = { nowMs: () => 0 };
  const store = await ChainStore.open({ log: data.log, kv: data.kv, clock, segmentBytesMax: 8000 });
  return { data, store };
}

describe('store on disk', () => {
  it('is the same after reopening and after rebuilding the index', async () => {
    const chain = newChain(42);
    for (let i = 0; i < 24; i++) grow(chain);
    let { data, store } = await open();
    for (const upTo of [9, 16, 23]) {
      await feed(store, chain, upTo, () => {});
      expectChain(store, chain);
      await store.close();
      data.close();
      ({ data, store } = await open(upTo === 16));
      expectChain(store, chain);
    }
    await store.close();
    data.close();
  });

  it('reads as little when it opens, however long the chain is', async () => {
    const chain = newChain(3);
    const readAtOpening: number[] = [];
    let size = 0;
    for (const length of [40, 400]) {
      while (chain.blocks.length < length) grow(chain);
      let { data, store } = await open();
      await feed(store, chain, length - 1, () => {});
      await store.close();
      data.close();
      ({ data, store } = await open());
      expect(store.head()!.number).toBe(length - 1);
      const { index, blocks } = data.use;
      readAtOpening.push(index.read + blocks.read);
      size = index.size + blocks.size;
      await store.close();
      data.close();
    }
    const [short, long] = readAtOpening as [number, number];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(1.2 * short + 1_000);
    expect(size).toBeGreaterThan(20 * long);
  });

  it('keeps what a killed process was told to be durable', async () => {
    const support = new URL('../../../test/support/', import.meta.url).href;
    const here = new URL('.', import.meta.url).href;
    const script = `
      import '${support}install-crypto.ts';
      import { openDataFolder } from '${here}data-folder.ts';
      import { ChainStore } from '${here}../../core/store/chain-store.ts';
      import { feed, grow, newChain } from '${support}random-chain.ts';
      const chain = newChain(7);
      for (let i = 0; i < 400; i++) grow(chain);
      const data = await openDataFolder(process.argv[1]);
      const store = await ChainStore.open({ log: data.log, kv: data.kv, clock: { nowMs: () => 0 } });
      await feed(store, chain, 399, (n) => process.stdout.write(n + ' '));
    `;
    const chain = newChain(7);
    for (let i = 0; i < 60; i++) grow(chain);
    for (const killAt of [3, 15, 40]) {
      const child = endsWithTest(
        spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, folder], {
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      );
      let told = '';
      child.stdout!.on('data', (text: Buffer) => {
        told += text.toString();
        const last = Number(told.trim().split(' ').at(-1));
        if (last >= killAt) child.kill('SIGKILL');
      });
      await once(child, 'close');
      const acknowledged = Number(told.trim().split(' ').at(-1));
      const { data, store } = await open();
      expect(store.head()!.number).toBeGreaterThanOrEqual(acknowledged);
      while (chain.blocks.length <= store.head()!.number) grow(chain);
      expectChain(store, chain);
      await store.close();
      data.close();
    }
  });
});
