/**
 * Log lines in geth's format, so that dashboards that read it keep working: `INFO
 * [01-31|12:34:56.789] Message key=value`. Secrets are removed by their key.
 */

import { bareHex, toHex } from '../../core/base/hex.ts';
import type { Clock, Log, LogLevel } from '../../core/base/ports.ts';
import { reasonOf } from '../host/reason.ts';
import { jsonLine, type LogFormat } from './log-formats.ts';
import { redact } from './redact.ts';

/** geth's --verbosity: 0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace. */
const VERBOSITY: Readonly<Record<LogLevel, number>> = {
  error: 1,
  warn: 2,
  info: 3,
  debug: 4,
  trace: 5,
};
const LABEL: Readonly<Record<LogLevel, string>> = {
  error: 'ERROR',
  warn: 'WARN ',
  info: 'INFO ',
  debug: 'DEBUG',
  trace: 'TRACE',
};
/** With fields, messages are padded to this many characters. */
const MESSAGE_CHARS = 40;
const VALUE_CHARS_MAX = 4096;
const SECRET_KEY =
  /(password|passphrase|secret|private_?key|secret_?key|token|authorization|mnemonic|payload)$/i;

export interface LoggerParts {
  /** One line, with its line feed. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly verbosity?: number;
  /** Default: PLAIN, geth's format. */
  readonly format?: LogFormat;
}

export interface Logger {
  readonly log: Log;
  verbosity(): number;
  setVerbosity(level: number): void;
}

export function createLogger({
  write,
  clock,
  verbosity = 3,
  format = 'PLAIN',
}: LoggerParts): Logger {
  let current = verbosity;
  return {
    verbosity: () => current,
    setVerbosity(level) {
      current = level;
    },
    log(level, message, fields = {}) {
      if (VERBOSITY[level] > current) return;
      const nowMs = clock.nowMs();
      write(
        format === 'PLAIN'
          ? formatLine(level, nowMs, message, fields)
          : jsonLine(format, {
              level,
              nowMs,
              message: escapeMessage(message),
              fields: format === 'GETH' ? plainFields(fields) : texts(fields),
            }),
      );
    },
  };
}

export function formatLine(
  level: LogLevel,
  nowMs: number,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${formatFact(key, value)}`);
  const text = escapeMessage(message);
  const padded = pairs.length > 0 ? text.padEnd(MESSAGE_CHARS) : text;
  return `${LABEL[level]}[${timeOf(nowMs)}] ${padded} ${pairs.join(' ')}\n`;
}

/** Local time. */
function timeOf(nowMs: number): string {
  const at = new Date(nowMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day}|${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function formatFact(key: string, value: unknown): string {
  if (SECRET_KEY.test(key)) return '***';
  return quote(textOf(value));
}

/** Like `texts`, but numbers and booleans stay unchanged, without thousands separators. */
function plainFields(
  fields: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean> {
  const plain: Record<string, string | number | boolean> = texts(fields);
  for (const [key, value] of Object.entries(fields)) {
    if (SECRET_KEY.test(key)) continue;
    if (typeof value === 'number' || typeof value === 'boolean') plain[key] = value;
    else if (typeof value === 'bigint') plain[key] = String(value);
  }
  return plain;
}

/** Texts of all fields without secrets, not yet quoted. */
function texts(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, SECRET_KEY.test(key) ? '***' : clean(textOf(value))]),
  );
}

function textOf(value: unknown): string {
  if (value === null) return 'nil';
  if (typeof value === 'bigint') return grouped(value.toString());
  if (typeof value === 'number') {
    return Number.isInteger(value) ? grouped(String(value)) : value.toFixed(3);
  }
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Error) return reasonOf(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(' ')}]`;
  if (typeof value === 'object') {
    return JSON.stringify(value, (key, inner: unknown) => {
      if (SECRET_KEY.test(key)) return '***';
      if (inner instanceof Uint8Array) return toHex(inner);
      return typeof inner === 'bigint' ? inner.toString() : inner;
    });
  }
  return String(value);
}

/** Hashes are shortened, as in geth; other bytes are not. */
function bytesText(bytes: Uint8Array): string {
  if (bytes.length !== 32) return toHex(bytes);
  return `${bareHex(bytes.subarray(0, 3))}..${bareHex(bytes.subarray(29))}`;
}

/** Thousands separators from 100,000 on. */
function grouped(digits: string): string {
  return digits.replace('-', '').length < 6 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

function quote(text: string): string {
  const safe = clean(text);
  return safe === '' || /[\s="\\]|[^!-~]/.test(safe) ? JSON.stringify(safe) : safe;
}

function clean(text: string): string {
  // Redacted before the final truncation, because only the end of a URL may show that its beginning
  // is a secret.
  return clip(redact(text.slice(0, 2 * VALUE_CHARS_MAX)));
}

function escapeMessage(message: string): string {
  return clean(message).replace(/\p{Cc}/gu, ' ');
}

function clip(text: string): string {
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX)}...`;
}
