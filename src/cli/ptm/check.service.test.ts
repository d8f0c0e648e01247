import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { OLDER, olderManager } from '../../../test/support/older-manager.ts';
import { readTesseraConfig } from '../../services/ptm/config.ts';
import { type RunningPtm, startPtm } from '../../services/ptm/start.ts';
import { type Command, parseFor } from '../command.ts';
import { ptmCheckCommand } from './check.ts';
import { ptmRepairCommand } from './repair.ts';

const running: RunningPtm[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of running.splice(0)) await one.close();
});

async function run(command: Command, folder: string, ...flags: string[]) {
  const lines: string[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line) => void lines.push(String(line))),
  );
  const argv = ['--configfile', join(folder, 'config.json'), '--verbosity', '0', ...flags];
  const status = await command.run(parseFor(command, argv));
  for (const spy of spies) spy.mockRestore();
  return { status, text: lines.join('\n') };
}

it('says what is not well, mends it with a peer, and ends with 2 or 0', async () => {
  const folder = olderManager('one');
  const first = await run(ptmCheckCommand, folder);
  expect(first.status).toBe(2);
  expect(first.text).toContain(
    'Payloads: 12 whole, 2 disordered, 1 unopened, 1 foreign. Raw payloads: 1 whole.',
  );
  const forged = OLDER.rows.find(({ now }) => now === 'forged')!;
  expect(first.text).toContain(`payload ${forged.hash} names a key of this manager`);
  const alone = await run(ptmRepairCommand, folder);
  expect(alone.status).toBe(2);
  expect(alone.text).toContain('2 put in order, 0 fetched from peers (0 answered), 0 discarded.');
  const { config } = await readTesseraConfig(join(olderManager('two'), 'config.json'));
  const peer = await startPtm(config);
  running.push(peer);
  const flags = ['--override', `peer[0].url=${peer.p2pUrl}/`];
  const mended = await run(ptmRepairCommand, folder, ...flags);
  expect([mended.status, mended.text]).toEqual([
    0,
    expect.stringContaining('0 put in order, 1 fetched from peers (1 answered), 0 discarded. Now:'),
  ]);
  expect((await run(ptmCheckCommand, folder)).status).toBe(0);
  const emptied = await run(ptmRepairCommand, folder, '--discard', 'foreign');
  expect(emptied.text).toContain('1 discarded. Now:\nPayloads: 15 whole. Raw payloads: 1 whole.');
  for (const { text } of [first, alone, mended, emptied]) {
    for (const row of OLDER.rows) if (row.text !== '') expect(text).not.toContain(row.text);
  }
});

it('names what it cannot do', async () => {
  const folder = olderManager('one');
  await expect(run(ptmRepairCommand, folder, '--discard', 'all')).rejects.toMatchObject({
    code: 'OPTION_VALUE_INVALID',
    message: '--discard all: say unopened, damaged, foreign',
  });
  rmSync(join(folder, 'data'), { recursive: true });
  await expect(run(ptmCheckCommand, folder)).rejects.toMatchObject({ code: 'STORAGE_MISSING' });
});
