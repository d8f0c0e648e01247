/** Error texts for people: what is wrong, with which file or option, and what to do. */
import { QuorateError } from '../core/base/errors.ts';
import { isSystemError, reasonOf, type SystemError } from '../io/host/reason.ts';
import type { ParsedOptions } from '../io/options/options.ts';
import { redact } from '../io/telemetry/redact.ts';

/** What the program wanted to do, by system call. */
const DEEDS: Readonly<Record<string, string>> = {
  open: 'open',
  read: 'read',
  write: 'write',
  scandir: 'list',
  opendir: 'list',
  mkdir: 'make the folder',
  rename: 'rename',
  unlink: 'delete',
  rm: 'delete',
  rmdir: 'delete',
  link: 'make',
  chmod: 'change the rights of',
  connect: 'connect to',
  listen: 'listen on',
  bind: 'listen on',
  getaddrinfo: 'find the host',
};

/** One text without secrets; for an internal fault, with the stack. */
export function faultText(error: unknown, options: ParsedOptions | undefined): string {
  if (isSystemError(error)) {
    const text = `cannot ${DEEDS[error.syscall] ?? 'use'} ${placeOf(error)}: ${reasonOf(error)}`;
    return named(text, options, { path: error.path, port: error.port });
  }
  if (error instanceof QuorateError && error.code !== 'INVARIANT_BROKEN') {
    return named(error.message, options, (error.data ?? {}) as Place);
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return redact(`a fault of Quorate itself, please report it: ${message}\n${stack}`);
}

interface Place {
  readonly path?: string | undefined;
  readonly port?: number | undefined;
  /** The host of the address is wrong. */
  readonly host?: string | undefined;
}

/** Adds the place and its option, if the text lacks them. */
function named(text: string, options: ParsedOptions | undefined, place: Place): string {
  const { path, port, host } = place;
  const hostFlag = host === undefined ? undefined : options?.hostFlagOf(host, port);
  const flag = hostFlag ?? options?.flagOf({ path, port });
  const unsaid = [
    ...(flag === undefined || text.includes(`--${flag}`) ? [] : [`--${flag}`]),
    ...(path === undefined || text.includes(path) ? [] : [path]),
  ];
  return redact(unsaid.length === 0 ? text : `${text} (${unsaid.join(' ')})`);
}

function placeOf({ path, address, port, syscall }: SystemError): string {
  if (path !== undefined) return path;
  if (address !== undefined) return port === undefined ? address : `${address}:${port}`;
  return syscall;
}
