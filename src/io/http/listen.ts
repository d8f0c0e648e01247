/** Listens on an address: errors say why it failed and what to do. */
import { chmod, rm, stat } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { makeFolder } from '../host/make-folder.ts';
import { reasonOf } from '../host/reason.ts';

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Access for the owner alone. */
const SOCKET_MODE = 0o600;
/**
 * Maximum length of `sun_path` without its terminator (unix(7)); Node silently truncates longer
 * paths.
 */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;
const PRIVILEGED_PORT_MAX = 1023;

/** Rejects with `code`: see listenFault(). */
export async function listen(server: Server, at: ListenAddress, code: string): Promise<void> {
  if (at.kind === 'unix') await clearSocketPath(at.path, code);
  await new Promise<void>((resolve, reject) => {
    const failed = (cause: Error) => reject(listenFault(at, cause, code));
    server.once('error', failed);
    const done = () => {
      server.off('error', failed);
      resolve();
    };
    if (at.kind === 'unix') server.listen(at.path, done);
    else server.listen(at.port, at.host, done);
  });
  if (at.kind === 'unix') await chmod(at.path, SOCKET_MODE);
}

const NO_SUCH_HOST: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

/**
 * `data` of the error contains the path, or the port and, if it is at fault, the host, so that the
 * caller can name the option.
 */
export function listenFault(at: ListenAddress, cause: unknown, code: string): QuorateError {
  const where = at.kind === 'unix' ? at.path : `${at.host}:${at.port}`;
  const data =
    at.kind === 'unix' ? { path: at.path } : { port: at.port, ...hostAtFault(at, cause) };
  return fail(code, `cannot listen on ${where}: ${whyNot(at, cause)}`, { cause, data });
}

function hostAtFault({ host }: { readonly host: string }, cause: unknown): { host?: string } {
  return NO_SUCH_HOST.includes((cause as { code?: unknown }).code) ? { host } : {};
}

function whyNot(at: ListenAddress, cause: unknown): string {
  const { code } = cause as { code?: string };
  if (at.kind === 'unix') return reasonOf(cause);
  if (code === 'EADDRINUSE') {
    return 'another process uses this port: stop that one, or choose another port';
  }
  if (code === 'EACCES' && at.port <= PRIVILEGED_PORT_MAX) {
    return `this user may not use ports up to ${PRIVILEGED_PORT_MAX}: choose a higher one`;
  }
  if (NO_SUCH_HOST.includes(code)) {
    return `this machine has no address ${at.host}: 127.0.0.1 listens for this machine only, 0.0.0.0 on all its addresses`;
  }
  return reasonOf(cause);
}

/**
 * Creates the folder, and removes the socket of a process that has ended. Any other file, or a
 * socket that answers, stays.
 */
export async function clearSocketPath(path: string, code: string): Promise<void> {
  const refuse = (why: string) =>
    fail(code, `cannot listen on ${path}: ${why}`, { data: { path } });
  const bytes = Buffer.byteLength(path);
  if (bytes > SOCKET_PATH_BYTES_MAX) {
    throw refuse(
      `the path of a unix socket has at most ${SOCKET_PATH_BYTES_MAX} bytes, this one has ${bytes}: choose a shorter one`,
    );
  }
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw listenFault({ kind: 'unix', path }, cause, code);
  }
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket())
    throw refuse('a file with this name exists and is not a socket: choose another');
  if (await answers(path)) {
    throw refuse('another process listens on this socket: stop that one, or choose another path');
  }
  await rm(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
