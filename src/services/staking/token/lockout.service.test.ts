import { describe, expect, it } from 'vitest';
import { AUDIENCE, postJson } from '../../../../test/support/staking.ts';
import { scene } from '../../../../test/support/token-scene.ts';

describe('locks and limits', () => {
  it('locks a client out after wrong secrets, but not one that has shown its secret', async () => {
    const one = await scene(['--auth.failures', '3']);
    const url = `${one.staking.url}/oauth/token`;
    const wrong = { ...one.body, client_secret: 'wrong' };
    for (let i = 0; i < 3; i++) expect((await postJson(url, wrong)).status).toBe(401);
    const locked = await postJson(url, one.body);
    expect([locked.status, locked.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(200);
    one.staking.clock.offsetMs = 6 * 60_000;
    expect((await postJson(url, one.body)).status).toBe(200);
    for (let i = 0; i < 4; i++) await postJson(url, wrong);
    expect((await postJson(url, wrong)).status).toBe(429);
    expect((await postJson(url, one.body)).status).toBe(200);
    expect(one.staking.logged.join()).not.toContain(one.client.clientSecret);
    await one.staking.close();
  });

  it('forgives a client that was added, or given another secret, after its requests were refused', async () => {
    const one = await scene(['--auth.failures', '3']);
    const url = `${one.staking.url}/oauth/token`;
    const { admin, refresh } = one.staking.running;
    const statusOf = async (client_id: string, client_secret: string) =>
      (await postJson(url, { ...one.body, client_id, client_secret })).status;
    for (let i = 0; i < 4; i++) await statusOf('early', 'not-there-yet');
    expect(await statusOf('early', 'x')).toBe(429);
    const { clientSecret } = await admin.addClient({
      id: 'early',
      name: 'early',
      audiences: [AUDIENCE],
      scopes: ['stake:read'],
      mayIntrospect: false,
    });
    await refresh();
    expect(await statusOf('early', clientSecret)).toBe(200);
    for (let i = 0; i < 4; i++) await statusOf('early', 'forgotten');
    const { clientSecret: second } = await admin.rotateSecret('early', 0);
    expect(await statusOf('early', second)).toBe(429);
    await refresh();
    expect(await statusOf('early', second)).toBe(200);
    await one.staking.close();
  });

  it('locks an address out after wrong secrets of many clients, unless addresses are not counted', async () => {
    for (const [failures, status] of [
      ['2', 429],
      ['0', 200],
    ] as const) {
      const one = await scene(['--auth.address-failures', failures]);
      const url = `${one.staking.url}/oauth/token`;
      for (const client_id of ['a', 'b', 'c']) await postJson(url, { ...one.body, client_id });
      expect((await postJson(url, one.body)).status).toBe(status);
      await one.staking.close();
    }
  });

  it('keeps a client to its rate', async () => {
    const one = await scene(['--auth.rate', '2']);
    const url = `${one.staking.url}/oauth/token`;
    const statuses = [];
    const fixed = Date.now();
    one.staking.clock.nowMs = () => fixed;
    for (let i = 0; i < 5; i++) statuses.push((await postJson(url, one.body)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    await one.staking.close();
  });
});
