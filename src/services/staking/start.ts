/** Starts the token service, and the staking API behind it, on one address. */

import { fail, hasCode } from '../../core/base/errors.ts';
import type { Clock, Log } from '../../core/base/ports.ts';
import { depositThreads } from '../../io/crypto/deposit-threads.ts';
import type { Database } from '../../io/database/database.ts';
import { systemClock } from '../../io/host/clock.ts';
import { readText } from '../../io/host/files.ts';
import { readKeyPair } from '../../io/host/key-pair.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { IntakeBounds } from '../../io/http/intake.ts';
import { json, type Route, startHttpServer } from '../../io/http/server.ts';
import type { ServerTrust } from '../../io/http/tls-trust.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { Admin, SCOPES_DEFAULT } from './admin.ts';
import { failureReply, missingReply } from './failures.ts';
import { LiveState } from './live-state.ts';
import type { KeyConfig, StakingConfig } from './options.ts';
import { startApi } from './stakes/start.ts';
import { openStakingStore, readSecret } from './store/open.ts';
import { Attempts } from './token/attempts.ts';
import { tokenRoutes } from './token/routes.ts';
import { SecretChecker } from './token/secrets.ts';
import { TokenService } from './token/service.ts';
import type { RotationPlan } from './token/signing-keys.ts';

const BODY_BYTES_MAX = 64 * 1024;
/** Clients may all stand behind one address. */
const INTAKE: IntakeBounds = {
  connectionsMax: 4096,
  connectionsOfSourceMax: 4096,
  bodyBytesMax: 64 * 1024 * 1024,
  bodyBytesOfSourceMax: 64 * 1024 * 1024,
};
/** Longer than others keep the key set (token/routes.ts). */
const KEY_LEAD_MS = 10 * 60_000;
const LOOK_MS = 1_000;

export interface StakingHost {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Between looks at the ledger; undefined: a second. */
  readonly lookMs?: number;
  /** Undefined: in threads. */
  readonly depositSigner?: typeof depositThreads;
}

export interface RunningStaking {
  /** `http://host:port`; tokens are issued at /oauth/token there. */
  readonly url: string;
  readonly issuer: string;
  /** Of the staking API's tokens. */
  readonly audience: string;
  readonly admin: Admin;
  /** Takes over changes that a command made, without waiting for the next look. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when it listens. Throws STORAGE_…, STAKING_…, HTTP_LISTEN_FAILED. */
export async function startStaking(
  config: StakingConfig,
  host: StakingHost,
): Promise<RunningStaking> {
  // PostgreSQL is there for several instances; a folder for one.
  const unlock = config.storeUrl === undefined ? lockDirectory(config.dataFolder) : () => {};
  try {
    const database = await openStakingStore(config, host.env, host.log);
    const running = await serve(config, host, database).catch(async (error) => {
      await database.close();
      throw error;
    });
    return {
      ...running,
      async close() {
        await running.close();
        await database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function serve(
  config: StakingConfig,
  { log, clock = systemClock, lookMs = LOOK_MS, depositSigner = depositThreads }: StakingHost,
  database: Database,
): Promise<RunningStaking> {
  const secretFor = readSecret(config);
  const admin = new Admin(database, clock, 'service');
  const attempts = new Attempts(config.attempts);
  const live = new LiveState({
    ...{ database, admin, clock, log, rotateMs: config.rotateMs },
    seal: secretFor('signing keys'),
    rotation: rotationOf(config),
    // Whoever asked before this instance knew of them, or with a secret that was lost, starts anew.
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
  const service = new TokenService({
    ...{ style, tokenSeconds, toleranceSeconds, clock, clients, keys, revocations },
    place,
    secrets: new SecretChecker(),
    attempts,
  });
  const api =
    config.api &&
    (await startApi(config.api, {
      config,
      database,
      live,
      clock,
      log,
      place,
      secretFor,
      lookMs,
      depositSigner,
    }));
  const stopWork = async () => {
    await api?.close();
    await live.stop();
  };
  const server = await startHttpServer({
    routes: [
      ...tokenRoutes({ service, keys, clock, place, style }),
      ...healthRoutes(database, place),
      ...(api?.routes ?? []),
    ],
    address: { kind: 'tcp', host: config.host, port: config.port },
    bodyBytesMax: BODY_BYTES_MAX,
    intake: INTAKE,
    failure: (error) => failureReply(error, style, log),
    missing: missingReply(style),
    tls: config.tls && serverTrust(config.tls),
  }).catch(async (error) => {
    await stopWork();
    throw error;
  });
  place.issuer ||= `${server.url}/`;
  place.audience ||= `${server.url}/`;
  const close = async () => {
    await server.close();
    await stopWork();
  };
  if (config.bootstrap) {
    await bootstrap(config.bootstrap, admin, live, place.audience).catch(async (error) => {
      await close();
      throw error;
    });
  }
  place.isReady = true;
  api?.begin();
  return {
    url: server.url,
    issuer: place.issuer,
    audience: place.audience,
    admin,
    refresh: () => live.refresh(),
    close,
  };
}

async function bootstrap(
  { clientId, secretFile }: NonNullable<StakingConfig['bootstrap']>,
  admin: Admin,
  live: LiveState,
  audience: string,
): Promise<void> {
  if ((await admin.clients()).some(({ id }) => id === clientId)) return;
  const secret = secretIn(secretFile);
  const rest = { audiences: [audience], scopes: SCOPES_DEFAULT, mayIntrospect: true };
  try {
    await admin.addClient({ id: clientId, name: clientId, secret, ...rest });
  } catch (error) {
    // Another instance that starts too was first.
    if (!hasCode(error, 'STAKING_CLIENT_EXISTS')) throw inFile(error, secretFile);
  }
  await live.refresh();
}

function secretIn(file: string): string {
  try {
    return readText(file).trim();
  } catch (cause) {
    throw fail('STAKING_CLIENT_INVALID', reasonOf(cause), { cause, data: { path: file } });
  }
}

function inFile(error: unknown, path: string): unknown {
  if (!hasCode(error, 'STAKING_CLIENT_INVALID')) return error;
  return fail(error.code, `${path}: ${error.message}`, { cause: error, data: { path } });
}

/** What a new signing key is like, made by the service or by a command. */
export function rotationOf({
  algorithm,
  tokenSeconds,
  toleranceSeconds,
}: KeyConfig): Omit<RotationPlan, 'nowMs'> {
  const tokenMs = (tokenSeconds + toleranceSeconds) * 1000;
  return { algorithm, leadMs: KEY_LEAD_MS, tokenMs };
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

function serverTrust({ certFile, keyFile }: { certFile: string; keyFile: string }): ServerTrust {
  return { ...readKeyPair({ certFile, keyFile }), auth: false, check: () => undefined };
}
