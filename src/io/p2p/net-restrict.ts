/** The IP networks that peers may be in (geth's --netrestrict). */

import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { fail } from '../../core/base/errors.ts';
import { plainAddress } from './addresses.ts';

export class NetRestrict {
  private readonly networks = new BlockList();

  /** `networks` in CIDR notation, such as `10.0.0.0/8`. Throws OPTION_VALUE_INVALID. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(network) ?? [];
      const family = isIP(address);
      if (family === 0 || Number(digits) > (family === 4 ? 32 : 128)) {
        throw fail(
          'OPTION_VALUE_INVALID',
          `invalid value "${network}" for flag --netrestrict: expected IP networks such as 10.0.0.0/8,192.168.1.7/32`,
        );
      }
      this.networks.addSubnet(address, Number(digits), family === 4 ? 'ipv4' : 'ipv6');
    }
  }

  /** Whether this IP address is in one of the networks. */
  contains(address: string): boolean {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.networks.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  }

  /** A resolver for `net.connect`: resolves a name to an address inside the networks, or fails. */
  readonly lookup: LookupFunction = (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const inside = error ? [] : found.filter(({ address }) => this.contains(address));
      const [first] = inside;
      const why = error ?? new Error(`${name} has no address inside --netrestrict`);
      if (!first) done(why, '', 0);
      else if (options.all) done(null, inside);
      else done(null, first.address, first.family);
    });
  };
}
