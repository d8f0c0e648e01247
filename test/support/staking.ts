/** A staking service in this process, on a free port, with its own folder. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DepositKeys, signOrder } from '../../src/core/staking/deposit-order.ts';
import type { DepositSigner } from '../../src/io/crypto/deposit-threads.ts';
import type { Database } from '../../src/io/database/database.ts';
import { parseOptions } from '../../src/io/options/options.ts';
import { type StakingConfig, stakingConfig } from '../../src/services/staking/config.ts';
import { STAKING_ROWS } from '../../src/services/staking/options.ts';
import { type RunningStaking, startStaking } from '../../src/services/staking/start.ts';

export const AUDIENCE = 'https://staking.example/';

export interface TestStaking {
  readonly running: RunningStaking;
  readonly url: string;
  readonly clock: { nowMs: () => number; offsetMs: number };
  /** Log lines as text. */
  readonly logged: string[];
  readonly folder: string;
  /** Stops it and starts it again on the same store. */
  restart(argv?: readonly string[]): Promise<TestStaking>;
  close(): Promise<void>;
}

export async function startTestStaking(
  argv: readonly string[] = [],
  folder = mkdtempSync(join(tmpdir(), 'quorate-staking-')),
): Promise<TestStaking> {
  const clock = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs };
  const logged: string[] = [];
  const running = await startStaking(testConfig(argv, folder), {
    log: (...words) => logged.push(JSON.stringify(words)),
    env: {},
    clock,
    lookMs: 20,
    depositSigner: signHere,
  });
  return {
    running,
    url: running.url,
    clock,
    logged,
    folder,
    async restart(more = argv) {
      await running.close();
      return startTestStaking(more, folder);
    },
    async close() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signs on this thread: the threads' file exists only in the build. */
export function signHere(keys: DepositKeys): DepositSigner {
  return { sign: async (order) => signOrder(keys, order), stop: async () => {} };
}

function testConfig(argv: readonly string[], folder: string): StakingConfig {
  const given = ['--datadir', folder, '--http.port', '0', '--api.audience', AUDIENCE];
  return stakingConfig(
    parseOptions(STAKING_ROWS, { argv: [...given, '--auth.algorithm', 'ES256', ...argv] }),
  );
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  };
}

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json', ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(url, { method: 'POST', headers: type, body: text });
}

export function postForm(
  url: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
) {
  const type = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return ask(url, { method: 'POST', headers: type, body });
}

/** Adds a stake of the client `owner` to the database. */
export async function addStake(database: Database, pubkey: string, state: string): Promise<void> {
  const [row] = await database.query('SELECT count(*) AS stakes FROM stake');
  const number = Number(row!.stakes) + 1;
  await database.query(
    `INSERT INTO stake (id, number, client_id, key_index, pubkey, withdrawal_credentials, amount, signature,
       deposit_root, options, state, created_at, updated_at)
     VALUES ($1, $2, 'owner', $2, $3, '0x', '32000000000', '0x', '0x', '{}', $4, 0, 0)`,
    [randomUUID(), number, pubkey, state],
  );
}

/** Headers with a token of a new client with these scopes. */
export async function bearerOf(
  staking: TestStaking,
  scopes: readonly string[],
): Promise<Record<string, string>> {
  const client = await staking.running.admin.addClient({
    name: 'test',
    audiences: [AUDIENCE],
    scopes,
    mayIntrospect: false,
  });
  await staking.running.refresh();
  const { body } = await postJson(`${staking.url}/oauth/token`, {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience: AUDIENCE,
    grant_type: 'client_credentials',
  });
  return { authorization: `Bearer ${body.access_token}` };
}
