/**
 * Starts `quorate signer`: its parts, then the servers that use them; closes them in reverse order.
 */
import { installCrypto } from '../../io/crypto/crypto.ts';
import { composeSigner, type SignerHost } from './compose.ts';
import type { SignerConfig } from './config.ts';
import { openMetrics } from './metrics-server.ts';
import { writePortsFile } from './ports-file.ts';
import { type RunningProxy, startProxy } from './proxy-server.ts';

export interface RunningSigner extends RunningProxy {
  readonly accounts: readonly string[];
  /** undefined: metrics are not served. */
  readonly metricsPort: number | undefined;
  /** Reloads keys, policy and audit log in the background; one reload at a time. */
  reload(): void;
}

/** Rejects when it cannot start; then nothing is left open. */
export async function startSigner(config: SignerConfig, host: SignerHost): Promise<RunningSigner> {
  const { log } = host;
  await installCrypto(log);
  const endings: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await serve(config, host, endings)), close };
  } catch (error) {
    await close().catch((err: unknown) => log('warn', 'A part did not close', { err }));
    throw error;
  }
}

async function serve(
  config: SignerConfig,
  host: SignerHost,
  endings: (() => unknown)[],
): Promise<Omit<RunningSigner, 'close'>> {
  const { meters, proxy: composed, reload } = await composeSigner(config, host, endings);
  const outlet = await openMetrics(config.metrics, meters, host.log);
  endings.push(() => outlet.close());
  const proxy = await startProxy(composed.settings, composed.parts);
  endings.push(() => proxy.close());
  if (config.dataPath !== undefined) {
    const ports = { http: proxy.port, metrics: outlet.port };
    endings.push(writePortsFile(config.dataPath, config.portsFile, ports));
  }
  return {
    port: proxy.port,
    metricsPort: outlet.port,
    accounts: composed.parts.accounts.addresses(),
    reload,
  };
}
