/**
 * Lines of the audit log. Each is JSON with the hash of the previous line, and its own hash as the
 * last member: SHA-256 over everything before that member. Changing, dropping or inserting a line
 * means rewriting all that follow.
 */
import { newerVersion } from '../../core/base/newer-version.ts';
import type { Intent } from '../../core/signing/guard.ts';
import { type ChainEnd, type ChainedRecord, chainFault, recordHash } from '../crypto/hash-chain.ts';

/** The previous hash of a chain's first line. */
export const NO_HASH = '0'.repeat(64);
/**
 * Version in the first line that a run writes into a file. Raise it with any change that an older
 * program would misread.
 */
export const AUDIT_VERSION = 1;
/** Maximum bytes of a line: texts from outside are truncated to fit. */
export const LINE_BYTES_MAX = 16 * 1024;

const TEXT_CHARACTERS_MAX = 256;
const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/;

export interface AuditEntry {
  readonly caller: string;
  readonly intent: Intent;
  readonly outcome: string;
}

/** The line, without its line feed, and the chain's new end. */
export function entryLine(
  end: ChainEnd,
  nowMs: number,
  { caller, intent, outcome }: AuditEntry,
): { readonly line: string; readonly end: ChainEnd } {
  const { method, account, kind, to, value, gas, fee, selector, digest } = intent;
  const { domainName, verifyingContract, primaryType } = intent;
  return linked(end, nowMs, {
    ...{ caller: clip(caller), method: clip(method), account, kind, to },
    ...{ value: value?.toString(), gas: gas?.toString(), fee: fee?.toString() },
    ...{ selector, digest, domainName: domainName && clip(domainName) },
    ...{ verifyingContract: verifyingContract && clip(verifyingContract) },
    ...{ primaryType: primaryType && clip(primaryType), outcome: clip(outcome) },
  });
}

/** A line about the log itself, such as its start. */
export function eventLine(
  end: ChainEnd,
  nowMs: number,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): { readonly line: string; readonly end: ChainEnd } {
  return linked(end, nowMs, { event, ...fields });
}

function linked(end: ChainEnd, nowMs: number, members: object) {
  const seq = end.seq + 1;
  const time = new Date(nowMs).toISOString();
  const head = JSON.stringify({ seq, time, ...members, previous: end.hash }).slice(0, -1);
  const hash = recordHash(head);
  return { line: `${head},"hash":"${hash}"}`, end: { seq, hash } };
}

export type LineCheck =
  | { readonly kind: 'sound'; readonly record: ChainedRecord }
  | { readonly kind: 'broken'; readonly why: string };

/** The version in an event line; undefined: there is none. */
function versionOf(line: string): number | undefined {
  try {
    const { event, version } = JSON.parse(line) as { event?: unknown; version?: unknown };
    return event !== undefined && typeof version === 'number' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Throws STORAGE_FORMAT_NEWER. */
export function checkVersion(path: string, line: string): void {
  const found = versionOf(line) ?? AUDIT_VERSION;
  if (found <= AUDIT_VERSION) return;
  throw newerVersion('STORAGE_FORMAT_NEWER', `the audit log ${path}`, {
    found,
    known: AUDIT_VERSION,
  });
}

/** Checks a single line; the caller checks its place in the chain. */
export function checkLine(line: string): LineCheck {
  const match = LINE.exec(line);
  const record = match && recordOf(line, match[1]!, match[2]!);
  if (!record) return { kind: 'broken', why: 'it is not a line of an audit log' };
  if (chainFault(undefined, record))
    return { kind: 'broken', why: 'its hash does not match its text' };
  return { kind: 'sound', record };
}

function recordOf(line: string, text: string, hash: string): ChainedRecord | undefined {
  try {
    const { seq, previous } = JSON.parse(line) as { seq: unknown; previous: unknown };
    if (typeof seq !== 'number' || typeof previous !== 'string') return undefined;
    return { text, hash, seq, previous };
  } catch {
    return undefined;
  }
}

function clip(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX)}...`;
}
