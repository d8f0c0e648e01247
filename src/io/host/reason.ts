/**
 * Why something outside failed, in words for people. The texts of the operating system, Node,
 * OpenSSL and parsers are for programmers, differ between versions, and may quote file contents.
 */
import { TomlError } from 'smol-toml';
import { QuorateError } from '../../core/base/errors.ts';

/** Reasons by error code of the operating system (errno(3)) or of Node. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'permission denied: change its owner or its permissions',
  EPERM: 'permission denied: change its owner or its permissions',
  EEXIST: 'something with that name already exists',
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
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  ENXIO: 'nothing reads from its other end',
  ENOMEM: 'no memory left',
  ERR_INVALID_ARG_VALUE: 'this is not a valid path',
  EADDRINUSE: 'another process uses it: stop that one, or choose another',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'nothing is listening there',
  ECONNRESET: 'the other side ended the connection',
  ECONNABORTED: 'the connection was ended',
  EPIPE: 'the other side ended the connection',
  ERR_STREAM_PREMATURE_CLOSE: 'the other side ended the connection',
  ETIMEDOUT: 'there was no answer in time',
  ESOCKETTIMEDOUT: 'there was no answer in time',
  EHOSTUNREACH: 'there is no route to that host',
  EHOSTDOWN: 'that host is down',
  ENETUNREACH: 'there is no route to that network',
  ENETDOWN: 'the network is down',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EAI_FAIL: 'the host name cannot be resolved',
  ERR_SOCKET_BAD_PORT: 'a port is between 0 and 65535',
  ERR_INVALID_URL: 'it is not a URL',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority of its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_INVALID_CHAR: 'it contains a character that is not allowed in an HTTP header',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS: use http://',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'key and certificate do not belong together',
  ERR_OSSL_BAD_DECRYPT: 'the password does not open it',
  ERR_OSSL_BAD_PASSWORD_READ: 'it is locked: give the key without a password',
};

/** For error codes that are not in a list. */
const OPENSSL = /^ERR_(OSSL|SSL|TLS|CRYPTO)_/;
const ERRNO = /^E[A-Z0-9]+$/;

/** The reason on one line, without the error's code. For our own errors: their text. */
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

/** Uses only the first line of the message; the others quote the file. */
function tomlReason({ message, line, column }: TomlError): string {
  const what = message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
  return `no valid TOML: line ${line}, column ${column}: ${what}`;
}

function reasonByKind(code: string): string | undefined {
  if (OPENSSL.test(code)) {
    const what = code.replace(OPENSSL, '').replaceAll('_', ' ').toLowerCase();
    return what;
  }
  return ERRNO.test(code) ? 'the operating system refused it' : undefined;
}

/** An error that has the operation of the system call, and its path or address. */
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
