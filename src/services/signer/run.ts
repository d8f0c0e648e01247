/** `quorate signer` from its options to its servers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../core/base/ports.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { systemClock } from '../../io/host/clock.ts';
import { TunnelAgent } from '../../io/http/proxy-tunnel.ts';
import { logAccess } from './access-log.ts';
import { openGuard, type RunningGuard } from './guard/open-guard.ts';
import { HostAndOriginCheck } from './host-and-origin.ts';
import { type OpenAccounts, openAccounts } from './keys/accounts.ts';
import { keysFromOptions } from './keys/from-options.ts';
import { type Meters, openMeters } from './meters.ts';
import { openMetrics } from './metrics-server.ts';
import { payloadStore } from './payload-store.ts';
import { writePortsFile } from './ports-file.ts';
import { restRoutes } from './rest/routes.ts';
import type { SignerSettings } from './settings.ts';
import { type ProxySettings, type RunningProxy, startProxy } from './start.ts';
import { serverTrust, upstreamAgent } from './tls.ts';

export interface RunningSigner extends RunningProxy {
  readonly accounts: readonly string[];
  /** undefined: metrics are not served. */
  readonly metricsPort: number | undefined;
  /** Keys, policy and audit log anew, in the background; one reload at a time. */
  reload(): void;
}

export interface SignerHost {
  readonly log: Log;
  readonly version: string;
  /** The process's environment: credentials of clouds may stand there. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** One line, with its line feed, of the access log. */
  readonly writeAccess?: ((line: string) => void) | undefined;
}

/** Rejects with what stands in the way of a start; nothing is left open then. */
export async function runSigner(
  settings: SignerSettings,
  host: SignerHost,
): Promise<RunningSigner> {
  const { log } = host;
  await installCrypto(log);
  const endings: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return await startAll(settings, host, endings, close);
  } catch (error) {
    await close().catch((err: unknown) => log('warn', 'A part did not close', { err }));
    throw error;
  }
}

async function startAll(
  settings: SignerSettings,
  host: SignerHost,
  endings: (() => unknown)[],
  close: () => Promise<void>,
): Promise<RunningSigner> {
  const { log } = host;
  const clock = systemClock;
  const meters = openMeters(settings.metrics.categories, host.version);
  const { metrics } = meters;
  const proxySettings = proxySettingsOf(settings, host, meters);
  const guard = await openGuard(settings.guard, { clock, log, metrics });
  endings.push(() => guard.close());
  const keys = keysFromOptions(settings.keys, settings.dataPath);
  const opened = await openAccounts(keys, { log, metrics, env: host.env });
  endings.push(() => opened.close());
  const payloads = settings.ptmUrl === undefined ? undefined : payloadStore(settings.ptmUrl, log);
  endings.push(() => payloads?.close());
  const rest = restRoutes({ opened: withGuard(opened, guard), guard, clock, log, metrics });
  const outlet = await openMetrics(settings.metrics, meters, log);
  endings.push(() => outlet.close());
  const { accounts } = opened;
  const proxy = await startProxy(
    { ...proxySettings, serve: { ...proxySettings.serve, routes: rest.routes } },
    { accounts, guard, payloads, log, metrics, watch: (method) => meters.called(method) },
  );
  endings.push(() => proxy.close());
  if (settings.dataPath !== undefined) {
    const ports = { http: proxy.port, metrics: outlet.port };
    endings.push(writePortsFile(settings.dataPath, settings.portsFile, ports));
  }
  return {
    port: proxy.port,
    metricsPort: outlet.port,
    accounts: accounts.addresses(),
    reload: () => rest.reloading.start(),
    close,
  };
}

function proxySettingsOf(
  settings: SignerSettings,
  host: SignerHost,
  meters: Meters,
): ProxySettings {
  const { upstream, listen, logging, tls } = settings;
  const check = new HostAndOriginCheck(settings);
  const { writeAccess } = host;
  return {
    chainId: settings.chainId,
    upstream: { ...upstream, secureAgent: upstream.tls && upstreamAgent(upstream.tls, upstream) },
    dataPath: settings.dataPath,
    fillsGaps: settings.fillsGaps,
    strictNonce: settings.strictNonce,
    estimatesGas: settings.estimatesGas,
    forwarded: settings.forwarded,
    nodeWebSocket: nodeWebSocket(upstream),
    mayConnect: (request) => check.refusal(request) === undefined,
    serve: {
      ...listen,
      bodyBytesMax: settings.bodyBytesMax,
      idleMs: settings.idleMs,
      drainMs: settings.drainMs,
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

function nodeWebSocket(upstream: SignerSettings['upstream']): ProxySettings['nodeWebSocket'] {
  const { tls, host, wsPort, path, proxy } = upstream;
  const at = { host, port: wsPort, proxy };
  const agent = tls ? upstreamAgent(tls, at)({}) : proxy && new TunnelAgent(proxy);
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${tls ? 'wss' : 'ws'}://${name}:${wsPort}${path.startsWith('/') ? path : `/${path}`}`;
  return { url, options: agent ? { agent } : {} };
}

/** A reload reads the policy too, before the keys: a wrong one leaves all as it was. */
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
