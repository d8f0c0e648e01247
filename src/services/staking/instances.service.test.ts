/**
 * Two instances on one PostgreSQL store: what one issues, revokes, rotates or stakes also applies
 * at the other.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import {
  AUDIENCE,
  ask,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../test/support/staking.ts';
import { StakingClient } from '../../clients/staking-client.ts';
import { readSecret } from './store/open.ts';

const STAKE = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '32000000000' };
const STAKES = 4;
const CLIENT_SECRET = 'a-secret-of-the-test-with-32-characters';

let postgres: TestPostgres | undefined;
let ledger: FakeLedger;
let folder: string | undefined;
let both: readonly TestStaking[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  if (!postgres) return;
  ledger = await startFakeLedger();
  folder = mkdtempSync(join(tmpdir(), 'quorate-instances-'));
  const [secretFile, clientFile] = [join(folder, 'secret'), join(folder, 'client')];
  writeFileSync(secretFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  writeFileSync(clientFile, CLIENT_SECRET);
  const argv = [
    ...['--store', await postgres.newDatabase(), '--auth.issuer', 'https://auth.example/'],
    ...['--ledger.url', ledger.url, '--deposit.from', ledger.account],
    ...['--secret-file', secretFile],
    ...['--bootstrap.client', 'first', '--bootstrap.secret-file', clientFile],
  ];
  // Both start at the same time, on an empty database.
  both = await Promise.all([startTestStaking(argv), startTestStaking(argv)]);
}, POSTGRES_PATIENCE_MS);
beforeEach((context) => void postgresFor(postgres, context));
afterAll(async () => {
  for (const one of both) await one.close();
  await ledger?.close();
  await postgres?.remove();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}, POSTGRES_PATIENCE_MS);

it('start together with one signing key and one first client', async () => {
  const proof = { client_id: 'first', client_secret: CLIENT_SECRET };
  for (const { url } of both) {
    const { body } = await postJson(`${url}/oauth/token`, {
      ...proof,
      grant_type: 'client_credentials',
    });
    expect(body.token_type).toBe('Bearer');
    expect((await ask(`${url}/.well-known/jwks.json`)).body.keys).toHaveLength(1);
  }
  const { rows } = await both[0]!.running.admin.audit();
  expect(rows.map(({ action }) => action).sort()).toEqual(['client add', 'key rotate']);
});

it('are one service', async () => {
  const [one, two] = both as [TestStaking, TestStaking];
  const made = await one.running.admin.addClient({
    name: 'client',
    audiences: [AUDIENCE],
    scopes: ['stake:read', 'stake:write'],
    mayIntrospect: false,
  });
  const proof = { client_id: made.clientId, client_secret: made.clientSecret };
  const tokenOf = async ({ url }: TestStaking) =>
    (await postJson(`${url}/oauth/token`, { ...proof, grant_type: 'client_credentials' })).body
      .access_token as string | undefined;
  // Without this, repeated requests at an instance that does not know the client would lock it out.
  await two.running.refresh();
  const token = await tokenOf(two);
  const statusAt = async ({ url }: TestStaking) =>
    (await ask(`${url}/stakes`, { headers: { authorization: `Bearer ${token}` } })).status;
  await one.running.refresh();
  expect([await statusAt(one), await statusAt(two)]).toEqual([200, 200]);

  const secretFile = join(folder!, 'secret');
  const source = { dataFolder: one.folder, storeUrl: undefined, secretFile };
  const seal = readSecret(source)('signing keys');
  const plan = { algorithm: 'ES256', leadMs: 0, tokenMs: 86_400_000 } as const;
  const kid = await one.running.admin.rotateSigningKey(seal, plan);
  await until('the other signs with the new key', async () => {
    return decodeProtectedHeader((await tokenOf(two))!).kid === kid || undefined;
  });
  expect([await statusAt(one), await statusAt(two)]).toEqual([200, 200]);
  await postJson(`${one.url}/oauth/revoke`, { ...proof, token });
  await until(
    'the other refuses the token',
    async () => (await statusAt(two)) === 401 || undefined,
  );

  const clients = both.map(
    ({ url }) => new StakingClient({ authUrl: url, apiUrl: url, audience: AUDIENCE, ...made }),
  );
  // The same keys at both, at the same time; a refused request is repeated.
  const keys = Array.from({ length: STAKES }, () => randomUUID());
  const asked = keys.flatMap((key) =>
    clients.map((client) =>
      until(`${key} is taken`, () => client.stake(STAKE, key).catch(() => undefined)),
    ),
  );
  const ids = (await Promise.all(asked)).map(({ stakes }) => stakes[0]!.id);
  expect(new Set(ids).size).toBe(STAKES);
  await until('all are in blocks', async () => {
    const { data } = await clients[0]!.stakes();
    expect(data).toHaveLength(STAKES);
    return data.every(({ status }) => status === 'DEPOSITED') || undefined;
  });
  const deposits = [...ledger.mined.values()].filter(({ to }) => to !== null);
  expect(deposits).toHaveLength(STAKES);
  expect([...ledger.mined.values()].filter(({ to }) => to === null)).toHaveLength(1);
}, 60_000);

it('start together in one folder, and make its file of secrets once', async () => {
  const home = mkdtempSync(join(tmpdir(), 'quorate-together-'));
  const argv = ['--store', await postgres!.newDatabase()];
  const all = await Promise.all([1, 2, 3].map(() => startTestStaking(argv, home)));
  expect(readdirSync(home)).toEqual(['secret']);
  // Each can decrypt the keys that another one encrypted.
  for (const { running, url } of all) {
    await running.refresh();
    expect((await ask(`${url}/.well-known/jwks.json`)).body.keys).toHaveLength(1);
  }
  for (const one of all) await one.running.close();
  rmSync(home, { recursive: true, force: true });
});
