/**
 * Where a client may connect to when somebody else names the place: loopback, the address of who
 * asks, and what the operator lists. Names are judged by the address that is dialled, unless the
 * list has the name itself.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

type Answer = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export class DialList {
  private readonly isOpen: boolean;
  private readonly names: ReadonlySet<string>;
  private readonly blocks = new BlockList();

  /** `entries`: names, addresses, blocks such as 10.1.0.0/16, or `*` for everywhere. */
  constructor(entries: readonly string[]) {
    this.isOpen = entries.includes('*');
    const names = new Set<string>();
    for (const entry of [...LOOPBACK, ...entries])
      if (!this.addBlock(entry)) names.add(plain(entry));
    this.names = names;
  }

  /** False for an address that is not allowed; of a name only dialling tells. */
  allowsHost(host: string, asker: string): boolean {
    const name = plain(host);
    return isIP(name) === 0 || this.names.has(name) || this.allows(name, asker);
  }

  /** For connections on behalf of `asker`, an IP address. */
  lookupFor(asker: string): LookupFunction {
    return (host, options, callback): void => {
      const answer = callback as Answer;
      lookup(host, { ...(options as LookupOptions), all: true }, (error, found) => {
        if (error) return answer(error, []);
        const isNamed = this.names.has(plain(host));
        const open = found.filter(({ address }) => isNamed || this.allows(address, asker));
        const [first] = open;
        if (!first)
          return answer(new Error(`${host} is not among the hosts that may be called`), []);
        if (options.all) return answer(null, open);
        answer(null, first.address, first.family);
      });
    };
  }

  private allows(address: string, asker: string): boolean {
    if (this.isOpen || address === plain(asker)) return true;
    return this.blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  private addBlock(entry: string): boolean {
    const [address = '', bits] = entry.split('/');
    const version = isIP(address);
    if (version === 0) return false;
    const full = version === 6 ? 128 : 32;
    this.blocks.addSubnet(address, Number(bits ?? full), version === 6 ? 'ipv6' : 'ipv4');
    return true;
  }
}

/** Without the brackets of a URL; IPv4 written as IPv6 becomes IPv4 again. */
function plain(host: string): string {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name.startsWith('::ffff:') && isIP(name.slice(7)) === 4 ? name.slice(7) : name;
}
