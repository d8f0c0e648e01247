/** Forms of --nat (GoQuorum p2p/nat/nat.go). */

const NO_MAPPING = ['', 'none', 'off'];
const PORT_MAPPERS = ['any', 'auto', 'on', 'upnp', 'pmp', 'natpmp', 'nat-pmp'];

/** What stands before the colon. */
export function mechanismOf(nat: string): string {
  return nat.split(':', 1)[0]!.toLowerCase();
}

export function asksNobody(nat: string): boolean {
  return NO_MAPPING.includes(mechanismOf(nat));
}

/** Whether geth would ask a router for a mapping. */
export function asksRouter(nat: string): boolean {
  return PORT_MAPPERS.includes(mechanismOf(nat));
}
