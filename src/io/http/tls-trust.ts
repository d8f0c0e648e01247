/**
 * Which certificates a TLS connection trusts, in Tessera's five modes: certificate authorities,
 * first use, a list of known certificates, or every certificate (Tessera SslConfig, SslTrustMode).
 * Files of known certificates contain one `<common name> <fingerprint>` per line.
 */
import { createHash, type X509Certificate } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { fail } from '../../core/base/errors.ts';
import { makeFolder } from '../host/make-folder.ts';

export const TRUST_MODES = ['CA', 'TOFU', 'WHITELIST', 'CA_OR_TOFU', 'NONE'] as const;
export type TrustMode = (typeof TRUST_MODES)[number];

const HANDSHAKE_MS = 10_000;
/** Error code of a connection to an untrusted server. */
const UNTRUSTED_CODE = 'ERR_TLS_CERT_UNTRUSTED';
/** Maximum number of certificates in one known file. */
const KNOWN_MAX = 10_000;
const SHA1_HEX_CHARACTERS = 40;

/**
 * undefined: trusted; otherwise the reason why not. `authorityError` is the result of the check
 * against authorities.
 */
export type PeerCheck = (
  certificate: X509Certificate | undefined,
  authorityError: string | undefined,
) => string | undefined;

/**
 * `knownFile` is needed by the modes that remember certificates; it is read now, and appended to
 * later. Throws TLS_CONFIG_INVALID.
 */
export function peerCheck(mode: TrustMode, knownFile: string): PeerCheck {
  switch (mode) {
    case 'NONE':
      return () => undefined;
    case 'CA':
      return (_certificate, authorityError) => authorityError;
    case 'WHITELIST': {
      const known = new KnownCertificates(knownFile);
      return (certificate) =>
        certificate && known.has(certificate)
          ? undefined
          : 'Connections not allowed: the certificate is not in the known file';
    }
    case 'TOFU': {
      const known = new KnownCertificates(knownFile);
      return (certificate) => firstUse(known, certificate);
    }
    case 'CA_OR_TOFU': {
      const known = new KnownCertificates(knownFile);
      return (certificate, authorityError) =>
        authorityError === undefined ? undefined : firstUse(known, certificate);
    }
  }
}

function firstUse(known: KnownCertificates, certificate: X509Certificate | undefined) {
  if (!certificate) return 'the other side presents no certificate';
  if (known.has(certificate)) return undefined;
  if (known.knowsName(certificate)) {
    return 'This address has been associated with a different certificate';
  }
  return known.add(certificate) ? undefined : `the known file holds ${KNOWN_MAX} certificates`;
}

/**
 * COMPAT: certificates are remembered under the common name of their subject, not under the
 * address.
 */
class KnownCertificates {
  private readonly file: string;
  private readonly fingerprints = new Map<string, string>();

  constructor(file: string) {
    this.file = file;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
      if (line.trim() === '') continue;
      const split = line.lastIndexOf(' ');
      if (split < 1) throw fail('TLS_CONFIG_INVALID', `${file} must hold "<name> <fingerprint>"`);
      const fingerprint = line
        .slice(split + 1)
        .replaceAll(':', '')
        .toLowerCase();
      this.fingerprints.set(line.slice(0, split), fingerprint);
    }
  }

  knowsName(certificate: X509Certificate): boolean {
    return this.fingerprints.has(commonName(certificate));
  }

  /** Tessera's files contain SHA-1 fingerprints; ours are SHA-256. */
  has(certificate: X509Certificate): boolean {
    const known = this.fingerprints.get(commonName(certificate));
    if (known === undefined) return false;
    const algorithm = known.length === SHA1_HEX_CHARACTERS ? 'sha1' : 'sha256';
    return fingerprint(certificate, algorithm) === known;
  }

  add(certificate: X509Certificate): boolean {
    if (this.fingerprints.size >= KNOWN_MAX) return false;
    const name = commonName(certificate);
    const print = fingerprint(certificate, 'sha256');
    makeFolder(dirname(this.file));
    appendFileSync(this.file, `${name} ${print}\n`);
    this.fingerprints.set(name, print);
    return true;
  }
}

