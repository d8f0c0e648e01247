/**
 * Which headers are forwarded from a client to the node, and from the node to a client (EthSigner
 * HeaderHelpers).
 */
import type { HeaderList } from './proxy/ports.ts';

/**
 * Headers that belong to one connection or one body, and `origin`, which concerns only the browser
 * and this proxy.
 */
const NOT_TO_NODE: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'content-length', 'content-encoding', 'origin'],
  ...['accept-encoding', 'x-forwarded-host'],
]);
const NOT_TO_CLIENT: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding'],
  ...['access-control-allow-origin', 'date', 'trailer', 'upgrade'],
]);
const JSON_TYPE = /^application\/json(-rpc|request)?\s*(;\s*charset="?utf-8"?\s*)?$/i;

/**
 * `Host` becomes `X-Forwarded-Host`; the client's credentials are forwarded only with
 * `forwardsAuthorization`.
 */
export function toNode(raw: HeaderList, forwardsAuthorization: boolean): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const value = raw[at + 1]!;
    if (NOT_TO_NODE.has(name)) continue;
    if (name === 'host') headers.push('X-Forwarded-Host', value);
    // The proxy sends the body as JSON in UTF-8, whatever the client declared.
    else if (name === 'content-type')
      headers.push('Content-Type', JSON_TYPE.test(value) ? value : 'application/json');
    else if (name !== 'authorization' || forwardsAuthorization) headers.push(raw[at]!, value);
  }
  return headers;
}

export function toClient(raw: HeaderList): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!NOT_TO_CLIENT.has(raw[at]!.toLowerCase())) headers.push(raw[at]!, raw[at + 1]!);
  }
  return headers;
}
