/**
 * One idempotency key has one effect, in whatever order two instances on one store act, and
 * wherever they crash.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../../test/support/postgres.ts';
import { fail, QuorateError } from '../../../core/base/errors.ts';
import type { Database } from '../../../io/database/database.ts';
import { Idempotency, type KeptAnswer } from '../../../io/database/idempotency.ts';
import { openStakingStore } from '../store/open.ts';

const KEYS = ['k0', 'k1'];
const BODIES = ['body a', 'body b'];
/** Longer than a claim lasts without renewal. */
const LONG_MS = 21_000;

type Step =
  | {
      readonly kind: 'ask';
      readonly instance: number;
      readonly key: string;
      readonly body: string;
      /**
       * `refuses`: fails before it writes. `fails`: fails after it has written. `dies`: the process
       * crashes in between.
       */
      readonly fate: 'done' | 'refuses' | 'fails' | 'dies';
    }
  /** One of the running requests continues. */
  | { readonly kind: 'continue'; readonly which: number }
  | { readonly kind: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      instance: fc.nat(1),
      key: fc.constantFrom(...KEYS),
      body: fc.constantFrom(...BODIES),
      fate: fc.constantFrom('done', 'done', 'refuses', 'fails', 'dies'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('continue' as const), which: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(5_000, LONG_MS),
    }),
  },
);

