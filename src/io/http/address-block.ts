/** The address block that counts as one client: an IPv4 address, or an IPv6 /64. */
import { isIPv6 } from 'node:net';

const GROUPS_OF_BLOCK = 4;
const GROUPS = 8;

/** Text that is equal for addresses of one block; '' when the address is unknown. */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return '';
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(plain)) return plain;
  const [front = '', back] = plain.split('%')[0]!.split('::');
  const head = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  const zeros = back === undefined ? 0 : GROUPS - head.length - tail.length;
  const all = [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail];
  return `${all
    .slice(0, GROUPS_OF_BLOCK)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
