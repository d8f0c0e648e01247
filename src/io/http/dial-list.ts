/**
 * Where a client may connect when another party names the target: to that party's own address, and
 * to those that the operator lists. The check of a name uses the dialled address, unless the list
 * contains the name itself.
 */
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import {
  addressBlocks,
  isAddressBlock,
  isInBlocks,
  lookupAllowed,
  plainHost,
} from './dial-lookup.ts';

/** Entries that stand for this machine. */
export const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * Whether an entry is a name, an address or a block, and not a URL, a port or a malformed address.
 */
export function isPlace(entry: string): boolean {
  if (entry === '*' || isAddressBlock(entry)) return true;
  return /^(?=.*[a-z])[a-z\d][\w.-]*$/i.test(entry);
}

export class DialList {
  private readonly isOpen: boolean;
  private readonly names: ReadonlySet<string>;
  private readonly blocks: BlockList;

  /**
   * `entries`: names, addresses, blocks such as 10.1.0.0/16, or `*` for everywhere; each must pass
   * isPlace.
   */
  constructor(entries: readonly string[]) {
    this.isOpen = entries.includes('*');
    const isName = (entry: string) => isIP(entry.split('/')[0]!) === 0;
    this.names = new Set(entries.filter(isName).map(plainHost));
    this.blocks = addressBlocks(entries.filter((entry) => !isName(entry)));
  }

  /** False for an address that is not allowed; a name is checked when it is dialled. */
  allowsHost(host: string, asker: string): boolean {
    const name = plainAddress(host);
    return isIP(name) === 0 || this.allows(name, asker);
  }

  /** The resolver for connections on behalf of `asker`, an IP address. */
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

/** Converts an IPv4 address written as IPv6 to IPv4. */
function plainAddress(host: string): string {
  const name = plainHost(host);
  return name.startsWith('::ffff:') && isIP(name.slice(7)) === 4 ? name.slice(7) : name;
}
