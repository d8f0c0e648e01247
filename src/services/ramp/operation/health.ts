/** Whether the service is alive, and which part of it waits. */
import type { Database } from '../../../io/database/database.ts';
import { json, type Route } from '../../../io/http/server.ts';
import type { PaymentAdapter } from '../payment/adapter.ts';

export interface HealthParts {
  readonly database: Database;
  readonly place: { readonly isReady: boolean };
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  /** Checks of the ledger and of prices: `node`, `proxy`, `gas price`, `prices`. */
  readonly quoting: () => Promise<readonly string[]>;
  /** Parts that sells wait for: `deposits`. */
  readonly settling: () => Promise<readonly string[]>;
}

export function healthRoutes(parts: HealthParts): readonly Route[] {
  return [
    { method: 'GET', path: '/health', handle: () => json(200, { status: 'up' }) },
    {
      method: 'GET',
      path: '/ready',
      async handle() {
        const waiting = await waitingFor(parts);
        if (waiting.length > 0) return json(503, { status: 'waiting', waiting });
        return json(200, { status: 'ready' });
      },
    },
  ];
}

async function waitingFor(parts: HealthParts): Promise<readonly string[]> {
  const { database, place, adapters, quoting, settling } = parts;
  const store = database.query('SELECT name FROM setting LIMIT 1').then(
    () => [],
    () => ['store'],
  );
  const providers = [...adapters].map(async ([name, adapter]) =>
    (await adapter.isUp()) ? [] : [`payments ${name}`],
  );
  const starting = place.isReady ? [] : ['start'];
  const all = [starting, store, quoting(), settling(), ...providers];
  return (await Promise.all(all)).flat();
}
