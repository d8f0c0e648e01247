/** IP addresses as 16 bytes (IPv4 mapped into IPv6) and as the text that Go writes (RFC 5952). */

const IPV4_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const GROUPS = 8;

/** 16 bytes, or undefined when the text is not an IP address but, for example, a host name. */
export function parseIp(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

export function isIpv4(ip: Uint8Array): boolean {
  return IPV4_PREFIX.every((byte, at) => ip[at] === byte);
}

/** Formats 16 or 4 bytes; undefined for any other length. */
export function formatIp(ip: Uint8Array): string | undefined {
  if (ip.length === 4) return ip.join('.');
  if (ip.length !== 16) return undefined;
  if (isIpv4(ip)) return ip.subarray(12).join('.');
  const groups = Array.from({ length: GROUPS }, (_, at) => (ip[2 * at]! << 8) | ip[2 * at + 1]!);
  const { start, length } = longestZeros(groups);
  const text = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  if (length < 2) return text(0, GROUPS);
  return `${text(0, start)}::${text(start + length, GROUPS)}`;
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) {
    return undefined;
  }
  const bytes = parts.map(Number);
  return bytes.some((byte) => byte > 0xff)
    ? undefined
    : Uint8Array.from([...IPV4_PREFIX, ...bytes]);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const sides = halves.map((half) => (half === '' ? [] : groupsOf(half)));
  const [left, right] = sides;
  if (!left || (halves.length === 2 && !right)) return undefined;
  const missing = GROUPS - left.length - (right?.length ?? 0);
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...new Array<number>(missing).fill(0), ...(right ?? [])];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(half: string): number[] | undefined {
  const parts = half.split(':');
  const groups: number[] = [];
  for (const [at, part] of parts.entries()) {
    const embedded = at === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (embedded) {
      groups.push((embedded[12]! << 8) | embedded[13]!, (embedded[14]! << 8) | embedded[15]!);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
