/** `quorate signer` from its options to its servers. */
import type { Log, Metrics } from '../../core/ports.ts';
import { systemClock } from '../../io/host/clock.ts';
import { installCrypto } from '../../io/host/crypto.ts';
import { openGuard } from './guard/open-guard.ts';
import { openAccounts } from './keys/accounts.ts';
import { keysFromOptions } from './keys/from-options.ts';
import { payloadStore } from './payload-store.ts';
import { restRoutes } from './rest/routes.ts';
import type { SignerSettings } from './settings.ts';
import { type RunningProxy, startProxy } from './start.ts';

export interface RunningSigner extends RunningProxy {
  readonly accounts: readonly string[];
}

export async function runSigner(
  settings: SignerSettings,
  log: Log,
  metrics?: Metrics,
): Promise<RunningSigner> {
  await installCrypto();
  const clock = systemClock;
  const opened = await openAccounts(keysFromOptions(settings.keys, settings.dataPath), {
    log,
    metrics,
  });
  const guard = await openGuard(settings.guard, { clock, log, metrics });
  const payloads = settings.ptmUrl === undefined ? undefined : payloadStore(settings.ptmUrl, log);
  const { routes } = restRoutes({ opened, guard, clock, log, metrics });
  const { upstream, listen } = settings;
  const proxy = await startProxy(
    {
      chainId: settings.chainId,
      upstream: { ...upstream, tls: undefined },
      dataPath: settings.dataPath,
      fillsGaps: settings.fillsGaps,
      strictNonce: settings.strictNonce,
      forwarded: settings.forwarded,
      serve: {
        ...listen,
        bodyBytesMax: settings.bodyBytesMax,
        idleMs: settings.idleMs,
        tls: undefined,
        forwardsAuthorization: upstream.forwardsAuthorization,
        routes,
        admit: () => false,
      },
    },
    { accounts: opened.accounts, guard, payloads, log, metrics },
  );
  return {
    port: proxy.port,
    accounts: opened.accounts.addresses(),
    async close() {
      await proxy.close();
      payloads?.close();
      opened.close();
      await guard.close();
    },
  };
}
