/**
 * Keeps a client from addresses inside the operator's own network that a stranger names: loopback,
 * private and link-local ranges (RFC 6890). Names are judged by the address that is dialled, so that
 * one that resolves otherwise the second time is refused too.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

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
const internal: BlockList = blocks(INTERNAL);

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

export class DialGuard {
  private readonly hosts: Set<string>;
  private readonly allowed: BlockList | 'all';

  /**
   * `hosts`: names and addresses that are dialled whatever they are. `allowed`: `all`, or blocks such
   * as 10.1.0.0/16 that are dialled though they are internal. Throws on a block that is none.
   */
  constructor(hosts: readonly string[], allowed: readonly string[] | 'all') {
    this.hosts = new Set(hosts.map(plain));
    this.allowed = allowed === 'all' ? 'all' : blocks(allowed);
  }

  exempt(host: string): void {
    this.hosts.add(plain(host));
  }

  /** False for an address that is internal; of a name only dialling tells. */
  allowsHost(host: string): boolean {
    const name = plain(host);
    return this.hosts.has(name) || isIP(name) === 0 || this.allowsAddress(name);
  }

  /** For a client's connections. */
  readonly lookup: LookupFunction = (host, options, callback): void => {
    const answer = callback as Callback;
    lookup(host, { ...(options as LookupOptions), all: true }, (error, found) => {
      if (error) return answer(error, []);
      const isExempt = this.hosts.has(plain(host));
      const open = found.filter(({ address }) => isExempt || this.allowsAddress(address));
      const [first] = open;
      if (!first) return answer(new Error(`${host} is an internal address`), []);
      if (options.all) return answer(null, open);
      answer(null, first.address, first.family);
    });
  };

  private allowsAddress(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!internal.check(address, family)) return true;
    return this.allowed === 'all' || this.allowed.check(address, family);
  }
}

/** An address, or a block such as 10.1.0.0/16. */
export function isAddressBlock(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0 || bits === undefined) return version !== 0;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
}

function blocks(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const isSix = isIP(address) === 6;
    list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4');
  }
  return list;
}

function plain(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
