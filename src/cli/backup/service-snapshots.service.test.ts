/**
 * Stores of the on-ramp and of the staking service in snapshots: taken while the services run, and
 * restored, into another database too.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import {
  buy,
  orderOf,
  startTestRamp,
  type TestRamp,
  testOffer,
} from '../../../test/support/ramp.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { ask, bearerOf, postJson, startTestStaking } from '../../../test/support/staking.ts';
import { type Command, parseFor } from '../command.ts';
import { backupCommand } from './backup.ts';
import { restoreCommand } from './restore.ts';

const root = scratchFolder('quorate-snapshots-');
const at = (...names: string[]) => join(root, ...names);
let postgres: TestPostgres | undefined;
let ledger: FakeLedger;
let ramp: TestRamp | undefined;
const lines: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterEach(async () => {
  vi.restoreAllMocks();
  await ramp?.running.close();
  ramp = undefined;
  await ledger?.close();
});
afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

async function run(command: Command, ...flags: string[]): Promise<string> {
  lines.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  expect(await command.run(parseFor(command, ['--verbosity', '0', ...flags]))).toBe(0);
  return lines.join('\n');
}

async function start(folder: string, ...store: string[]): Promise<TestRamp> {
  const argv = ['--ledger.url', ledger.url, '--ledger.from', ledger.account, ...store];
  ramp = await startTestRamp(argv, testOffer(), folder, ramp?.clock);
  return ramp;
}

const completed = (id: string) =>
  until(`${id} is paid out`, async () => (await orderOf(ramp!, id)).status === 'COMPLETED');

it.for(['embedded', 'PostgreSQL'])(
  'a store put back from before a payout pays nothing out again, into the %s store',
  { timeout: 120_000 },
  async (kind, context) => {
    ledger = await startFakeLedger();
    ledger.idleMs = () => Date.now();
    const folder = scratchFolder('quorate-ramp-');
    await start(folder);
    const first = await buy(ramp!);
    await completed(first);
    // When the backup is taken, one payout is queued, and one is announced to the ledger.
    ledger.balance = 0n;
    const queued = await buy(ramp!);
    const same = await buy(ramp!);
    await until('both are paid for', async () => {
      const orders = await Promise.all([queued, same].map((id) => orderOf(ramp!, id)));
      return orders.every(({ statusCode }) => statusCode === 'PROVIDER-PENDING-PAYOUT');
    });
    const snapshot = join(folder, 'snapshot');
    const said = await run(backupCommand, '--ramp.datadir', folder, '--out', snapshot);
    expect(said).toMatch(/On-ramp: \d+ rows/);
    expect(statSync(join(snapshot, 'ramp/store.jsonl')).mode & 0o077).toBe(0);
    ledger.balance = 10n ** 30n;
    await completed(queued);
    await completed(same);
    const hashes = [...ledger.mined.keys()];
    expect(hashes).toHaveLength(3);
    await ramp!.running.close();
    const other = scratchFolder('quorate-ramp-');
    const url =
      kind === 'embedded' ? undefined : await postgresFor(postgres, context).newDatabase();
    const target = url === undefined ? ['--ramp.datadir', other] : ['--ramp.store', url];
    await run(restoreCommand, '--from', snapshot, ...target);
    await start(other, ...(url === undefined ? [] : ['--store', url]));
    await completed(queued);
    await completed(same);
    expect([...ledger.mined.keys()]).toEqual(hashes);
    const paid = [first, queued, same].map((id) => orderOf(ramp!, id));
    const shown = (await Promise.all(paid)).map(({ transactionHash }) => transactionHash);
    expect(new Set(shown)).toEqual(new Set(hashes));
    // A new order of the same customer over the same amount is a new payout.
    const fresh = await buy(ramp!);
    await completed(fresh);
    expect(ledger.mined.size).toBe(4);
    await expect(run(restoreCommand, '--from', snapshot, ...target)).rejects.toMatchObject({
      code: 'STORAGE_NOT_EMPTY',
    });
  },
);

it('the staking service comes with its secret', async () => {
  const staking = await startTestStaking(['--auth.issuer', 'https://auth.example/'], at('staking'));
  const { clientId } = await staking.running.admin.addClient({
    ...{ name: 'one', audiences: ['x'], scopes: [], mayIntrospect: false },
  });
  const snapshot = at('snapshot');
  await run(backupCommand, '--staking.datadir', at('staking'), '--out', snapshot);
  await staking.running.close();
  await run(restoreCommand, '--from', snapshot, '--staking.datadir', at('again'));
  expect(readFileSync(at('again/secret'))).toEqual(readFileSync(at('staking/secret')));
  const again = await startTestStaking(['--auth.issuer', 'https://auth.example/'], at('again'));
  const { clientSecret } = await again.running.admin.rotateSecret(clientId, 0);
  expect(clientSecret).toMatch(/./);
  await again.running.close();
});

it('a staking store put back from before a deposit pays none again', async () => {
  ledger = await startFakeLedger();
  ledger.idleMs = () => Date.now();
  const [folder, other] = [scratchFolder('quorate-staking-'), scratchFolder('quorate-staking-')];
  const argv = [
    ...['--ledger.url', ledger.url, '--deposit.from', ledger.account],
    ...['--auth.issuer', 'https://auth.example/'],
  ];
  let staking = await startTestStaking(argv, folder);
  const client = await bearerOf(staking, ['stake:read', 'stake:write']);
  const stake = async () => {
    const asked = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '32000000000' };
    const headers = { ...client, 'idempotency-key': randomUUID() };
    return (await postJson(`${staking.url}/stake`, asked, headers)).body.stakes[0].id;
  };
  const deposited = (id: string) =>
    until(`${id} is deposited`, async () => {
      const { body } = await ask(`${staking.url}/stakes/${id}`, { headers: client });
      return body.status === 'DEPOSITED';
    });
  const first = await stake();
  await deposited(first);
  ledger.fault = (method) => (method === 'eth_signTransaction' ? 'error' : 'none');
  const queued = await stake();
  const snapshot = join(folder, 'snapshot');
  await run(backupCommand, '--staking.datadir', folder, '--out', snapshot);
  ledger.fault = () => 'none';
  await deposited(queued);
  const hashes = [...ledger.mined.keys()];
  await staking.running.close();
  await run(restoreCommand, '--from', snapshot, '--staking.datadir', other);
  staking = await startTestStaking(argv, other);
  await deposited(queued);
  const again = await stake();
  await deposited(again);
  await staking.running.close();
  expect([...ledger.mined.keys()].slice(0, hashes.length)).toEqual(hashes);
  expect(ledger.mined.size).toBe(hashes.length + 1);
}, 120_000);

it('says what is not there', async () => {
  const none = run(backupCommand, '--ramp.datadir', at('nobody'), '--out', at('none'));
  await expect(none).rejects.toMatchObject({ code: 'STORAGE_MISSING' });
  expect(existsSync(at('none'))).toBe(false);
  const other = run(restoreCommand, '--from', at('snapshot'), '--ramp.datadir', at('new'));
  await expect(other).rejects.toThrow('holds no store of quorate ramp');
});
