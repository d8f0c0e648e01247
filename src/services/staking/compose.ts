/** Composes the token service and the staking API over one store. Does not listen yet. */
import type { Clock, Log } from '../../core/base/ports.ts';
import { depositThreads } from '../../io/crypto/deposit-threads.ts';
import type { Database } from '../../io/database/database.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';
import { json, type Route } from '../../io/http/server.ts';
import { Admin } from './admin.ts';
import type { StakingConfig } from './config.ts';
import { LiveState } from './live-state.ts';
import { Meters } from './meters.ts';
import { composeApi } from './stakes/compose.ts';
import { readSecret } from './store/open.ts';
import { Attempts } from './token/attempts.ts';
import { rotationOf } from './token/rotation.ts';
import { tokenRoutes } from './token/routes.ts';
import { SecretChecker } from './token/secrets.ts';
import { TokenService } from './token/service.ts';

const LOOK_MS = 1_000;

export interface StakingHost {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Interval for polling the ledger, in milliseconds; undefined: 1000. */
  readonly lookMs?: number;
  /** Undefined: signs in worker threads. */
  readonly depositSigner?: typeof depositThreads;
}

/** The service's address, which is set when the server listens. */
export interface Place {
  issuer: string;
  audience: string;
  isReady: boolean;
}

export interface StakingParts {
  readonly admin: Admin;
  readonly live: LiveState;
  readonly place: Place;
  readonly routes: readonly Route[];
  readonly meters: Meters;
  /** Call when the server listens: deposits may be sent from then on. */
  begin(): void;
  /** Stops background work. */
  stop(): Promise<void>;
}

export async function composeStaking(
  config: StakingConfig,
  { log, clock = systemClock, lookMs = LOOK_MS, depositSigner = depositThreads }: StakingHost,
  database: Database,
): Promise<StakingParts> {
  const steady = clock === systemClock ? steadyClock : clock;
  const secretFor = readSecret(config);
  const admin = new Admin(database, clock, 'service');
  const attempts = new Attempts(config.attempts);
  const live = new LiveState({
    ...{ database, admin, clock, log, rotateMs: config.rotateMs },
    seal: secretFor('signing keys'),
    rotation: rotationOf(config),
    // Clears the failures of a client that tried before this instance knew it, or with a lost
    // secret.
    clientChanged: (id) => attempts.forgive(id),
  });
  await live.start();
  const { keys, clients, revocations } = live;
  const place = {
    issuer: config.issuer ?? '',
    audience: config.api?.audience ?? '',
    isReady: false,
  };
  const { style, tokenSeconds, toleranceSeconds } = config;
  const folder = config.storeUrl === undefined ? config.dataFolder : undefined;
  const meters = new Meters({ database, live, clock, folder });
  const service = new TokenService({
    ...{ style, tokenSeconds, toleranceSeconds, clock, steady, clients, keys, revocations },
    place,
    secrets: new SecretChecker(),
    attempts,
    told: meters,
  });
  const ofApi = {
    config,
    database,
    live,
    clock,
    steady,
    log,
    place,
    secretFor,
    lookMs,
    depositSigner,
  };
  const composing = config.api && composeApi(config.api, ofApi);
  const api = await composing?.catch(async (error) => {
    await live.stop();
    throw error;
  });
  return {
    ...{ admin, live, place, meters },
    routes: [
      ...tokenRoutes({ service, keys, clock, place, style }),
      ...healthRoutes(database, place),
      ...(api?.routes ?? []),
    ],
    begin: () => api?.begin(),
    async stop() {
      await api?.close();
      await live.stop();
    },
  };
}

function healthRoutes(database: Database, place: { readonly isReady: boolean }): readonly Route[] {
  return [
    { method: 'GET', path: '/health', handle: () => json(200, { status: 'up' }) },
    {
      method: 'GET',
      path: '/ready',
      async handle() {
        await database.query('SELECT value FROM revision');
        return place.isReady ? json(200, { status: 'ready' }) : json(503, { status: 'starting' });
      },
    },
  ];
}
