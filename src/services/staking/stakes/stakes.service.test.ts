/**
 * The guarded API: what it accepts and refuses, that an idempotency key has one effect, and that
 * money moves once, whatever the ledger does.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  type Answer,
  AUDIENCE,
  ask,
  bearerOf,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { isSignedDeposit } from '../../../core/staking/deposit.ts';

const OWNER = `0x${'ab'.repeat(20)}`;
const STAKE = { withdrawal_pubkey: OWNER, amount: '32000000000' };

let ledger: FakeLedger;
let staking: TestStaking;
let headers: Record<string, string>;
let other: Record<string, string>;
let reader: Record<string, string>;

const argv = () => ['--ledger.url', ledger.url, '--deposit.from', ledger.account];
const bearer = (scopes: readonly string[]) => bearerOf(staking, scopes);
function stake(body: unknown, key: string = randomUUID(), path = '/stake'): Promise<Answer> {
  return postJson(`${staking.url}${path}`, body, { ...headers, 'idempotency-key': key });
}
const get = (path: string, as = headers) => ask(`${staking.url}${path}`, { headers: as });
const settled = (id: string) =>
  until(`stake ${id} is in a block`, async () => {
    const { body } = await get(`/stakes/${id}`);
    return body.status === 'DEPOSITED' ? body : undefined;
  });

beforeAll(async () => {
  ledger = await startFakeLedger();
  staking = await startTestStaking(argv());
  headers = await bearer(['stake:read', 'stake:write']);
  other = await bearer(['stake:read', 'stake:write']);
  reader = await bearer(['stake:read']);
  await until('the contract stands', async () => {
    const answer = await stake(STAKE);
    return answer.status === 201 ? true : undefined;
  });
}, 60_000);
afterAll(async () => {
  await staking.close();
  await ledger.close();
});

describe('staking', () => {
  it('reserves a validator, signs its deposit, and brings it onto the ledger', async () => {
    const { status, body, headers: sent } = await stake({ ...STAKE, fee_recipient: OWNER });
    expect(status).toBe(201);
    expect(sent.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.eth1_contract_address).toBe(`0x${'c0'.repeat(20)}`);
    const [made] = body.stakes;
    expect(made).toMatchObject({ amount: '32000000000', fee_recipient: OWNER, status: 'QUEUED' });
    expect(made.withdrawal_credentials).toBe(`0x01${'00'.repeat(11)}${OWNER.slice(2)}`);
    const deposit = {
      pubkey: fromHex(made.pubkey),
      withdrawalCredentials: fromHex(made.withdrawal_credentials),
      amountGwei: 32_000_000_000n,
      signature: fromHex(made.signature),
      root: fromHex(made.deposit_root),
    };
    expect(isSignedDeposit(deposit, new Uint8Array(4))).toBe(true);
    const seen = await settled(made.id);
    const transaction = ledger.mined.get(seen.transaction_hash)!;
    expect(transaction.value).toBe(32n * 10n ** 18n);
    expect(transaction.data).toContain(made.pubkey.slice(2));
    expect((await get(`/validators/${made.pubkey}`)).body.id).toBe(made.id);
    expect((await get('/rewards')).body).toEqual({ data: [], next: null });
  });

  it('stakes a batch, each validator with a key of its own', async () => {
    const request = { ...STAKE, withdrawal_pubkey: `0x${'cd'.repeat(48)}`, amount: '96000000000' };
    const { status, body } = await stake(request, randomUUID(), '/batch-stake');
    expect(status).toBe(201);
    expect(new Set(body.stakes.map((each: any) => each.pubkey)).size).toBe(3);
    expect(body.stakes[0].withdrawal_credentials).toMatch(/^0x00/);
    for (const { id } of body.stakes) await settled(id);
    const pages = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Answer = await get(`/stakes?limit=2&after=${after}`);
      pages.push(...page.body.data);
      after = page.body.next;
    }
    expect(pages.map((each) => each.number)).toEqual(pages.map((_, at) => at + 1));
  });

  it('does one thing for one key', async () => {
    const key = randomUUID();
    const first = await stake(STAKE, key);
    const again = await stake({ amount: STAKE.amount, withdrawal_pubkey: OWNER }, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    const changed = await stake({ ...STAKE, vault_name: 'other' }, key);
    expect([changed.status, changed.body.error]).toEqual([409, 'idempotency_key_reused']);
    const elsewhere = await stake(STAKE, key, '/batch-stake');
    expect(elsewhere.status).toBe(409);
    const stranger = await postJson(`${staking.url}/stake`, STAKE, {
      ...other,
      'idempotency-key': key,
    });
    expect(stranger.status).toBe(201);
    expect(stranger.body.stakes[0].id).not.toBe(first.body.stakes[0].id);
    const racing = randomUUID();
    const all = await Promise.all(Array.from({ length: 8 }, () => stake(STAKE, racing)));
    const ids = new Set(
      all.filter(({ status }) => status === 201).map(({ body }) => body.stakes[0].id),
    );
    expect(ids.size).toBe(1);
    for (const { status, body } of all) {
      if (status !== 201) expect([status, body.error]).toEqual([409, 'idempotency_key_in_flight']);
    }
    expect((await stake(STAKE, racing)).status).toBe(201);
  });

  it.each([
    ['no key', STAKE, ''],
    ['a key that is not a UUID', STAKE, 'abc'],
    ['no owner', { amount: STAKE.amount }, undefined],
    [
      'what the documented pattern lets through',
      { ...STAKE, withdrawal_pubkey: `0x${'a'.repeat(96)}ff` },
      undefined,
    ],
    ['the zero address', { ...STAKE, withdrawal_pubkey: `0x${'0'.repeat(40)}` }, undefined],
    ['a number as amount', { ...STAKE, amount: 32_000_000_000 }, undefined],
    ['too little', { ...STAKE, amount: '31999999999' }, undefined],
    ['two validators', { ...STAKE, amount: '64000000000' }, undefined],
    ['nothing', { ...STAKE, amount: '0' }, undefined],
    ['less than nothing', { ...STAKE, amount: '-32000000000' }, undefined],
    ['a member that is none', { ...STAKE, fee_recepient: OWNER }, undefined],
    ['a fee recipient that is none', { ...STAKE, fee_recipient: '0x12' }, undefined],
    ['a relay without its key', { ...STAKE, builder_relays: ['https://relay.example'] }, undefined],
    ...['@relay.example/', '\u0000', '<script>', 'a b', ' ', 'é.example', '"', "'"].map(
      (host): [string, object, undefined] => [
        `a relay of the host ${JSON.stringify(host)}`,
        { ...STAKE, builder_relays: [`https://0x${'ab'.repeat(48)}@${host}`] },
        undefined,
      ],
    ),
    ['a region that is none', { ...STAKE, regions: ['mars'] }, undefined],
    ['a list that is none', { ...STAKE, client_types: 'teku' }, undefined],
    [
      'a member twice',
      `{"amount":"32000000000","amount":"32000000000","withdrawal_pubkey":"${OWNER}"}`,
      undefined,
    ],
    ...['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'].map(
      (name): [string, string, undefined] => [
        `a member that every object inherits: ${name}`,
        `{"amount":"32000000000","withdrawal_pubkey":"${OWNER}","${name}":{}}`,
        undefined,
      ],
    ),
    ['no JSON', '{', undefined],
    ['a list', [], undefined],
  ])('refuses %s', async (_, body, key) => {
    const before = (await get('/stakes?limit=100')).body.data.length;
    const { status, body: said } = await stake(body, key ?? randomUUID());
    expect([status, said.error]).toEqual([400, 'invalid_request']);
    expect((await get('/stakes?limit=100')).body.data).toHaveLength(before);
  });

  it('reads a body that begins with the mark of UTF-8 as one that does not', async () => {
    const key = randomUUID();
    const first = await stake(`\ufeff${JSON.stringify(STAKE)}`, key);
    expect(first.status).toBe(201);
    expect((await stake(STAKE, key)).body).toEqual(first.body);
  });

  it('knows no stake by a text that is not an id, whatever its bytes', async () => {
    for (const id of [
      '%00',
      'x%00y',
      '%ff',
      'a%2fb',
      '..%2f..',
      "'",
      '%F0%9F%98%80',
      '__proto__',
    ]) {
      for (const path of ['stakes', 'validators']) {
        const { status } = await get(`/${path}/${id}`);
        expect([id, [400, 404].includes(status)]).toEqual([id, true]);
      }
    }
  });

  it('refuses what cannot be read in the same words as everything else', async () => {
    for (const [path, status] of [
      ['/stakes/%zz', 400],
      ['/stakes/%c0%af', 400],
      [`/stakes/${'x'.repeat(2_000)}`, 414],
      ['/%', 400],
    ] as const) {
      const { status: said, body, headers: sent } = await get(path);
      expect([said, body.error]).toEqual([status, 'invalid_request']);
      expect(sent.get('cache-control')).toBe('no-store');
      expect(JSON.stringify(body)).not.toMatch(/FST|stakes/);
    }
    for (const path of ['/', '//stakes', '/Stakes', '/stakes%2f', '/stakes;x', '/nothing']) {
      const { status, body } = await get(path);
      expect([path, status, body.error]).toEqual([path, 404, 'not_found']);
    }
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status } = await ask(`${staking.url}/stake`, { method, headers });
      expect([method, status]).toEqual([method, 404]);
    }
  });

  it('refuses a batch that is too large, and invalid pages', async () => {
    const tooMany = { ...STAKE, amount: String(101n * 32_000_000_000n) };
    expect((await stake(tooMany, randomUUID(), '/batch-stake')).status).toBe(400);
    for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=x', 'after=1.5']) {
      expect((await get(`/stakes?${query}`)).status).toBe(400);
    }
  });

  it('serves nobody without a good token, and nobody what is not theirs', async () => {
    const bare = await get('/stakes', {});
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="quorate"',
    ]);
    for (const authorization of ['Bearer nonsense', `${headers.authorization}x`]) {
      const { status, body, headers: said } = await get('/stakes', { authorization });
      expect([status, body.error]).toEqual([401, 'invalid_token']);
      expect(said.get('www-authenticate')).toMatch(/error="invalid_token"/);
    }
    const denied = await postJson(`${staking.url}/stake`, STAKE, {
      ...reader,
      'idempotency-key': randomUUID(),
    });
    expect([denied.status, denied.body.error]).toEqual([403, 'insufficient_scope']);
    expect(denied.headers.get('www-authenticate')).toContain('scope="stake:write"');
    const { body } = await stake(STAKE);
    expect((await get(`/stakes/${body.stakes[0].id}`, other)).status).toBe(404);
    expect((await get('/stakes/nothing')).status).toBe(404);
    expect((await get('/stakes?access_token=x')).status).toBe(400);
    staking.clock.offsetMs = 86_400_000 + 60_000;
    expect((await get('/stakes')).body.error).toBe('invalid_token');
    staking.clock.offsetMs = 0;
  });

  it('serves nobody whose token was revoked, or who was disabled', async () => {
    const client = await staking.running.admin.addClient({
      name: 'gone',
      audiences: [AUDIENCE],
      scopes: ['stake:read'],
      mayIntrospect: false,
    });
    await staking.running.refresh();
    const proof = { client_id: client.clientId, client_secret: client.clientSecret };
    const grant = { ...proof, audience: AUDIENCE, grant_type: 'client_credentials' };
    const token = async () =>
      (await postJson(`${staking.url}/oauth/token`, grant)).body.access_token as string;
    const [first, second] = [await token(), await token()];
    const status = async (one: string) =>
      (await get('/stakes', { authorization: `Bearer ${one}` })).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    await postJson(`${staking.url}/oauth/revoke`, { ...proof, token: first });
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    await staking.running.admin.disableClient(client.clientId);
    await staking.running.refresh();
    expect(await status(second)).toBe(401);
  });
});

describe('a ledger with faults', () => {
  const deposits = () => [...ledger.mined.values()].filter(({ to }) => to !== null);
  const receiptsAsked = () =>
    ledger.seen.filter((method) => method === 'eth_getTransactionReceipt').length;

  it('moves the money of each stake once', async () => {
    await until('all is in blocks', async () => {
      const { body } = await get('/stakes?limit=100');
      return body.data.every((each: any) => each.status === 'DEPOSITED') || undefined;
    });
    const before = deposits().length;
    let asked = 0;
    const faults = ['silent', 'none', 'error', 'lost', 'none', 'silent', 'none'] as const;
    ledger.fault = () => (asked < 40 ? faults[asked++ % faults.length]! : 'none');
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push((await stake(STAKE)).body.stakes[0].id);
    // The service is stopped meanwhile, and started again on the same store.
    staking = await staking.restart([...argv(), '--auth.issuer', staking.running.issuer]);
    const seen = await Promise.all(ids.map((id) => settled(id)));
    expect(new Set(seen.map((each) => each.transaction_hash)).size).toBe(4);
    expect(deposits()).toHaveLength(before + 4);
    const keys = deposits().map(({ data }) => data.slice(10 + 5 * 64, 10 + 5 * 64 + 96));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('signs another transaction only when the nonce of the first was spent by somebody else', async () => {
    const before = deposits().length;
    ledger.fault = (method) => (method === 'eth_sendRawTransaction' ? 'lost' : 'none');
    const { id } = (await stake(STAKE)).body.stakes[0];
    const first = await until('it is signed', async () => {
      const { body } = await get(`/stakes/${id}`);
      return (body.transaction_hash as string | null) ?? undefined;
    });
    ledger.spendNonce();
    const looks = receiptsAsked();
    ledger.fault = () => 'none';
    await until('it was missed twice', async () => receiptsAsked() > looks + 2 || undefined);
    expect((await get(`/stakes/${id}`)).body.transaction_hash).toBe(first);
    staking.clock.offsetMs += 31_000;
    const seen = await settled(id);
    expect(seen.transaction_hash).not.toBe(first);
    expect(deposits()).toHaveLength(before + 1);
  });

  it('does not pay twice when a node that lags knows no receipt', async () => {
    const before = deposits().length;
    ledger.lags = true;
    const { id } = (await stake(STAKE)).body.stakes[0];
    await until('it is in a block', async () => deposits().length > before || undefined);
    const looks = receiptsAsked();
    await until('it was missed twice', async () => receiptsAsked() > looks + 2 || undefined);
    ledger.lags = false;
    await settled(id);
    expect(deposits()).toHaveLength(before + 1);
  });

  it('says of a deposit that the contract reverted that it failed', async () => {
    ledger.reverts = ({ to }) => to !== null;
    const { id } = (await stake(STAKE)).body.stakes[0];
    const failed = await until('it failed', async () => {
      const { body } = await get(`/stakes/${id}`);
      return body.status === 'FAILED' ? body : undefined;
    });
    expect(failed).toMatchObject({ failure: 'the contract reverted', block_number: 7 });
    ledger.reverts = () => false;
  });
});
