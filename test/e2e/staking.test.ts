/** The staking service on a devnet, and as a process that is killed again and again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Contract, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StakingClient } from '../../src/clients/staking-client.ts';
import { DEPOSIT_CONTRACT_ABI } from '../../src/core/staking/deposit-contract.ts';
import { until } from '../support/conditions.ts';
import { MAIN, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { type FakeLedger, startFakeLedger } from '../support/fake-ledger.ts';
import { freePorts } from '../support/free-ports.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../support/postgres.ts';

const WISH = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '32000000000' };

const ASK_PAUSE_MS = 20;

describe('on a devnet', () => {
  let net: TestDevnet;
  beforeAll(async () => {
    net = await startTestDevnet();
  });
  afterAll(() => net?.close());

  it('deposits reach the ledger through the signing proxy', async () => {
    const { staking, nodes } = net.devnet.description;
    const client = new StakingClient({ ...staking, ...staking.client });
    const key = randomUUID();
    const { stakes, eth1_contract_address: address } = await client.stake(WISH, key);
    expect(await client.stake(WISH, key)).toMatchObject({ stakes });
    const batch = await client.batchStake({ ...WISH, amount: '64000000000' }, randomUUID());
    const ids = [...stakes, ...batch.stakes].map(({ id }) => id);
    for (const id of ids) {
      const done = await until(`${id} is in a block`, async () => {
        const stake = await client.findStake(id);
        expect(stake.failure).toBeNull();
        return stake.status === 'DEPOSITED' ? stake : undefined;
      });
      expect(done.block_number).toBeGreaterThan(0);
    }
    const provider = new JsonRpcProvider(nodes[1]!.rpc);
    const contract = new Contract(address, DEPOSIT_CONTRACT_ABI, provider);
    await until('another node has all of them', async () => {
      const count = await contract
        .getFunction('get_deposit_count')()
        .catch(() => undefined);
      return count === '0x0300000000000000' || undefined;
    });
    expect(await provider.getBalance(address)).toBe(96n * 10n ** 18n);
    const events = await contract.queryFilter('DepositEvent', 0);
    const keys = events.map((event: any) => event.args.pubkey);
    expect(keys.sort()).toEqual([...stakes, ...batch.stakes].map(({ pubkey }) => pubkey).sort());
    provider.destroy();
  });
});

describe.each(['embedded', 'PostgreSQL'] as const)('killed and started again: %s', (store) => {
  let folder: string;
  let ledger: FakeLedger;
  let postgres: TestPostgres | undefined;
  let running: ChildProcess | undefined;
  let args: string[];
  let port: number;
  const secret = 'a-secret-of-the-test-with-32-characters';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-staking-kill-'));
    ledger = await startFakeLedger();
    port = await freePorts();
    if (store === 'PostgreSQL') postgres = await startTestPostgres();
    writeFileSync(join(folder, 'secret.txt'), secret);
    args = [
      ...['staking', '--datadir', join(folder, 'data'), '--http.port', String(port)],
      ...['--auth.algorithm', 'ES256', '--verbosity', '1'],
      ...['--ledger.url', ledger.url, '--deposit.from', ledger.account],
      ...['--bootstrap.client', 'me', '--bootstrap.secret-file', join(folder, 'secret.txt')],
      ...(postgres ? ['--store', await postgres.newDatabase()] : []),
    ];
  }, POSTGRES_PATIENCE_MS);
  afterAll(async () => {
    running?.kill('SIGKILL');
    await ledger?.close();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, POSTGRES_PATIENCE_MS);

  const url = () => `http://127.0.0.1:${port}`;
  const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
    exitCode !== null || signalCode !== null;
  /**
   * Starts it as its supervisor does: a start may fail when the database takes too long to answer.
   */
  async function start(): Promise<void> {
    await until('it is ready', async () => {
      if (!running || hasEnded(running)) {
        const stdio = ['ignore', 'ignore', 'inherit'] as const;
        running = spawn(process.execPath, [MAIN, ...args], { stdio: [...stdio] });
      }
      return (await fetch(`${url()}/ready`)).status === 200;
    });
  }
  async function kill(): Promise<void> {
    const ended = new Promise((resolve) => running!.once('exit', resolve));
    running!.kill('SIGKILL');
    await ended;
  }

  it('loses nothing that it acknowledged, and pays nothing twice', async (context) => {
    if (store === 'PostgreSQL') postgresFor(postgres, context);
    await start();
    const place = { authUrl: url(), apiUrl: url(), audience: `${url()}/` };
    const clientOf = () => new StakingClient({ ...place, clientId: 'me', clientSecret: secret });
    let client = clientOf();
    const acknowledged = new Map<string, string>();
    const keys = Array.from({ length: 6 }, () => randomUUID());
    const revoked = await client.token();
    const proof = { client_id: 'me', client_secret: secret, token: revoked };
    const post = (path: string) =>
      fetch(`${url()}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(proof),
      });
    expect((await post('/oauth/revoke')).status).toBe(200);
    const contradicted: string[] = [];
    let refusal: unknown;
    /** Sent again after the kill, with the same keys; some answers are never seen. */
    const ask = async () => {
      const answers = await Promise.allSettled(
        keys.map(async (key) => {
          const { stakes } = await client.stake(WISH, key);
          const { id } = stakes[0]!;
          if ((acknowledged.get(key) ?? id) !== id) contradicted.push(key);
          acknowledged.set(key, id);
        }),
      );
      refusal = answers.find(({ status }) => status === 'rejected') ?? refusal;
    };
    for (const wanted of [1, 2, keys.length]) {
      client = clientOf();
      let isOver = false;
      const asking = (async () => {
        while (!isOver) {
          await ask();
          // Requests without a pause would starve the service of CPU time.
          await pause(ASK_PAUSE_MS);
        }
      })();
      await until(`${wanted} are taken`, () => {
        if (acknowledged.size >= wanted) return true;
        const { exitCode, signalCode } = running!;
        throw new Error(`exit ${exitCode}, signal ${signalCode}`, { cause: refusal });
      });
      await kill();
      isOver = true;
      await asking;
      await start();
    }
    expect(contradicted).toEqual([]);
    const introspected = await (await post('/oauth/introspect')).json();
    expect(introspected).toEqual({ active: false });
    client = clientOf();
    await until('all are in blocks', async () => {
      const { data } = await client.stakes({ limit: 100 });
      const done = new Set(data.filter(({ status }) => status === 'DEPOSITED').map(({ id }) => id));
      return (
        ([...acknowledged.values()].every((id) => done.has(id)) && data.length === done.size) ||
        undefined
      );
    });
    const { data } = await client.stakes({ limit: 100 });
    expect(data).toHaveLength(keys.length);
    const deposits = [...ledger.mined.values()].filter(({ to }) => to !== null);
    expect(deposits).toHaveLength(keys.length);
  });
});
