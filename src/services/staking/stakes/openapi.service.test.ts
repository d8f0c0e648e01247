/**
 * The OpenAPI document: valid according to an independent validator, lists exactly the existing
 * routes, and describes what the service answers.
 */
import { randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  type Answer,
  AUDIENCE,
  ask,
  postForm,
  postJson,
  startTestStaking,
  type TestStaking,
} from '../../../../test/support/staking.ts';
import type { Route } from '../../../io/http/server.ts';
import type { ShownSecret } from '../admin.ts';
import { tokenRoutes } from '../token/routes.ts';
import { stakeRoutes } from './routes.ts';

const STAKE = { withdrawal_pubkey: `0x${'ab'.repeat(20)}`, amount: '32000000000' };
const HEALTH = ['GET /health', 'GET /ready'];

let ledger: FakeLedger;
let staking: TestStaking;
let client: ShownSecret;
let bearer: Record<string, string>;
let openapi: any;
let ajv: Ajv2020;
/** Operations and statuses that the tests have covered. */
const seen = new Set<string>();

beforeAll(async () => {
  ledger = await startFakeLedger();
  staking = await startTestStaking([
    ...['--ledger.url', ledger.url, '--deposit.from', ledger.account],
    ...['--auth.failures', '2', '--auth.rate', '10000'],
  ]);
  const add = (scopes: string[]) =>
    staking.running.admin.addClient({
      name: 'test',
      audiences: [AUDIENCE],
      scopes,
      mayIntrospect: false,
    });
  client = await add(['stake:read', 'stake:write']);
  await staking.running.refresh();
  openapi = (await ask(`${staking.url}/openapi.json`)).body;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addSchema({ ...openapi, $id: 'openapi' });
  const grant = { ...proof(), audience: AUDIENCE, grant_type: 'client_credentials' };
  const { body } = await says('post', '/oauth/token', 200, postJson(at('/oauth/token'), grant));
  bearer = { authorization: `Bearer ${body.access_token}` };
});
afterAll(async () => {
  await staking.close();
  await ledger.close();
});

const at = (path: string) => `${staking.url}${path}`;
const proof = () => ({ client_id: client.clientId, client_secret: client.clientSecret });

/** Checks that the answer has that status, and that it matches the document. */
async function says(
  method: string,
  path: string,
  status: number,
  asked: Promise<Answer>,
): Promise<Answer> {
  const answer = await asked;
  const what = `${method} ${path} ${status}`;
  expect([what, answer.status]).toEqual([what, status]);
  const described = openapi.paths[path][method].responses[status];
  expect([what, described]).not.toEqual([what, undefined]);
  expect(answer.headers.get('content-type')).toBe('application/json');
  if (status >= 400 || openapi.paths[path][method].security === undefined) {
    expect([what, answer.headers.get('cache-control')]).toEqual([what, 'no-store']);
  }
  const pointer = [
    path,
    method,
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ];
  const escaped = pointer.map((each) =>
    encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const validate = ajv.getSchema(`openapi#/paths/${escaped.join('/')}`) as ValidateFunction;
  expect(validate).toBeDefined();
  validate(answer.body);
  expect([what, validate.errors]).toEqual([what, null]);
  seen.add(what);
  return answer;
}

it('is valid, says another implementation', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(openapi));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(validator.version).toBe('3.1');
  // The validator does find errors.
  const broken = structuredClone(openapi);
  delete broken.paths['/stake'].post.responses;
  broken.paths['/stakes/{id}'].get.parameters[0].in = 'nowhere';
  expect((await validator.validate(broken)).valid).toBe(false);
  const names = [...JSON.stringify(openapi).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
  for (const [, name] of names) expect(openapi.components.schemas).toHaveProperty(name!);
  const used = new Set(names.map(([, name]) => name));
  expect(Object.keys(openapi.components.schemas).filter((name) => !used.has(name))).toEqual([]);
});

