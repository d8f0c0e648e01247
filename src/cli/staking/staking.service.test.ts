/** Invalid arguments of `quorate staking …`: status 2, and a text that says what is right. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isUsageError } from '../../io/options/options.ts';
import { openStakingStore } from '../../services/staking/store/open.ts';
import { parseFor } from '../command.ts';
import { commandOf } from '../commands.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-staking-arguments-'));
  const dataFolder = join(folder, 'data');
  const source = { dataFolder, storeUrl: undefined, secretFile: undefined };
  await (await openStakingStore(source, {})).close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function errorOf(line: string, name: string): Promise<Error> {
  const given = ['staking', ...line.split(' '), '--datadir', join(folder, name)];
  const { command, rest } = (await commandOf(given))!;
  const run = async () => command.run(parseFor(command, rest));
  return run().then(
    () => new Error('it ran'),
    (each: Error) => each,
  );
}

it.each([
  ['client', 'add, rotate, disable or list'],
  ['client remove x', 'add, rotate, disable or list'],
  ['client add', '--name'],
  ['client add --name x', '--audience'],
  ['client add x --audience y', '--id'],
  ['client add --name x --audience y --scope a"b', 'scope'],
  ['client add --name x --audience y --id a/b', 'client id'],
  ['client rotate', 'client_id'],
  ['client rotate x --overlap soon', 'duration'],
  ['client rotate x --overlap -1h', 'duration'],
  ['client disable', 'client_id'],
  ['client list --jason', '--json'],
  ['key', 'quorate staking key rotate'],
  ['key revoke', 'quorate staking key rotate'],
  ['key rotate --auth.algorithm HS256', 'ES256, EdDSA, RS256'],
  ['key rotate --auth.token-seconds 0', '1 or more'],
  ['reward', 'add, import or list'],
  ['nonsense', 'client, key, reward or audit'],
  ['--auth.error-style auth1', 'rfc6749, auth0'],
  ['--http.port x', 'whole number'],
  ['--deposit.from 0x12', '0x and 40 hex digits'],
  ['--ledger.url ftp://x', '--ledger.url must be a URL'],
  ['--tls.cert x', '--tls.key'],
  ['--bootstrap.client x', '--bootstrap.secret-file'],
])('%s', async (line, says) => {
  const error = await errorOf(line, 'data');
  expect([isUsageError(error), error.message]).toEqual([true, expect.stringContaining(says)]);
});

it.each(['client list', 'client rotate x', 'key rotate', 'audit', 'reward list'])(
  '%s does not make a store where there is none',
  async (line) => {
    const nowhere = join(folder, 'nowhere');
    const { command, rest } = (await commandOf([
      'staking',
      ...line.split(' '),
      '--datadir',
      nowhere,
    ]))!;
    await expect(command.run(parseFor(command, rest))).rejects.toThrow(
      `there is no store in ${nowhere}: give the --datadir or --store of the service`,
    );
    expect(existsSync(nowhere)).toBe(false);
  },
);
