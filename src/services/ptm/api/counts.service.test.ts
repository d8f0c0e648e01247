/** Limits on what one request may ask for, and how often, that can be tested without a server. */
import { describe, expect, it } from 'vitest';
import { fail } from '../../../core/base/errors.ts';
import { BinaryWriter } from '../../../core/payload/payload-binary.ts';
import { type HttpReply, type HttpRequest, type Route, text } from '../../../io/http/server.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import { SourceBudget } from '../manager/source-budget.ts';
import { comparedRoutes } from './comparison.ts';
import { p2pRoutes, recoveryRoutes } from './p2p.ts';
import type { P2pParts } from './p2p-parts.ts';
import { q2tRoutes } from './q2t.ts';

const PLENTY = { burst: 100_000, perSecond: 0 };
const MB = 1024 * 1024;
const KEY = Buffer.alloc(32, 1).toString('base64');
const HASH = Buffer.alloc(64, 1).toString('base64');
const clock = { nowMs: () => 0 };
const failure = (error: unknown): HttpReply => text(500, String(error));

const PARTS = {
  refusals: new SourceBudget(PLENTY, PLENTY, clock),
  proofs: { accepts: () => true, challenge: () => '' },
  table: { knows: () => false },
  versions: [],
  failure,
} as unknown as P2pParts;

function request(body: Uint8Array | object): HttpRequest {
  const bytes =
    body instanceof Uint8Array ? body : new Uint8Array(Buffer.from(JSON.stringify(body)));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'quorate-proof': 'proof',
  };
  const header = (name: string) => headers[name];
  return { body: bytes, remote: '10.0.0.1', header, params: {}, query: {} } as never;
}

const routeOf = (routes: readonly Route[], path: string) =>
  routes.find((route) => route.path === path)!;
const handled = async (route: Route, body: Uint8Array | object) => route.handle(request(body));
const refused = (message: string) => ({ code: 'PTM_REQUEST_INVALID', message });

describe('payloads of one message', () => {
  it('of a peer, each of which is answered', async () => {
    const manager = { storePushed: async () => undefined } as unknown as PrivateTransactionManager;
    const none = {} as never;
    const route = routeOf(p2pRoutes(manager, none, none, none, PARTS), '/push/batch');
    const batch = (count: number) =>
      new BinaryWriter().fields(Array(count).fill(Uint8Array.of(1))).finish();
    const { body } = await handled(route, batch(1_024));
    expect(JSON.parse(body as string).statuses).toHaveLength(1_024);
    const message = 'the batch has too many payloads or bytes behind them';
    await expect(handled(route, batch(1_025))).rejects.toMatchObject(refused(message));
  });

  it('of a peer that fills up a recovery', async () => {
    let staged = 0;
    const recovery = {
      stage: async (payloads: readonly Uint8Array[]) => {
        staged += payloads.length;
      },
    } as never;
    const route = routeOf(recoveryRoutes(recovery, PARTS), '/pushBatch');
    const batch = (count: number) => ({ encodedPayloads: Array(count).fill('AQ==') });
    expect((await handled(route, batch(10_000))).status).toBe(200);
    const message = '"encodedPayloads" must be a list of at most 10000 payloads';
    await expect(handled(route, batch(10_001))).rejects.toMatchObject(refused(message));
    expect(staged).toBe(10_000);
  });

  it('that a node asks for, and the bytes of the answer', async () => {
    const payload = new Uint8Array(12 * MB);
    const received = {
      ...{ payload, flag: 0, affected: [], execHash: new Uint8Array(0) },
      ...{ managedParties: [], senderKey: payload.subarray(0, 32) },
    };
    let larges = 5;
    const manager = {
      receiveAll: async (hashes: readonly Uint8Array[]) =>
        hashes.map(() => (larges-- > 0 ? received : undefined)),
    } as unknown as PrivateTransactionManager;
    const route = routeOf(q2tRoutes(manager, {} as never, failure), '/transactions/batch');
    const ask = (count: number) => handled(route, { hashes: Array(count).fill(HASH) });
    const { body } = await ask(64);
    expect(JSON.parse(body as string).answers).toHaveLength(3);
    expect(JSON.parse((await ask(1_024)).body as string).answers).toHaveLength(1_024);
    await expect(ask(1_025)).rejects.toMatchObject(refused('more than 1024 hashes'));
  });
});

it('questions of a key that is proven', async () => {
  const questions = new SourceBudget({ burst: 3, perSecond: 1 }, PLENTY, clock);
  const compared = {
    questions,
    shared: { listFor: async () => [] },
    comparison: { statesFor: async () => [], digestsFor: () => [] },
  } as never;
  const routes = comparedRoutes(compared, PARTS);
  const ask = (path: string) => handled(routeOf(routes, path), { publicKey: KEY, prefix: '' });
  for (const path of ['/shared', '/roots', '/digests']) expect((await ask(path)).status).toBe(200);
  for (const path of ['/shared', '/roots', '/digests']) {
    const tooMany = fail('PTM_TOO_MANY', 'too many questions for this key: try again later');
    await expect(ask(path)).rejects.toThrow(tooMany);
  }
});