it('has every route of the service, and no other', () => {
  const served: Route[] = [...tokenRoutes({} as never), ...stakeRoutes({} as never)];
  const routes = served
    // For other methods, these paths only answer 405.
    .filter(({ method, path }) => method === 'POST' || !path.startsWith('/oauth/'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries<object>(openapi.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual([...routes, ...HEALTH].sort());
});

it('asks for a token where the service does, with the scope that it wants', async () => {
  for (const [path, operations] of Object.entries<any>(openapi.paths)) {
    for (const [method, { security = openapi.security }] of Object.entries<any>(operations)) {
      const scopes = security.flatMap((each: any) => each.token ?? []);
      if (scopes.length === 0) continue;
      expect(scopes).toEqual([method === 'post' ? 'stake:write' : 'stake:read']);
      const url = at(path.replace(/\{\w+\}/, 'x'));
      const answer = await says(method, path, 401, ask(url, { method: method.toUpperCase() }));
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  }
});

it('is true of what stakes and reads answer', async () => {
  const stake = (path: string, body: object, key = randomUUID()) =>
    postJson(at(path), body, { ...bearer, 'idempotency-key': key });
  await until('the contract stands', async () => (await stake('/stake', STAKE)).status === 201);
  const key = randomUUID();
  const full = {
    ...STAKE,
    vault_name: 'a vault',
    fee_recipient: STAKE.withdrawal_pubkey,
    builder_relays: [`https://0x${'ab'.repeat(48)}@relay.example`],
    cloud_providers: ['aws'],
    regions: ['eu-sweden'],
    client_types: ['teku'],
  };
  const valid = ajv.getSchema('openapi#/components/schemas/StakeRequest')!;
  expect([valid(full), valid({ ...full, x: 1 }), valid({ ...full, amount: 1 })]).toEqual([
    true,
    false,
    false,
  ]);
  const { body } = await says('post', '/stake', 201, stake('/stake', full, key));
  await says('post', '/stake', 201, stake('/stake', full, key));
  await says('post', '/stake', 409, stake('/stake', STAKE, key));
  await says('post', '/stake', 400, stake('/stake', {}));
  await says('post', '/stake', 413, stake('/stake', { x: 'x'.repeat(70_000) }));
  const two = { ...STAKE, amount: '64000000000' };
  await says('post', '/batch-stake', 201, stake('/batch-stake', two));
  await says('post', '/batch-stake', 400, stake('/batch-stake', { ...two, amount: '1' }));
  const get = (path: string) => ask(at(path), { headers: bearer });
  const [{ id, pubkey }] = body.stakes;
  await until(
    'it is in a block',
    async () => (await get(`/stakes/${id}`)).body.status === 'DEPOSITED',
  );
  await says('get', '/stakes/{id}', 200, get(`/stakes/${id}`));
  await says('get', '/stakes/{id}', 404, get(`/stakes/${randomUUID()}`));
  await says('get', '/validators/{pubkey}', 200, get(`/validators/${pubkey}`));
  await says('get', '/validators/{pubkey}', 404, get('/validators/0x'));
  await staking.running.admin.addRewards([{ pubkey, amount: '7', reference: 'r' }]);
  for (const path of ['/stakes', '/validators', '/rewards']) {
    const page = await says('get', path, 200, get(`${path}?limit=1`));
    expect(page.body.data).toHaveLength(1);
    await says('get', path, 400, get(`${path}?limit=x`));
  }
});

it('is true of what the token service answers', async () => {
  const grant = { ...proof(), audience: AUDIENCE, grant_type: 'client_credentials' };
  const post = (path: string, body: object) => postForm(at(path), body as Record<string, string>);
  const { body } = await says('post', '/oauth/token', 200, post('/oauth/token', grant));
  const token = body.access_token;
  const about = { ...proof(), token };
  const fields = await says('post', '/oauth/introspect', 200, post('/oauth/introspect', about));
  // Every member of the answer is described.
  const { properties } = openapi.components.schemas.TokenIntrospection;
  expect(Object.keys(fields.body).sort()).toEqual(Object.keys(properties).sort());
  await says('post', '/oauth/revoke', 200, post('/oauth/revoke', about));
  await says('post', '/oauth/introspect', 200, post('/oauth/introspect', about));
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
    await says('post', path, 400, post(path, { ...proof(), token: '' }));
    await says('post', path, 401, post(path, { grant_type: 'client_credentials' }));
    await says('post', path, 413, post(path, { x: 'x'.repeat(70_000) }));
  }
  for (let i = 0; i < 2; i++) await post('/oauth/token', { ...grant, client_id: 'locked' });
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
    await says('post', path, 429, post(path, { ...grant, client_id: 'locked', token }));
  }
  for (const path of Object.keys(openapi.paths).filter((each) =>
    /^\/(\.well-known|health|ready|openapi)/.test(each),
  )) {
    await says('get', path, 200, ask(at(path)));
  }
});

it('has no status that nobody has seen, but those of other styles, scopes and faults', () => {
  const described = Object.entries<any>(openapi.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method} ${path} ${status}`),
    ),
  );
  const unseen = described.filter((each) => !seen.has(each) && !/ (403|503)$/.test(each));
  expect(unseen).toEqual(['post /batch-stake 409', 'post /batch-stake 413']);
});
