import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { addStake } from '../../../test/support/staking.ts';
import { openStakingStore } from '../../services/staking/store/open.ts';
import { parseFor } from '../command.ts';
import { stakingAuditCommand } from './key.ts';
import { stakingRewardCommand } from './reward.ts';

const PUBKEY = `0x${'ab'.repeat(48)}`;

afterEach(() => {
  vi.restoreAllMocks();
});

it('quorate staking reward adds, imports and lists, and says what is missing or wrong', async () => {
  const folder = scratchFolder('staking-reward-');
  const database = await openStakingStore(
    { dataFolder: folder, storeUrl: undefined, secretFile: undefined },
    {},
  );
  await addStake(database, PUBKEY, 'DEPOSITED');
  await database.close();
  // The service's own configuration file: keys that the command does not know are ignored.
  const config = join(folder, 'service.toml');
  writeFileSync(config, `datadir = ${JSON.stringify(folder)}\n[http]\nport = 1\n`);
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  const run = async (...argv: string[]) => {
    printed.length = 0;
    const status = await stakingRewardCommand.run(
      parseFor(stakingRewardCommand, [...argv, '--config', config]),
    );
    return [status, ...printed];
  };

  const fields = [
    '--amount',
    '150',
    '--reference',
    'r1',
    '--at',
    '2026-01-31',
    '--note',
    'January',
  ];
  expect(await run('add', PUBKEY, ...fields)).toEqual([0, 'reward 1 is recorded']);
  expect(await run('add', PUBKEY, ...fields)).toEqual([0, 'reward 1 was recorded before']);
  expect(await run('add', PUBKEY, ...fields, '--json')).toEqual([
    0,
    '{"number":1,"reference":"r1","new":false}',
  ]);
  await expect(run('add', PUBKEY, ...fields, '--amount', '151')).rejects.toMatchObject({
    code: 'STAKING_REWARD_EXISTS',
  });

  const file = join(folder, 'rewards.jsonl');
  const line = { pubkey: PUBKEY, amount: '7', reference: 'r2', at: '2026-02-28T12:00:00Z' };
  const known = { ...line, amount: '150', reference: 'r1', at: '2026-01-31', note: 'January' };
  const wrong = { ...line, reference: 'r3', pubkey: `0x${'cd'.repeat(48)}` };
  const write = (...lines: object[]) =>
    writeFileSync(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
  write(line, known, wrong);
  await expect(run('import', file)).rejects.toThrow(
    `${file}: line 3: this service staked no validator ${wrong.pubkey}`,
  );
  write(line, known);
  expect(await run('import', file)).toEqual([0, 'recorded 1, already present 1']);
  expect(await run('import', file, '--json')).toEqual([0, '{"recorded":0,"known":2}']);
  expect(await run('list')).toEqual([
    0,
    `1  2026-01-31T00:00:00.000Z  150 gwei  ${PUBKEY}  owner  r1  January`,
    `2  2026-02-28T12:00:00.000Z  7 gwei  ${PUBKEY}  owner  r2`,
  ]);
  const [, , second] = await run('list', '--json');
  expect(JSON.parse(String(second))).toEqual({
    ...{ number: 2, pubkey: PUBKEY, amount: '7', at: '2026-02-28T12:00:00.000Z', note: '' },
    ...{ reference: 'r2', client_id: 'owner' },
  });

  writeFileSync(file, Uint8Array.of(0x7b, 0xff));
  for (const argv of [
    ['import', file],
    ['import', join(folder, 'none')],
  ]) {
    await expect(run(...argv)).rejects.toMatchObject({ code: 'STAKING_REWARD_INVALID' });
  }
  for (const argv of [
    ['add'],
    ['add', PUBKEY, '--amount', '1'],
    ['add', PUBKEY, '--reference', 'x'],
    ['import'],
  ]) {
    await expect(run(...argv)).rejects.toMatchObject({ code: 'OPTION_VALUE_MISSING' });
  }
  for (const argv of [[], ['remove']]) {
    await expect(run(...argv)).rejects.toMatchObject({ code: 'OPTION_UNKNOWN' });
  }

  printed.length = 0;
  const argv = ['--datadir', folder];
  expect(await stakingAuditCommand.run(parseFor(stakingAuditCommand, argv))).toBe(0);
  expect(printed.map((each) => each.split('  ')[3])).toEqual(['reward add', 'reward add']);
});
