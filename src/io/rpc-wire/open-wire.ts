/** Opens the connection to the node that an endpoint names: by a URL, or the path of a socket. */
import { fail } from '../../core/base/errors.ts';
import { HttpWire } from './http-wire.ts';
import { IpcWire } from './ipc-wire.ts';
import { WebSocketWire } from './websocket-wire.ts';
import type { RpcWire, WireOptions } from './wire.ts';

/**
 * Connects at the first request. A prefix `rpc:` or `ipc:` is ignored, as in geth. Throws
 * OPTION_VALUE_INVALID.
 */
export function openWire(endpoint: string, options: WireOptions): RpcWire {
  const place = endpoint.replace(/^(rpc|ipc):/, '');
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(place) ?? [];
  if (scheme === undefined) return new IpcWire(place, options);
  const url = URL.canParse(place) ? new URL(place) : undefined;
  if (!url) throw fail('OPTION_VALUE_INVALID', `"${endpoint}" is not a URL`);
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return new HttpWire(url, options);
    case 'ws':
    case 'wss':
      return new WebSocketWire(url, options);
    default:
      throw fail(
        'OPTION_VALUE_INVALID',
        `no known transport for URL scheme "${scheme}": give http://, https://, ws://, wss:// or the path of geth.ipc`,
      );
  }
}
