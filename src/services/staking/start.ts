/** Starts the token service and the staking API on one address. */
import type { Database } from '../../io/database/database.ts';
import { serveOver } from '../../io/database/serve-over.ts';
import { readKeyPair } from '../../io/host/key-pair.ts';
import { API_INTAKE } from '../../io/http/intake.ts';
import { startMetricsServer } from '../../io/http/metrics-server.ts';
import { startHttpServer } from '../../io/http/server.ts';
import type { ServerTrust } from '../../io/http/tls-trust.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import type { Admin } from './admin.ts';
import { bootstrap } from './bootstrap.ts';
import { composeStaking, type StakingHost } from './compose.ts';
import type { StakingConfig } from './config.ts';
import { failureReply, missingReply } from './failures.ts';
import { openStakingStore } from './store/open.ts';

const BODY_BYTES_MAX = 64 * 1024;

export interface RunningStaking {
  /** `http://host:port`; tokens are issued at /oauth/token there. */
  readonly url: string;
  readonly issuer: string;
  /** The audience of the staking API's tokens. */
  readonly audience: string;
  readonly admin: Admin;
  /** Undefined: metrics are not served. */
  readonly metricsUrl: string | undefined;
  /** Applies changes made by a command, without waiting for the next poll. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when it listens. Throws STORAGE_…, STAKING_…, HTTP_LISTEN_FAILED. */
export async function startStaking(
  config: StakingConfig,
  host: StakingHost,
): Promise<RunningStaking> {
  return serveOver({
    // A folder may be used by one instance only; a PostgreSQL database by several.
    lock: () => (config.storeUrl === undefined ? lockDirectory(config.dataFolder) : () => {}),
    open: () => openStakingStore(config, host.env, host.log),
    serve: (database) => serve(config, host, database),
  });
}

async function serve(
  config: StakingConfig,
  host: StakingHost,
  database: Database,
): Promise<RunningStaking> {
  const { style } = config;
  const { admin, live, place, routes, meters, begin, stop } = await composeStaking(
    config,
    host,
    database,
  );
  const failure = (error: unknown) => failureReply(error, style, host.log);
  const listen = async () =>
    startHttpServer({
      routes,
      address: { kind: 'tcp', host: config.host, port: config.port },
      bodyBytesMax: BODY_BYTES_MAX,
      intake: API_INTAKE,
      failure,
      missing: missingReply(style),
      answered: meters.answered,
      tls: config.tls && serverTrust(config.tls),
    });
  const server = await listen().catch(async (error) => {
    await stop();
    throw error;
  });
  const serving = config.metrics && startMetricsServer(config.metrics, meters.exposition, failure);
  const metrics = await serving?.catch(async (error) => {
    await server.close();
    await stop();
    throw error;
  });
  place.issuer ||= `${server.url}/`;
  place.audience ||= `${server.url}/`;
  const close = async () => {
    await metrics?.close();
    await server.close();
    await stop();
  };
  if (config.bootstrap) {
    await bootstrap(config.bootstrap, { admin, live, audience: place.audience }).catch(
      async (error) => {
        await close();
        throw error;
      },
    );
  }
  place.isReady = true;
  begin();
  return {
    url: server.url,
    issuer: place.issuer,
    audience: place.audience,
    admin,
    metricsUrl: metrics && `${metrics.url}/metrics`,
    refresh: () => live.refresh(),
    close,
  };
}

function serverTrust({ certFile, keyFile }: { certFile: string; keyFile: string }): ServerTrust {
  return { ...readKeyPair({ certFile, keyFile }), auth: false, check: () => undefined };
}
