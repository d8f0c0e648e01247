/**
 * Why something outside failed, in words for people: what the operating system, Node, OpenSSL and readers of files say is
 * for programmers, differs between their versions, and may quote what it read.
 */
import { TomlError } from 'smol-toml';
import { QuorateError } from '../../core/base/errors.ts';

/** By error code of the operating system (errno(3)) or of Node. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not: change its owner or its rights',
  EPERM: 'this user may not: change its owner or its rights',
  EEXIST: 'something of that name is there already',
  ENOTEMPTY: 'the folder is not empty',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of this user is used up',
  EIO: 'the disk reports an input/output error: check it',
  EFBIG: 'the file is too large',
  ERR_FS_FILE_TOO_LARGE: 'the file is too large',
  EMFILE: 'this process has too many files open: raise its limit (ulimit -n)',
  ENFILE: 'this machine has too many files open',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'symbolic links lead in a circle',
  EXDEV: 'it would have to move to another disk',
  EBUSY: 'something else is using it',
  ETXTBSY: 'something else is using it',
  ENXIO: 'nothing is at its other end',
  ENOMEM: 'no memory is left',
  ERR_INVALID_ARG_VALUE: 'no path can look like that',
  EADDRINUSE: 'another process has it: stop that one, or choose another',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side ended the connection',
  ECONNABORTED: 'the connection was ended',
  EPIPE: 'the other side ended the connection',
  ERR_STREAM_PREMATURE_CLOSE: 'the other side ended the connection',
  ETIMEDOUT: 'there was no answer in time',
  ESOCKETTIMEDOUT: 'there was no answer in time',
  EHOSTUNREACH: 'no way leads to that host',
  EHOSTDOWN: 'that host is down',
  ENETUNREACH: 'no way leads to that network',
  ENETDOWN: 'the network is down',
  ENOTFOUND: 'no host has that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EAI_FAIL: 'the name of the host cannot be looked up',
  ERR_SOCKET_BAD_PORT: 'a port is between 0 and 65535',
  ERR_INVALID_URL: 'it is not a URL',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is no text (UTF-8)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed, and not among those trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority of its certificate is not among those trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of its certificate is not among those trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of its certificate is not among those trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_INVALID_CHAR: 'it has a character that no HTTP header can hold',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS: use http:// there',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'key and certificate do not belong together',
  ERR_OSSL_BAD_DECRYPT: 'the password does not open it',
  ERR_OSSL_BAD_PASSWORD_READ: 'it is locked: give the key without a password',
};

/** What a code that is in no list is said to be. */
const OPENSSL = /^ERR_(OSSL|SSL|TLS|CRYPTO)_/;
const ERRNO = /^E[A-Z0-9]+$/;

/** One line, without the error's code. Of an error of ours: its text. */
export function reasonOf(error: unknown): string {
  if (error instanceof QuorateError) return error.message;
  const { code } = error as { code?: unknown };
  const known = typeof code === 'string' ? (REASONS[code] ?? reasonByKind(code)) : undefined;
  if (known !== undefined) return known;
  if (error instanceof SyntaxError) return 'it is not JSON';
  if (error instanceof TomlError) return tomlReason(error);
  const { message } = error instanceof Error ? error : { message: String(error) };
  return message.split('\n')[0]!.trim();
}

/** Its first line; the others show the file. */
function tomlReason({ message, line, column }: TomlError): string {
  const what = message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
  return `no valid TOML: line ${line}, column ${column}: ${what}`;
}

function reasonByKind(code: string): string | undefined {
  if (OPENSSL.test(code)) {
    const what = code.replace(OPENSSL, '').replaceAll('_', ' ').toLowerCase();
    return what;
  }
  return ERRNO.test(code) ? 'the operating system refuses it' : undefined;
}

/** Of the operating system: what was done to which path, or at which address. */
export interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly dest?: string;
  readonly address?: string;
  readonly port?: number;
}

export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Partial<SystemError>;
  return typeof code === 'string' && typeof syscall === 'string';
}
