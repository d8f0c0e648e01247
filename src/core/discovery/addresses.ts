/** Which addresses discovery accepts from which senders (go-ethereum p2p/netutil/net.go). */
import { isIpv4, parseIp } from '../base/ip-address.ts';

type Kind = 'loopback' | 'lan' | 'public' | 'unusable';

function kindOf(ip: string): Kind {
  const bytes = parseIp(ip);
  if (!bytes) return 'unusable';
  if (isIpv4(bytes)) return ipv4Kind(bytes[12]!, bytes[13]!);
  if (bytes.every((byte) => byte === 0)) return 'unusable';
  if (bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return 'loopback';
  const [first, second] = [bytes[0]!, bytes[1]!];
  if (first === 0xff) return 'unusable';
  const isLocal = (first === 0xfe && (second & 0xc0) === 0x80) || (first & 0xfe) === 0xfc;
  return isLocal ? 'lan' : 'public';
}

function ipv4Kind(first: number, second: number): Kind {
  if (first === 0 || first >= 224) return 'unusable';
  if (first === 127) return 'loopback';
  const isPrivate =
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254);
  return isPrivate ? 'lan' : 'public';
}

/**
 * Whether a node at `sender` may tell us about one at `ip`: outside nodes may not name internal
 * addresses.
 */
export function mayRelay(sender: string, ip: string): boolean {
  const kind = kindOf(ip);
  const from = kindOf(sender);
  if (kind === 'unusable' || from === 'unusable') return false;
  if (kind === 'loopback') return from === 'loopback';
  return kind !== 'lan' || from !== 'public';
}

/** Addresses that count as one operator: an IPv4 /24, an IPv6 /64; undefined for local ones. */
export function subnetOf(ip: string): string | undefined {
  if (kindOf(ip) !== 'public') return undefined;
  const bytes = parseIp(ip)!;
  return (isIpv4(bytes) ? bytes.subarray(12, 15) : bytes.subarray(0, 8)).join('.');
}
