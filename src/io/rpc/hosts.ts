/**
 * Names under which a server may be called: a page of another site must not reach it by its own.
 */
import { isIP } from 'node:net';

export function isAllowedHost(host: string | undefined, vhosts: readonly string[]): boolean {
  if (host === undefined || vhosts.includes('*')) return true;
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d+$/, '');
  return isIP(name) !== 0 || vhosts.includes(name.toLowerCase());
}