interface RunningRequest {
  readonly fate: string;
  goOn(): void;
  readonly settled: Promise<void>;
}

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (store) => {
  let folder: string;
  let postgres: TestPostgres | undefined;
  const databases: Database[] = [];
  let worlds = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-idempotency-'));
    if (store === 'PostgreSQL') {
      postgres = await startTestPostgres();
      if (!postgres) return;
    }
    const source = {
      dataFolder: folder,
      storeUrl: await postgres?.newDatabase(),
      secretFile: undefined,
    };
    for (let i = 0; i < 2; i++) databases.push(await openStakingStore(source, {}));
    // A crashed request must not renew its claim: timers run only where a test advances them.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await databases[0]!.query('CREATE TABLE effect (client_id text, key text, body text, id text)');
  }, POSTGRES_PATIENCE_MS);
  beforeEach((context) => {
    // Otherwise hundreds of requests that crashed in an earlier test would renew their claims here.
    vi.clearAllTimers();
    if (store === 'PostgreSQL') postgresFor(postgres, context);
  });
  afterAll(async () => {
    vi.useRealTimers();
    for (const database of databases) await database.close();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, POSTGRES_PATIENCE_MS);

  /** A client with its requests, their answers and effects. */
  function newWorld(seenThrough = (database: Database) => database) {
    const clientId = `client ${++worlds}`;
    const clock = { ms: 1_000_000, nowMs: () => clock.ms };
    const instances = databases.map((each) => new Idempotency(seenThrough(each), clock));
    const answers: { key: string; body: string; answer: KeptAnswer }[] = [];
    const running: RunningRequest[] = [];
    let effects = 0;

    /** Resolves when the request has its answer, or waits in the middle of its work. */
    async function ask(instance: number, key: string, body: string, fate: string): Promise<void> {
      let goOn: () => void = () => {};
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let entered: () => void = () => {};
      const isInside = new Promise<void>((resolve) => {
        entered = resolve;
      });
      const id = `effect ${++effects}`;
      const settled = instances[instance]!.once(
        { clientId, key, fingerprint: body },
        async () => {
          running.push({ fate, goOn, settled });
          entered();
          await gate;
          if (fate === 'refuses') throw fail('AWAY', 'nothing was done');
        },
        async (query) => {
          await query('INSERT INTO effect VALUES ($1, $2, $3, $4)', [clientId, key, body, id]);
          if (fate === 'fails') throw new Error('after it has written');
          return { status: 201, body: `${body} ${id}` };
        },
      ).then(
        (answer) => void answers.push({ key, body, answer }),
        (error) => {
          const isOwn = (error as Error).message === 'after it has written';
          if (!(error instanceof QuorateError) && !isOwn) throw error;
        },
      );
      await Promise.race([settled, isInside]);
    }

    async function take(next: Step): Promise<void> {
      if (next.kind === 'wait') clock.ms += next.ms;
      if (next.kind === 'ask') await ask(next.instance, next.key, next.body, next.fate);
      if (next.kind !== 'continue' || running.length === 0) return;
      const [one] = running.splice(next.which % running.length, 1);
      // A crashed request never continues.
      if (one!.fate === 'dies') return;
      one!.goOn();
      await one!.settled;
    }

    const effectsOf = async (key: string) =>
      databases[0]!.query('SELECT body, id FROM effect WHERE client_id = $1 AND key = $2', [
        clientId,
        key,
      ]);
    const heldUntil = async (key: string) => {
      const text = 'SELECT held_until FROM idempotency WHERE client_id = $1 AND key = $2';
      const [row] = await databases[0]!.query(text, [clientId, key]);
      return Number(row!.held_until);
    };
    return { ask, take, answers, running, clock, effectsOf, heldUntil };
  }

  it('holds in every order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
        const world = newWorld();
        for (const each of steps) await world.take(each);
        while (world.running.length > 0) await world.take({ kind: 'continue', which: 0 });
        world.clock.ms += LONG_MS;
        for (const key of KEYS) {
          const before = await world.effectsOf(key);
          expect(before.length).toBeLessThanOrEqual(1);
          // A request sent now gets the earlier answer, or does the work.
          for (const body of BODIES) {
            await world.ask(0, key, body, 'done');
            while (world.running.length > 0) await world.take({ kind: 'continue', which: 0 });
          }
          const [effect, second] = await world.effectsOf(key);
          expect(second).toBeUndefined();
          const told = world.answers.filter((each) => each.key === key);
          expect(told.length).toBeGreaterThan(0);
          for (const { body, answer } of told) {
            expect(answer).toEqual({ status: 201, body: `${effect!.body} ${effect!.id}` });
            expect(body).toBe(effect!.body);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('one that is slow, and lives, keeps its claim', async () => {
    const world = newWorld();
    await world.ask(0, 'k0', 'body a', 'done');
    for (let i = 0; i < 10; i++) {
      const before = await world.heldUntil('k0');
      world.clock.ms += 5_000;
      vi.advanceTimersByTime(5_000);
      await until('it is renewed', async () => (await world.heldUntil('k0')) > before);
      await world.ask(1, 'k0', 'body a', 'done');
    }
    expect(world.running).toHaveLength(1);
    await world.take({ kind: 'continue', which: 0 });
    expect(world.answers).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a renewal that was overtaken by the next does not shorten the claim', async () => {
    const renewals: (() => Promise<unknown>)[] = [];
    const world = newWorld((database) => ({
      place: database.place,
      transaction: (work) => database.transaction(work),
      close: () => database.close(),
      view: (work) => database.view(work),
      query: async (text, values) => {
        if (!text.startsWith('UPDATE')) return database.query(text, values);
        renewals.push(() => database.query(text, values));
        return [];
      },
    }));
    await world.ask(0, 'k0', 'body a', 'done');
    for (let i = 0; i < 2; i++) {
      world.clock.ms += 2_500;
      vi.advanceTimersByTime(2_500);
    }
    const [early, late] = renewals;
    await late!();
    const longest = await world.heldUntil('k0');
    await early!();
    expect(await world.heldUntil('k0')).toBe(longest);
    await world.take({ kind: 'continue', which: 0 });
  });

  it('the claim of one that died is not held for an hour where the clock is set back', async () => {
    const world = newWorld();
    await world.ask(0, 'k0', 'body a', 'done');
    world.clock.ms -= 3_600_000;
    await world.ask(1, 'k0', 'body a', 'done');
    expect(world.running).toHaveLength(2);
    while (world.running.length > 0) await world.take({ kind: 'continue', which: 0 });
    expect(await world.effectsOf('k0')).toHaveLength(1);
  });

  it("one that lost its claim does not answer for another's request under the same key", async () => {
    const world = newWorld();
    await world.ask(0, 'k0', 'body a', 'refuses');
    world.clock.ms += LONG_MS;
    // The same instance takes over the expired claim; then the first request releases the key.
    await world.ask(0, 'k0', 'body a', 'done');
    await world.take({ kind: 'continue', which: 0 });
    await world.ask(0, 'k0', 'body b', 'done');
    while (world.running.length > 0) await world.take({ kind: 'continue', which: 0 });
    const [effect, second] = await world.effectsOf('k0');
    expect([effect?.body, second]).toEqual(['body a', undefined]);
    await world.ask(1, 'k0', 'body b', 'done');
    expect(world.answers.map(({ body }) => body)).toEqual(['body a']);
  });
});
