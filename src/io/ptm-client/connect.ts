/**
 * Finds out which manager answers and what it can do (GoQuorum
 * private/engine/tessera/tessera_version_checker.go).
 */

import { fail, hasCode } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import type { HttpAnswer } from '../http/http-call.ts';
import { HttpManager, type ManagerHost } from './client.ts';
import type { ManagerConfig } from './config.ts';
import type { ConnectedManager } from './connected-manager.ts';
import { submitFailed } from './messages.ts';
import { managerNotInUse } from './no-manager.ts';
import { Transport } from './transport.ts';
import { featuresOf, highestVersion } from './versions.ts';

/**
 * Header of our own managers' answer to /version/api. 1: payloads can be requested in batches; 2:
 * also sends; 3: the manager compares private states; 4: also digests of transactions; 5:
 * participants can be requested in batches.
 */
const BATCH_HEADER = 'quorate-ptm-batch';

/**
 * Does the handshake and detects features. Without a connection it gives the "not in use" manager.
 * Rejects with PTM_UNREACHABLE, PTM_NOT_READY or PTM_UNSUPPORTED, in GoQuorum's words.
 */
export async function connectManager(
  config: ManagerConfig,
  host: ManagerHost,
): Promise<ConnectedManager> {
  if (config.connection === 'none') return managerNotInUse();
  const transport = new Transport(config);
  try {
    const { version, list, batch } = await handshake(transport);
    const features = featuresOf(list);
    host.say('info', 'connected to the private transaction manager', {
      version,
      api: list.join('.'),
    });
    return new HttpManager(transport, features, batch, host);
  } catch (cause) {
    transport.close();
    if (hasCode(cause, 'PTM_UNSUPPORTED')) throw cause;
    throw fail(
      hasCode(cause, 'PTM_NOT_READY') ? 'PTM_NOT_READY' : 'PTM_UNREACHABLE',
      `unable to connect to private tx manager due to: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

async function handshake(
  transport: Transport,
): Promise<{ version: string; list: readonly [number, number, number]; batch: number }> {
  const get = async (path: string): Promise<HttpAnswer> => {
    try {
      return await transport.plain(path);
    } catch (cause) {
      throw submitFailed('GET', path, cause);
    }
  };
  if ((await get('/upcheck')).status !== 200) {
    throw fail('PTM_NOT_READY', 'private transaction manager is not ready');
  }
  const version = await get('/version');
  if (version.status !== 200) {
    throw fail(
      'PTM_UNSUPPORTED',
      'the private transaction manager has no /version: Constellation is not supported, use quorate ptm or Tessera',
    );
  }
  const api = await get('/version/api').catch(() => undefined);
  const known = api?.status === 200 ? parseList(api.body) : undefined;
  return {
    version: Buffer.from(version.body).toString('utf8').slice(0, 64),
    list: highestVersion(known),
    batch: Number(api?.headers[BATCH_HEADER] ?? 0),
  };
}

function parseList(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}
