/** The account that pays the deposits, and the contract that it deploys. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  ask,
  bearerOf,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';

const STAKE = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '32000000000' };

describe('the account and the contract', () => {
  const ISSUER = 'https://auth.example/';
  let own: TestStaking;
  let mine: FakeLedger;
  let client: Record<string, string>;
  const paidBy = (account: string) => [
    ...['--ledger.url', mine.url, '--deposit.from', account, '--auth.issuer', ISSUER],
  ];
  const stakeOnce = () =>
    postJson(`${own.url}/stake`, STAKE, { ...client, 'idempotency-key': randomUUID() });
  beforeEach(async () => {
    mine = await startFakeLedger();
    own = await startTestStaking(paidBy(mine.account));
    client = await bearerOf(own, ['stake:read', 'stake:write']);
  });
  afterEach(async () => {
    await own.close();
    await mine.close();
  });

  it('a deployment that failed is tried again when the contract is next asked for', async () => {
    mine.reverts = () => true;
    const asking = stakeOnce();
    const isLogged = async () => own.logged.join().includes('Reverted') || undefined;
    await until('the deployment failed', isLogged);
    own.clock.offsetMs += 11_000;
    const { status, body } = await asking;
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(mine.mined.size).toBe(1);
    mine.reverts = () => false;
    expect((await stakeOnce()).status).toBe(201);
    expect([...mine.mined.values()].filter(({ to }) => to === null)).toHaveLength(2);
  });

  it('deposits of an account that paid before are seen to their end', async () => {
    const { id } = (await stakeOnce()).body.stakes[0];
    mine.lags = true;
    await until('the deposit is sent', async () => mine.mined.size === 2 || undefined);
    own = await own.restart(paidBy(`0x${'12'.repeat(20)}`));
    mine.lags = false;
    await until('it is seen in a block', async () => {
      const { body } = await ask(`${own.url}/stakes/${id}`, { headers: client });
      return body.status === 'DEPOSITED' || undefined;
    });
  });
});
