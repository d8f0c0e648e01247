import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { AUDIENCE, startTestStaking } from '../../test/support/staking.ts';
import { StakingClient, StakingError } from './staking-client.ts';

const SECRET = 'a-very-secret-secret';

/** A server that answers from a list, and counts its requests. */
function server(parts: { lifetime?: unknown; api?: (token: string, n: number) => Response } = {}) {
  const calls = { tokens: 0, api: 0, bodies: [] as string[], nowMs: 0 };
  const client = new StakingClient({
    authUrl: 'https://auth.example/',
    apiUrl: 'https://api.example',
    audience: AUDIENCE,
    clientId: 'me',
    clientSecret: SECRET,
    now: () => calls.nowMs,
    fetch: (async (url: string, init: RequestInit) => {
      if (url === 'https://auth.example/oauth/token') {
        calls.bodies.push(String(init.body));
        calls.tokens++;
        const body = {
          access_token: `token${calls.tokens}`,
          token_type: 'bearer',
          expires_in: parts.lifetime ?? 600,
        };
        return Response.json(body);
      }
      calls.api++;
      const token = new Headers(init.headers).get('authorization')!;
      return parts.api?.(token, calls.api) ?? Response.json({ data: [], next: null });
    }) as typeof fetch,
  });
  return { client, calls };
}

it('fetches one token for all callers, and keeps it until shortly before its end', async () => {
  const { client, calls } = server();
  await Promise.all(Array.from({ length: 20 }, () => client.stakes()));
  expect(calls).toMatchObject({ tokens: 1, api: 20 });
  expect(JSON.parse(calls.bodies[0]!)).toEqual({
    client_id: 'me',
    client_secret: SECRET,
    audience: AUDIENCE,
    grant_type: 'client_credentials',
  });
  calls.nowMs = 539_000;
  await client.stakes();
  expect(calls.tokens).toBe(1);
  calls.nowMs = 540_000;
  await Promise.all([client.stakes(), client.stakes()]);
  expect(calls.tokens).toBe(2);
});

it('takes a lifetime that is text, none, or short', async () => {
  for (const [lifetime, untilMs] of [
    ['86400', 77_760_000],
    [null, 240_000],
    [20, 10_000],
  ] as const) {
    const { client, calls } = server({ lifetime: lifetime ?? 'soon' });
    await client.token();
    calls.nowMs = untilMs - 1;
    await client.token();
    expect(calls.tokens).toBe(1);
    calls.nowMs = untilMs;
    await client.token();
    expect(calls.tokens).toBe(2);
  }
});

it('asks once more with a new token after 401, and only once', async () => {
  const revoked = server({
    api: (token) =>
      token === 'Bearer token1'
        ? new Response('', { status: 401 })
        : Response.json({ data: [], next: null }),
  });
  await revoked.client.stakes();
  expect(revoked.calls).toMatchObject({ tokens: 2, api: 2 });
  const never = server({ api: () => Response.json({ error: 'invalid_token' }, { status: 401 }) });
  await expect(never.client.stakes()).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  expect(never.calls).toMatchObject({ tokens: 2, api: 2 });
});

it('shows its secret to nobody', async () => {
  const { client } = server({ api: () => new Response('<html>', { status: 502 }) });
  await client.token();
  const error = await client.stakes().catch((each) => each);
  expect(error).toBeInstanceOf(StakingError);
  for (const text of [
    inspect(client, { depth: 9 }),
    JSON.stringify(client),
    inspect(error),
    String(error),
  ]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('token1');
  }
});

it('is a client of the service, in both styles of errors', async () => {
  for (const style of ['rfc6749', 'auth0']) {
    const staking = await startTestStaking(['--auth.error-style', style]);
    const made = await staking.running.admin.addClient({
      name: 'x',
      audiences: [AUDIENCE],
      scopes: ['stake:read', 'stake:write'],
      mayIntrospect: false,
    });
    await staking.running.refresh();
    const options = { authUrl: staking.url, apiUrl: staking.url, audience: AUDIENCE, ...made };
    const client = new StakingClient(options);
    expect(await client.stakes({ limit: 5 })).toEqual({ data: [], next: null });
    const request = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '1' };
    await expect(client.stake(request, 'x')).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
    const wrong = new StakingClient({ ...options, clientSecret: 'wrong' });
    await expect(wrong.token()).rejects.toMatchObject({
      status: 401,
      code: style === 'auth0' ? 'access_denied' : 'invalid_client',
    });
    await staking.close();
  }
});
