/**
 * A process that writes until its disk is full; it reports an error or crashes. One job at a time.
 */
import { statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { WORKLOADS } from './workloads.ts';

export interface Job {
  readonly name: string;
  readonly folder: string;
  readonly step: 'begin' | 'work' | 'missing';
  readonly ids?: readonly number[];
  /** With `work`: the file that fills the disk until only so many pages are free. */
  readonly filler?: { readonly path: string; readonly pagesLeft: number };
}

export interface Done {
  readonly acknowledged: readonly number[];
  readonly missing: readonly number[];
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

await installCrypto();
process.on('message', async ({ name, folder, step, ids = [], filler }: Job) => {
  const workload = WORKLOADS.find((each) => each.name === name)!;
  const acknowledged: number[] = [];
  let missing: readonly number[] = [];
  let error: Done['error'];
  try {
    if (step === 'begin') await workload.begin(folder);
    else if (step === 'work') {
      const fill = () => filler && fillUp(filler);
      await workload.work(folder, fill, (id) => acknowledged.push(id));
    } else missing = await workload.missing(folder, ids);
  } catch (thrown) {
    const { code = '', message, stack = '' } = thrown as Error & { code?: string };
    error = { code: String(code), message: code === '' ? stack : message };
  }
  process.send!({ acknowledged, missing, error } satisfies Done);
});

function fillUp({ path, pagesLeft }: NonNullable<Job['filler']>): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  writeFileSync(path, Buffer.alloc(Math.max(0, bavail - pagesLeft) * bsize));
}