function commonName(certificate: X509Certificate): string {
  const match = /^CN=(.*)$/m.exec(certificate.subject ?? '');
  return match?.[1]?.trim() || certificate.subject.replaceAll('\n', ',') || '-';
}

function fingerprint(certificate: X509Certificate, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(certificate.raw).digest('hex');
}

export interface ClientTrust {
  readonly mode: TrustMode;
  readonly check: PeerCheck;
  /** Our own key and certificate, and the authorities that we trust, in PEM. */
  readonly key?: string | undefined;
  readonly cert?: string | undefined;
  readonly ca?: readonly string[] | undefined;
  /** Opens the connection that TLS uses; by default a plain one to the server. */
  readonly dial?: ((server: { host: string; port: number }) => Promise<Duplex>) | undefined;
}

/**
 * An agent whose connections are used only after the server's certificate was checked: before that,
 * nothing is sent.
 */
export class TrustingAgent extends https.Agent {
  private readonly trust: ClientTrust;

  constructor(trust: ClientTrust, pool: https.AgentOptions) {
    super({ ...pool, maxCachedSessions: 0 });
    this.trust = trust;
  }

  createConnection(
    options: tls.ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    const { dial } = this.trust;
    if (!dial) return this.handshake(options, callback);
    const { host = 'localhost', port = 443 } = options;
    dial({ host, port: Number(port) }).then(
      (socket) => this.handshake({ ...options, socket }, callback),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }

  private handshake(
    options: tls.ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { key, cert, ca, check } = this.trust;
    const socket = tls.connect({
      ...options,
      ...(key ? { key } : {}),
      ...(cert ? { cert } : {}),
      ...(ca ? { ca: [...ca] } : {}),
      rejectUnauthorized: false,
    });
    const ended = (error: Error) => callback?.(error, socket);
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error('TLS handshake timeout')));
    socket.once('error', ended);
    socket.once('secureConnect', () => {
      socket.off('error', ended);
      socket.setTimeout(0);
      const refused = check(socket.getPeerX509Certificate(), authorityError(socket));
      if (refused === undefined) return callback?.(null, socket);
      socket.on('error', () => undefined);
      socket.destroy();
      const error = new Error(`the server's certificate is not trusted: ${refused}`);
      callback?.(Object.assign(error, { code: UNTRUSTED_CODE }), socket);
    });
    return undefined;
  }
}

/** How a server checks clients; `auth` false: no certificate is requested. */
export interface ServerTrust {
  readonly key: string;
  readonly cert: string;
  readonly ca?: readonly string[] | undefined;
  readonly auth: boolean;
  readonly check: PeerCheck;
  /** Whether `check` admits only certificates that the operator listed. */
  readonly isListed?: boolean;
}

export function serverOptions({ key, cert, ca, auth }: ServerTrust): https.ServerOptions {
  return {
    key,
    cert,
    ...(ca ? { ca: [...ca] } : {}),
    requestCert: auth,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  };
}

/** Disconnects untrusted clients before their first request is read. */
export function guardServer(server: https.Server, { auth, check }: ServerTrust): void {
  if (!auth) return;
  server.prependListener('secureConnection', (socket) => {
    const certificate = socket.getPeerX509Certificate();
    const refused =
      certificate === undefined
        ? 'the client presents no certificate'
        : check(certificate, authorityError(socket));
    if (refused !== undefined) socket.destroy();
  });
}

/**
 * Whether an authority or the operator's list confirms a client whose certificate names this host.
 * A certificate that was only remembered at first use may contain any name.
 */
export function isOfHost(
  socket: tls.TLSSocket,
  host: string,
  { auth, isListed = false }: ServerTrust,
): boolean {
  const certificate = auth ? socket.getPeerX509Certificate() : undefined;
  if (!certificate || !(socket.authorized || isListed)) return false;
  const name = host.replace(/^\[|\]$/g, '');
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function authorityError(socket: tls.TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  return String(socket.authorizationError ?? 'no authority vouches for the certificate');
}
