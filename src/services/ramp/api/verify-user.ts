/** The hash of a customer's address, as aggregators put it into the widget's address (`hash`). */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Partner } from '../../../core/ramp/config.ts';
import { readText } from '../../../io/host/files.ts';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

export function isIpv4Text(text: string): boolean {
  return IPV4.test(text);
}

/** Lower-case hex. Undefined: the partner has no secret for it. Throws FILE_UNREADABLE. */
export function userHash({ hash }: Partner, ipAddress: string): string | undefined {
  if (hash.algorithm === 'sha256') return createHash('sha256').update(ipAddress).digest('hex');
  if (hash.secretFile === undefined) return undefined;
  const secret = readText(hash.secretFile).trim();
  return createHmac('sha256', secret).update(ipAddress).digest('hex');
}

/** Compares in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
