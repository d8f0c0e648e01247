/** Starts the on-ramp: its API, its pages, payments and settlement, on one address. */
import type { Database } from '../../io/database/database.ts';
import { serveOver } from '../../io/database/serve-over.ts';
import { API_INTAKE } from '../../io/http/intake.ts';
import { startMetricsServer } from '../../io/http/metrics-server.ts';
import { startHttpServer } from '../../io/http/server.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { failureReply, missingReply } from './api/routes.ts';
import { composeRamp, type RampHost } from './compose.ts';
import type { RampSettings } from './config.ts';
import type { Operator } from './operation/operator.ts';
import type { KillSwitches } from './operation/switches.ts';
import type { Orders } from './orders/orders.ts';
import { openRampStore } from './store/open.ts';

const BODY_BYTES_MAX = 64 * 1024;

export interface RunningRamp {
  /** `http://host:port`. */
  readonly url: string;
  readonly database: Database;
  readonly orders: Orders;
  readonly switches: KillSwitches;
  readonly operator: Operator;
  readonly metricsUrl: string | undefined;
  /** Applies a change of the configuration file without waiting for the next check. */
  refresh(): void;
  close(): Promise<void>;
}

/** Resolves when it listens. Throws RAMP_CONFIG_INVALID, STORAGE_…, HTTP_LISTEN_FAILED. */
export async function startRamp(settings: RampSettings, host: RampHost): Promise<RunningRamp> {
  return serveOver({
    // Several instances may share PostgreSQL; a folder is for one instance.
    lock: () => (settings.storeUrl === undefined ? lockDirectory(settings.dataFolder) : () => {}),
    open: () => openRampStore(settings, host.env, host.log),
    serve: (database) => serveRamp(settings, host, database),
  });
}

/** Starts the service on an open store. */
export async function serveRamp(
  settings: RampSettings,
  host: RampHost,
  database: Database,
): Promise<RunningRamp> {
  const ramp = await composeRamp(settings, host, database);
  const { log } = host;
  const server = await startHttpServer({
    routes: ramp.routes,
    address: { kind: 'tcp', host: settings.host, port: settings.port },
    bodyBytesMax: BODY_BYTES_MAX,
    intake: API_INTAKE,
    failure: (error) => failureReply(error, log),
    missing: missingReply(),
    answered: ramp.meters.answered,
  }).catch(async (error) => {
    await ramp.stop();
    throw error;
  });
  const stop = async () => {
    await server.close();
    await ramp.stop();
  };
  const { metrics: address } = settings;
  const failure = (error: unknown) => failureReply(error, log);
  const serving = address && startMetricsServer(address, ramp.meters.exposition, failure);
  const metrics = await serving?.catch(async (error) => {
    await stop();
    throw error;
  });
  const { place, orders, switches, operator } = ramp;
  place.url ||= server.url;
  ramp.begin();
  place.isReady = true;
  return {
    url: server.url,
    database,
    orders,
    switches,
    operator,
    metricsUrl: metrics && `${metrics.url}/metrics`,
    refresh: ramp.refresh,
    async close() {
      await metrics?.close();
      await stop();
    },
  };
}
