/** Settings with which the service does not start; such a start leaves nothing behind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestRamp, testOffer } from '../../../test/support/ramp.ts';

let folder: string;
let other: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-ramp-start-'));
  other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => other.close(resolve));
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a port of metrics that is taken leaves nothing running', async () => {
  const port = String(await freePort());
  const taken = String((other.address() as AddressInfo).port);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const starting = startTestRamp(
      ['--http.port', port, '--metrics.port', taken],
      testOffer(),
      folder,
    );
    await expect(starting).rejects.toMatchObject({ code: 'HTTP_LISTEN_FAILED' });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  // The folder, the store and the port are free again.
  const ramp = await startTestRamp(['--http.port', port], testOffer(), folder);
  await ramp.running.close();
});
