import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type TestPtm, testKey, testPtm } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { parseFor } from '../command.ts';
import { ptmRecoverCommand } from './recover.ts';

const running: TestPtm[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const ptm of running.splice(0)) await ptm.close();
});

async function recover(peers: string[], ...flags: string[]) {
  const folder = scratchFolder('ptm-recover-');
  const file = join(folder, 'config.json');
  const { publicKey, privateKey } = await testKey(1);
  const config = {
    serverConfigs: [
      { app: 'P2P', serverAddress: 'http://127.0.0.1:0' },
      { app: 'Q2T', serverAddress: 'http://127.0.0.1:0' },
    ],
    peer: peers.map((url) => ({ url })),
    keys: { keyData: [{ publicKey, privateKey }] },
  };
  writeFileSync(file, JSON.stringify(config));
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  const argv = ['--configfile', file, '--verbosity', '0', ...flags];
  const status = await ptmRecoverCommand.run(parseFor(ptmRecoverCommand, argv));
  return { status, lines };
}

describe('quorate ptm recover', () => {
  it('ends with 0 when all peers answered, 1 when some did, 2 when none did', async () => {
    const peer = await testPtm(2, []);
    running.push(peer);
    const dead = 'http://127.0.0.1:9/';
    const whole = await recover([peer.p2pUrl]);
    expect(whole.status).toBe(0);
    expect(whole.lines[0]).toMatch(
      /^Recovery: SUCCESS\. 0 payloads received.* 1 peers answered\.$/,
    );
    const part = await recover([peer.p2pUrl, dead]);
    expect(part.status).toBe(1);
    expect(part.lines).toContain(`No answer from ${dead}: run this again later.`);
    expect((await recover([dead])).status).toBe(2);
    await expect(ptmRecoverCommand.run(parseFor(ptmRecoverCommand, []))).rejects.toMatchObject({
      code: 'OPTION_VALUE_MISSING',
    });
  });
});
