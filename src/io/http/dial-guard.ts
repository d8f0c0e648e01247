/**
 * Keeps a client from connecting to addresses in the operator's own network, when an outsider names
 * the target: loopback, private and link-local ranges (RFC 6890). The check of a name uses the
 * dialled address, so that a name that resolves differently the second time is refused too.
 */
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { addressBlocks, isInBlocks, lookupAllowed, plainHost } from './dial-lookup.ts';

const INTERNAL: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];
const internal = addressBlocks(INTERNAL);

export class DialGuard {
  private readonly hosts: Set<string>;
  private readonly allowed: BlockList | 'all';

  /**
   * `hosts`: names and addresses that are always allowed. `allowed`: `all`, or internal blocks such
   * as 10.1.0.0/16 that are allowed. Throws on an invalid block.
   */
  constructor(hosts: readonly string[], allowed: readonly string[] | 'all') {
    this.hosts = new Set(hosts.map(plainHost));
    this.allowed = allowed === 'all' ? 'all' : addressBlocks(allowed);
  }

  exempt(host: string): void {
    this.hosts.add(plainHost(host));
  }

  /** False for an internal address; a name is checked when it is dialled. */
  allowsHost(host: string): boolean {
    const name = plainHost(host);
    return this.hosts.has(name) || isIP(name) === 0 || this.allowsAddress(name);
  }

  /** The resolver for a client's connections. */
  readonly lookup: LookupFunction = lookupAllowed(
    (host, address) => this.hosts.has(plainHost(host)) || this.allowsAddress(address),
    (host) => `${host} is an internal address`,
  );

  private allowsAddress(address: string): boolean {
    if (!isInBlocks(internal, address)) return true;
    return this.allowed === 'all' || isInBlocks(this.allowed, address);
  }
}
