/** The client's address: that of the connection, or the one that trusted proxies report. */
import { type BlockList, isIP } from 'node:net';
import { addressBlocks, isInBlocks } from '../../../io/http/dial-lookup.ts';
import type { HttpRequest } from '../../../io/http/server.ts';

const MAPPED = /^::ffff:(?=\d+\.)/i;

export class ClientAddresses {
  private readonly trusted: BlockList;

  /** IP addresses and CIDR blocks. */
  constructor(trustedProxies: readonly string[]) {
    this.trusted = addressBlocks(trustedProxies);
  }

  /**
   * The right-most hop that is not a trusted proxy: a client could have written everything to its
   * left.
   */
  of(request: Pick<HttpRequest, 'remote' | 'header'>): string {
    let address = plain(request.remote ?? '');
    const hops = (request.header('x-forwarded-for') ?? '')
      .split(',')
      .map((hop) => plain(hop.trim()));
    while (hops.length > 0 && isIP(address) !== 0 && isInBlocks(this.trusted, address)) {
      const hop = hops.pop()!;
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  }
}

function plain(address: string): string {
  return address.toLowerCase().replace(MAPPED, '').replace(/%.*$/, '');
}
