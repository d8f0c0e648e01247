import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { JsonWriter } from './json-writer.ts';

const LONG_BYTES = 64 * 1024 * 1024;
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

function writeLong(): void {
  const writer = new JsonWriter();
  writer.reserve(LONG_BYTES);
  writer.finish();
}

it('does not keep the buffer of a long text for the next one', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const bytesOfBuffers = () => {
    gc();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytesOfBuffers();
  writeLong();
  // Garbage may be freed a little later, by another thread.
  await expect.poll(() => bytesOfBuffers() - before).toBeLessThan(KEPT_BYTES_MAX);
});
