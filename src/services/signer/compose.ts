/**
 * Composes the signing proxy: accounts and guard, REST routes, and the proxy's settings. Does not
 * listen yet.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../core/base/ports.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';
import { TunnelAgent } from '../../io/http/proxy-tunnel.ts';
import { openTracing } from '../../io/tracing/open.ts';
import type { TracingSettings } from '../../io/tracing/settings.ts';
import { logAccess } from './access-log.ts';
import type { SignerConfig } from './config.ts';
import { openGuard, type RunningGuard } from './guard/open-guard.ts';
import { HostAndOriginCheck } from './host-and-origin.ts';
import { type OpenAccounts, openAccounts } from './keys/accounts.ts';
import { countedAccounts } from './keys/counted-accounts.ts';
import { keysFromOptions } from './keys/from-options.ts';
import { apart, checkApart, openNodeKeys } from './keys/node-keys.ts';
import { type Meters, openMeters } from './meters.ts';
import { payloadStore } from './payload-store.ts';
import type { ProxyParts, ProxySettings } from './proxy-server.ts';
import { traceRequests } from './request-traces.ts';
import { restRoutes } from './rest/routes.ts';
import { serverTrust, upstreamAgent } from './tls.ts';

export interface SignerHost {
  readonly log: Log;
  readonly version: string;
  /** The process's environment, which may contain credentials of clouds. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Receives one line of the access log, including its line feed. */
  readonly writeAccess?: ((line: string) => void) | undefined;
  /** undefined: nothing is traced. */
  readonly tracing?: TracingSettings | undefined;
}

export interface SignerParts {
  readonly meters: Meters;
  readonly proxy: { readonly settings: ProxySettings; readonly parts: ProxyParts };
  /** Reloads keys, policy and audit log in the background; one reload at a time. */
  reload(): void;
}

/**
 * Each opened part adds its closing function to `endings`; the caller runs them in reverse order,
 * whether this resolves or rejects.
 */
export async function composeSigner(
  config: SignerConfig,
  host: SignerHost,
  endings: (() => unknown)[],
): Promise<SignerParts> {
  const { log } = host;
  const meters = openMeters(config.metrics.categories, host.version);
  const { metrics } = meters;
  const settings = proxySettings(config, host, meters);
  const tracing = await openTracing(host.tracing, log);
  endings.push(() => tracing?.close());
  if (tracing) meters.watchTraces(tracing);
  const guard = await openGuard(config.guard, {
    ...{ log, metrics },
    clock: steadyClock,
    calendar: systemClock,
  });
  endings.push(() => guard.close());
  const keys = keysFromOptions(config.keys, config.dataPath);
  const all = await openAccounts(keys, { log, metrics, env: host.env });
  endings.push(() => all.close());
  const folder = config.keys.nodeKeysFolder;
  const nodeKeys =
    folder === undefined ? undefined : await openNodeKeys(folder, keys, { log, env: host.env });
  endings.push(() => nodeKeys?.close());
  if (nodeKeys) checkApart(all, nodeKeys);
  const opened = nodeKeys ? apart(all, nodeKeys) : all;
  const payloads = config.ptmUrl === undefined ? undefined : payloadStore(config.ptmUrl, log);
  endings.push(() => payloads?.close());
  const rest = restRoutes({
    ...{ guard, log, metrics },
    opened: withGuard(opened, guard),
    clock: systemClock,
  });
  const watch: ProxyParts['watch'] = (method) => meters.called(method);
  const { watchNonces } = meters;
  const trace = tracing && traceRequests(tracing);
  const accounts = countedAccounts(opened.accounts, metrics);
  if (config.dataPath !== undefined) meters.watchDisk(config.dataPath);
  return {
    meters,
    proxy: {
      settings: { ...settings, serve: { ...settings.serve, routes: rest.routes } },
      parts: { accounts, nodeKeys, guard, payloads, log, metrics, watch, watchNonces, trace },
    },
    reload: () => rest.reloading.startOrFollow(),
  };
}

function proxySettings(config: SignerConfig, host: SignerHost, meters: Meters): ProxySettings {
  const { upstream, listen, logging, tls } = config;
  const check = new HostAndOriginCheck(config);
  const { writeAccess } = host;
  return {
    chainId: config.chainId,
    upstream: { ...upstream, secureAgent: upstream.tls && upstreamAgent(upstream.tls, upstream) },
    dataPath: config.dataPath,
    fillsGaps: config.fillsGaps,
    strictNonce: config.strictNonce,
    estimatesGas: config.estimatesGas,
    forwarded: config.forwarded,
    nodeWebSocket: nodeWebSocket(upstream),
    mayConnect: (request) => check.refusal(request) === undefined,
    serve: {
      ...listen,
      bodyBytesMax: config.bodyBytesMax,
      idleMs: config.idleMs,
      drainMs: config.drainMs,
      tls: tls && serverTrust(tls),
      forwardsAuthorization: upstream.forwardsAuthorization,
      routes: [],
      admit: check.admit,
      watch(request: IncomingMessage, response: ServerResponse) {
        const ended = meters.began();
        response.once('close', () => ended(response.statusCode));
        if (logging.access && writeAccess) logAccess(request, response, writeAccess);
      },
    },
  };
}

function nodeWebSocket(upstream: SignerConfig['upstream']): ProxySettings['nodeWebSocket'] {
  const { tls, host, wsPort, path, proxy } = upstream;
  const at = { host, port: wsPort, proxy };
  const agent = tls ? upstreamAgent(tls, at)({}) : proxy && new TunnelAgent(proxy);
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${tls ? 'wss' : 'ws'}://${name}:${wsPort}${path.startsWith('/') ? path : `/${path}`}`;
  return { url, options: agent ? { agent } : {} };
}

/** A reload also reads the policy, before the keys: with an invalid policy nothing changes. */
function withGuard(opened: OpenAccounts, guard: RunningGuard): OpenAccounts {
  return {
    accounts: opened.accounts,
    signers: () => opened.signers(),
    async reload() {
      await guard.reload();
      return opened.reload();
    },
    health() {
      const report = opened.health();
      if (guard.health() === undefined) return report;
      return { ...report, unexpected: true, isUp: false };
    },
    close: () => opened.close(),
  };
}
