/** Kinds of IP addresses of sockets. */
import { BlockList, isIP } from 'node:net';

const LAN = new BlockList();
LAN.addSubnet('10.0.0.0', 8, 'ipv4');
LAN.addSubnet('172.16.0.0', 12, 'ipv4');
LAN.addSubnet('192.168.0.0', 16, 'ipv4');
LAN.addSubnet('169.254.0.0', 16, 'ipv4');
LAN.addSubnet('127.0.0.0', 8, 'ipv4');
LAN.addSubnet('fe80::', 10, 'ipv6');
LAN.addSubnet('fc00::', 7, 'ipv6');
LAN.addAddress('::1', 'ipv6');

/** Converts an IPv4 address written as IPv6 to IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Whether an address is loopback, link-local or private. */
export function isLanAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LAN.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

export function hostPort(address: string | undefined, port: number | undefined): string {
  const plain = plainAddress(address ?? '');
  return isIP(plain) === 6 ? `[${plain}]:${port}` : `${plain}:${port}`;
}
