/**
 * Rewards from the operator's command to the client's `GET /rewards`, on both kinds of stores, and
 * on a store of an older version.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../../test/support/postgres.ts';
import {
  AUDIENCE,
  addStake,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';
import { StakingClient } from '../../../clients/staking-client.ts';
import type { Database } from '../../../io/database/database.ts';
import { migrate } from '../../../io/database/migrate.ts';
import { openDatabase } from '../../../io/database/open.ts';
import { Admin } from '../admin.ts';
import { openStakingStore } from '../store/open.ts';
import { SCHEMA } from '../store/schema.ts';
import { readRewardLines } from './reward-lines.ts';
import type { NewReward } from './rewards.ts';

const PUBKEY = `0x${'ab'.repeat(48)}`;
const NOW_MS = Date.parse('2026-02-01T00:00:00Z');
const STAKE = { withdrawal_pubkey: `0x${'cd'.repeat(20)}`, amount: '32000000000' };

describe.each(['embedded', 'PostgreSQL'] as const)('rewards: %s', (kind) => {
  let folder: string;
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-rewards-'));
    if (kind === 'PostgreSQL') postgres = await startTestPostgres();
  }, POSTGRES_PATIENCE_MS);
  beforeEach((context) => {
    if (kind === 'PostgreSQL') postgresFor(postgres, context);
  });
  afterAll(async () => {
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, POSTGRES_PATIENCE_MS);
  const newUrl = async () => postgres?.newDatabase();

  it('takes over a store of the first version', async () => {
    const source = {
      dataFolder: join(folder, 'old'),
      storeUrl: await newUrl(),
      secretFile: undefined,
    };
    const file = join(source.dataFolder, 'staking.db');
    const old = await openDatabase({ url: source.storeUrl, file }, {});
    await migrate(old, { ...SCHEMA, versions: SCHEMA.versions.slice(0, 1) });
    await addStake(old, PUBKEY, 'DEPOSITED');
    const insert =
      'INSERT INTO reward (number, pubkey, amount, at, note) VALUES ($1, $2, $3, $4, $5)';
    await old.query(insert, [7, PUBKEY, '12', NOW_MS, 'by hand']);
    await old.query(insert, [8, PUBKEY, '13', NOW_MS, '']);
    await old.close();

    const database = await openStakingStore(source, {});
    const admin = adminOf(database);
    await admin.addRewards([{ pubkey: PUBKEY, amount: '14', reference: 'new' }]);
    const seen = await admin.rewards({ after: 7, limit: 5 });
    expect(seen).toMatchObject([
      { number: 8, amount: '13', reference: '', client_id: 'owner' },
      { number: 9, amount: '14', reference: 'new', at: '2026-02-01T00:00:00.000Z' },
    ]);
    await database.close();
  });

  it('reach their client while the service runs, and nobody else', async () => {
    const url = await newUrl();
    const ledger = await startFakeLedger();
    const argv = ['--ledger.url', ledger.url, '--deposit.from', ledger.account];
    const staking = await startTestStaking([
      ...argv,
      ...(url === undefined ? [] : ['--store', url]),
    ]);
    const [mine, other] = [await clientOf(staking), await clientOf(staking)];
    const pubkey = await deposited(mine);
    // Opens the store a second time, as the command does.
    const database = await openStakingStore(
      { dataFolder: staking.folder, storeUrl: url, secretFile: undefined },
      {},
    );
    const admin = new Admin(database, { nowMs: () => Date.now() }, 'operator');
    const at = new Date(Date.now() - 1000).toISOString();
    const reward = {
      pubkey: pubkey.toUpperCase().replace('X', 'x'),
      amount: '0150',
      reference: 'a',
      at,
    };
    expect(await admin.addRewards([{ ...reward, note: 'January' }])).toEqual([
      { number: 1, isNew: true },
    ]);
    await admin.addRewards([{ ...reward, reference: 'b' }]);
    await database.close();
    const first = { number: 1, pubkey, amount: '150', at, note: 'January' };
    expect(await mine.rewards({ limit: 1 })).toEqual({ data: [first], next: 1 });
    expect(await mine.rewards({ after: 1 })).toEqual({
      data: [{ ...first, number: 2, note: '' }],
      next: null,
    });
    expect(await other.rewards()).toEqual({ data: [], next: null });
    await close(staking, ledger);
  });

  it('are recorded once for one reference', async () => {
    const { database, admin } = await storeWith('once');
    const reward = { pubkey: PUBKEY, amount: '5', reference: 'r', at: '2026-01-31', note: 'n' };
    expect(await admin.addRewards([reward])).toEqual([{ number: 1, isNew: true }]);
    const trail = await admin.audit();
    const again = [
      reward,
      { ...reward, amount: '05', pubkey: `0x${'AB'.repeat(48)}` },
      { ...reward, at: '2026-01-31T01:00:00+01:00' },
      { ...reward, at: undefined },
    ];
    for (const same of again) {
      expect(await admin.addRewards([same])).toEqual([{ number: 1, isNew: false }]);
    }
    const others = [
      [{ amount: '6' }, /amount is "5", not "6"/],
      [{ at: '2026-01-30' }, /at is "2026-01-31T00:00:00.000Z", not "2026-01-30/],
      [{ note: '' }, /note is "n", not ""/],
      [{ pubkey: `0x${'00'.repeat(48)}` }, /pubkey is/],
    ] as const;
    for (const [change, text] of others) {
      const refused = admin.addRewards([{ ...reward, ...change }]);
      await expect(refused).rejects.toMatchObject({ code: 'STAKING_REWARD_EXISTS' });
      await expect(refused).rejects.toThrow(text);
    }
    expect(await admin.audit()).toEqual(trail);
    expect(trail.isWhole).toBe(true);
    expect(trail.rows.at(-1)).toMatchObject({
      actor: 'operator',
      action: 'reward add',
      subject: PUBKEY,
      detail: { reference: 'r', amount: '5', at: '2026-01-31T00:00:00.000Z', note: 'n' },
    });
    await database.close();
  });

  it('come all together or not at all, by several hands at once', async () => {
    const { database, admin, another } = await storeWith('many');
    const lines = (text: string) => readRewardLines(text, 'r.jsonl');
    const line = (reference: string, amount = '1') =>
      JSON.stringify({ pubkey: PUBKEY, amount, reference });
    await expect(
      admin.addRewards(lines(`${line('1')}\n\n${line('2', '0')}\n`)),
    ).rejects.toMatchObject({
      code: 'STAKING_REWARD_INVALID',
      message: expect.stringMatching(/^r\.jsonl: line 3: "0" is not an amount/),
    });
    expect(await admin.rewards({ after: 0, limit: 9 })).toEqual([]);
    await expect(admin.addRewards(lines(`${line('1')}\n${line('1', '2')}`))).rejects.toMatchObject({
      code: 'STAKING_REWARD_EXISTS',
      message: expect.stringMatching(/^r\.jsonl: line 2: /),
    });
    expect((await admin.audit()).rows).toEqual([]);

    const second = await another();
    const file = lines(`${line('1')}\r\n${line('2')}\n${line('2')}\n`);
    const [one, two] = await Promise.all([
      admin.addRewards(file),
      adminOf(second).addRewards(file),
    ]);
    expect([...one, ...two].filter(({ isNew }) => isNew)).toHaveLength(2);
    const numbers = (await admin.rewards({ after: 0, limit: 9 })).map(({ number }) => number);
    expect(numbers).toEqual([1, 2]);
    expect((await admin.audit()).isWhole).toBe(true);
    await Promise.all([database.close(), second.close()]);
  });

  async function storeWith(name: string) {
    const source = {
      dataFolder: join(folder, name),
      storeUrl: await newUrl(),
      secretFile: undefined,
    };
    const another = () => openStakingStore(source, {});
    const database = await another();
    await addStake(database, PUBKEY, 'DEPOSITED');
    return { database, admin: adminOf(database), another };
  }
});

describe('what is not a reward', () => {
  let folder: string;
  let database: Database;
  let admin: Admin;
  const queued = `0x${'11'.repeat(48)}`;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-rewards-'));
    database = await openStakingStore(
      { dataFolder: folder, storeUrl: undefined, secretFile: undefined },
      {},
    );
    admin = adminOf(database);
    await addStake(database, PUBKEY, 'DEPOSITED');
    await addStake(database, queued, 'QUEUED');
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const good: NewReward = { pubkey: PUBKEY, amount: '1', reference: 'r' };
  const refused = (change: Partial<NewReward>) => admin.addRewards([{ ...good, ...change }]);

  it.each([
    ['amount', ['0', '00', '-1', '1.5', '0x10', '1e9', ' 1', '', '1'.repeat(21), '١']],
    ['at', ['', 'yesterday', '2026-02-31', '2026-06-31T00:00:00Z', '2026-01-31T12:00:00']],
    ['at', ['1769817600', '2026-01-31 12:00Z', '2026-13-01', '2026-01-31T12:00:00+25:00']],
    ['at', ['2026-02-01T00:05:01Z', '2062-01-01']],
    ['reference', ['', ' ', 'a ', 'a\n', 'a\u0000b', 'x'.repeat(129), '\ud800']],
    ['note', ['x'.repeat(501), 'two\nlines', '\u001b[31m']],
    ['pubkey', ['', 'ab'.repeat(48), `0x${'ab'.repeat(47)}`, `0x${'zz'.repeat(48)}`]],
  ] as const)('%s: %j', async (name, values) => {
    for (const value of values) {
      await expect(refused({ [name]: value })).rejects.toMatchObject({
        code: 'STAKING_REWARD_INVALID',
      });
    }
    expect(await admin.rewards({ after: 0, limit: 9 })).toEqual([]);
  });

  it('for a validator that is not staked', async () => {
    await expect(refused({ pubkey: `0x${'22'.repeat(48)}` })).rejects.toMatchObject({
      code: 'STAKING_VALIDATOR_UNKNOWN',
    });
    await expect(refused({ pubkey: queued })).rejects.toMatchObject({
      code: 'STAKING_VALIDATOR_NOT_DEPOSITED',
      message: expect.stringContaining('QUEUED'),
    });
  });

  it.each([
    ['{', /not a JSON object/],
    ['[]', /not a JSON object/],
    ['null', /not a JSON object/],
    ['{"pubkey":"a","amount":1,"reference":"r"}', /member amount must be text/],
    ['{"pubkey":"a","amount":"1"}', /member reference is missing/],
    ['{"pubkey":"a","amount":"1","reference":"r","time":"x"}', /no member "time", only pubkey/],
    ['{"pubkey":"a","amount":"1","amount":"2","reference":"r"}', /amount is given twice/],
    ['{"pubkey":"a","amount":"1","reference":"r","where":"x"}', /no member "where"/],
  ])('in a file: %s', (line, text) => {
    const fine = JSON.stringify(good);
    expect(() => readRewardLines(`${fine}\n${line}\n${fine}`, 'file')).toThrow(text);
    expect(() => readRewardLines(`${fine}\n${line}`, 'file')).toThrow(/^file: line 2: /);
  });

  it('in a file that is too long', () => {
    const text = `${JSON.stringify(good)}\n`.repeat(10_001);
    expect(() => readRewardLines(text, 'file')).toThrow(/line 10001: .* split it/);
  });
});

function adminOf(database: Database): Admin {
  return new Admin(database, { nowMs: () => NOW_MS }, 'operator');
}

async function clientOf({ running, url }: TestStaking): Promise<StakingClient> {
  const made = await running.admin.addClient({
    name: 'client',
    audiences: [AUDIENCE],
    scopes: ['stake:read', 'stake:write'],
    mayIntrospect: false,
  });
  await running.refresh();
  return new StakingClient({ authUrl: url, apiUrl: url, audience: AUDIENCE, ...made });
}

async function deposited(client: StakingClient): Promise<string> {
  const { stakes } = await client.stake(STAKE, randomUUID());
  const done = await until('it is in a block', async () => {
    const stake = await client.findStake(stakes[0]!.id);
    return stake.status === 'DEPOSITED' ? stake : undefined;
  });
  return done.pubkey;
}

async function close(staking: TestStaking, ledger: FakeLedger): Promise<void> {
  await staking.close();
  await ledger.close();
}
