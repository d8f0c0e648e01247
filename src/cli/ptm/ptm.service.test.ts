import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { testKey } from '../../../test/support/ptm.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { parseFor } from '../command.ts';
import { ptmCommand } from './ptm.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('quorate ptm refuses what its command line says wrong, and writes its pid file before it starts', async () => {
  const folder = scratchFolder('ptm-command-');
  const file = join(folder, 'config.json');
  const { publicKey, privateKey } = await testKey(1);
  writeFileSync(
    file,
    JSON.stringify({
      serverConfigs: [
        { app: 'P2P', serverAddress: 'http://127.0.0.1:0' },
        { app: 'Q2T', serverAddress: 'http://127.0.0.1:0' },
      ],
      jdbc: { url: 'jdbc:h2:mem', username: 'sa' },
      keys: { keyData: [{ publicKey, privateKey }] },
    }),
  );
  const run = (...flags: string[]) =>
    ptmCommand.run(parseFor(ptmCommand, ['--verbosity', '0', ...flags]));
  const pidFile = join(folder, 'ptm.pid');
  // No database listens on this port: the manager starts up to the point where it needs one.
  const database = 'jdbc.url=jdbc:postgresql://127.0.0.1:9/ptm';
  await expect(
    run(
      '--configfile',
      file,
      '-o',
      database,
      '--override',
      'jdbc.password=a,b',
      '--pidfile',
      pidFile,
    ),
  ).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
  expect(readFileSync(pidFile, 'utf8')).toBe(`${process.pid}\n`);
  await expect(run('--configfile', file, '--override', 'peer')).rejects.toMatchObject({
    code: 'PTM_CONFIG_INVALID',
  });
  await expect(run('--configfile', file, '--store', 'x')).rejects.toMatchObject({
    code: 'PTM_CONFIG_INVALID',
  });
  await expect(run('--configfile', file, '--pidfile', folder)).rejects.toMatchObject({
    code: 'PID_FILE_FAILED',
  });
  await expect(run()).rejects.toMatchObject({ code: 'OPTION_VALUE_MISSING' });
  expect(existsSync(join(folder, 'ptm-data', 'LOCK'))).toBe(false);
});
