/** Shared by both lists of allowed targets: the check of a name uses the dialled address. */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

type Answer = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * The resolver for a client's connections: gives those addresses of a name that `isAllowed`
 * accepts. Fails with `refusal` if there is none.
 */
export function lookupAllowed(
  isAllowed: (host: string, address: string) => boolean,
  refusal: (host: string) => string,
): LookupFunction {
  return (host, options, callback): void => {
    const answer = callback as Answer;
    lookup(host, { ...(options as LookupOptions), all: true }, (error, found) => {
      if (error) return answer(error, []);
      const open = found.filter(({ address }) => isAllowed(host, address));
      const [first] = open;
      if (!first) return answer(new Error(refusal(host)), []);
      if (options.all) return answer(null, open);
      answer(null, first.address, first.family);
    });
  };
}

/** Whether the text is an address, or a block such as 10.1.0.0/16. */
export function isAddressBlock(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0 || bits === undefined) return version !== 0;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
}

/** Takes addresses, and blocks such as 10.1.0.0/16. Throws on an invalid block. */
export function addressBlocks(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const isSix = isIP(address) === 6;
    list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4');
  }
  return list;
}

export function isInBlocks(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A URL's host without brackets, in lower case. */
export function plainHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
