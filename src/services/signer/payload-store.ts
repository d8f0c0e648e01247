/**
 * The private transaction manager as the proxy uses it: it stores a payload, whose hash is then
 * signed.
 */
import type { Log } from '../../core/base/ports.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import type { ConnectedManager } from '../../io/ptm-client/connected-manager.ts';
import type { PayloadStore } from './proxy/ports.ts';

const UNIX = 'unix:';

/** `url`: http(s)://host:port or unix:/path. Connects on first use, and again after a failure. */
export function payloadStore(url: string, log: Log): PayloadStore & { close(): void } {
  const config = resolveManagerConfig(
    undefined,
    url.startsWith(UNIX) ? { 'ptm.socket': url.slice(UNIX.length) } : { 'ptm.url': url },
  );
  let manager: Promise<ConnectedManager> | undefined;
  return {
    async storeRaw(payload, from) {
      manager ??= connectManager(config, { say: log });
      try {
        return await (await manager).storeRaw(payload, from);
      } catch (error) {
        const old = manager;
        manager = undefined;
        old?.then(
          (each) => each.close(),
          () => undefined,
        );
        throw error;
      }
    },
    close() {
      manager?.then(
        (each) => each.close(),
        () => undefined,
      );
    },
  };
}
