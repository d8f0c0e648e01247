/**
 * Where a client may connect when somebody else names the target: the asker's own address, and
 * those that the operator lists. Names are checked by the dialled address, unless the list contains
 * the name itself.
 */
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import {
  addressBlocks,
  isAddressBlock,
  isInBlocks,
  lookupAllowed,
  plainHost,
} from './dial-lookup.ts';

/** Entries for this machine. */
export const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** A name, an address or a block: no URL, no port, and no malformed address. */
export function isPlace(entry: string): boolean {
  if (entry === '*' || isAddressBlock(entry)) return true;
  return /^(?=.*[a-z])[a-z\d][\w.-]*$/i.test(entry);
}

export class DialList {
  private readonly isOpen: boolean;
  private readonly names: ReadonlySet<string>;
  private readonly blocks: BlockList;

  /**
   * `entries`: names, addresses, blocks such as 10.1.0.0/16, or `*` for everywhere; each isPlace.
   */
  constructor(entries: readonly string[]) {
    this.isOpen = entries.includes('*');
    const isName = (entry: string) => isIP(entry.split('/')[0]!) === 0;
    this.names = new Set(entries.filter(isName).map(plainHost));
    this.blocks = addressBlocks(entries.filter((entry) => !isName(entry)));
  }

  /** False for an address that is not allowed; a name is checked when dialled. */
  allowsHost(host: string, asker: string): boolean {
    const name = plainAddress(host);
    return isIP(name) === 0 || this.allows(name, asker);
  }

  /** For connections on behalf of `asker`, an IP address. */
  lookupFor(asker: string): LookupFunction {
    return lookupAllowed(
      (host, address) => this.names.has(plainHost(host)) || this.allows(address, asker),
      (host) => `${host} is not among the allowed hosts`,
    );
  }

  private allows(address: string, asker: string): boolean {
    if (this.isOpen || address === plainAddress(asker)) return true;
    return isInBlocks(this.blocks, address);
  }
}

/** IPv4 written as IPv6 becomes IPv4 again. */
function plainAddress(host: string): string {
  const name = plainHost(host);
  return name.startsWith('::ffff:') && isIP(name.slice(7)) === 4 ? name.slice(7) : name;
}
