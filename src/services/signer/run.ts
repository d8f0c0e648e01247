/** `quorate signer` from its options to its servers. */
import type { Log } from '../../core/ports.ts';
import { installCrypto } from '../../io/host/crypto.ts';
import { type Route, text } from '../../io/http/server.ts';
import { readKeys } from './first-keys.ts';
import { payloadStore } from './payload-store.ts';
import { OPEN_GUARD } from './proxy/open-guard.ts';
import type { SignerSettings } from './settings.ts';
import { type RunningProxy, startProxy } from './start.ts';

const UPCHECK: Route = { method: 'GET', path: '/upcheck', handle: () => text(200, 'OK') };

export interface RunningSigner extends RunningProxy {
  readonly accounts: readonly string[];
}

export async function runSigner(settings: SignerSettings, log: Log): Promise<RunningSigner> {
  await installCrypto();
  const accounts = await readKeys(settings.keys);
  const payloads = settings.ptmUrl === undefined ? undefined : payloadStore(settings.ptmUrl, log);
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
        routes: [UPCHECK],
        admit: () => false,
      },
    },
    { accounts, guard: OPEN_GUARD, payloads, log },
  );
  return {
    port: proxy.port,
    accounts: accounts.addresses(),
    async close() {
      await proxy.close();
      payloads?.close();
    },
  };
}
