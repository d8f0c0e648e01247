/**
 * TLS options that belong together, with the errors of EthSigner and Web3Signer (Web3Signer
 * PicoCliTlsServerOptions, PicoCliClientTlsOptions).
 */
import { fail } from '../../../core/base/errors.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export interface KeyStoreFile {
  readonly file: string;
  readonly passwordFile: string;
}

export interface ServerTlsSettings {
  readonly keyStore: KeyStoreFile;
  readonly knownClientsFile: string | undefined;
  readonly allowsAuthorities: boolean;
  /** Authorities that replace the system's. */
  readonly authoritiesFile: string | undefined;
  readonly allowsAnyClient: boolean;
}

export interface UpstreamTlsSettings {
  /** This proxy's own certificate. */
  readonly keyStore: KeyStoreFile | undefined;
  readonly knownServersFile: string | undefined;
  readonly allowsAuthorities: boolean;
  readonly authoritiesFile: string | undefined;
}

/**
 * undefined: no TLS. Throws OPTION_VALUE_INVALID, with the texts of the product whose flags are
 * used.
 */
export function serverTlsSettings(
  options: ParsedOptions,
  isEthSigner: boolean,
): ServerTlsSettings | undefined {
  const file = options.string('tls-keystore-file');
  const passwordFile = options.string('tls-keystore-password-file');
  const knownClientsFile = options.string('tls-known-clients-file');
  const authoritiesFile = options.string('tls-client-ca-file');
  const allowsAuthorities =
    options.boolean('tls-allow-ca-clients') || authoritiesFile !== undefined;
  const allowsAnyClient = options.boolean('tls-allow-any-client');
  if (file === undefined || passwordFile === undefined) {
    if (file === undefined && passwordFile === undefined && !knownClientsFile && !allowsAuthorities)
      return undefined;
    const missing = file === undefined ? 'tls-keystore-file' : 'tls-keystore-password-file';
    throw wrong(
      isEthSigner
        ? `Missing required argument(s): '--${missing}=<FILE>'`
        : '--tls-keystore-file must be specified together with --tls-keystore-password-file',
    );
  }
  if (allowsAnyClient && (knownClientsFile !== undefined || allowsAuthorities))
    throw wrong(
      '--tls-allow-any-client cannot be set to true when --tls-known-clients-file is specified or --tls-allow-ca-clients is set to true',
    );
  if (!allowsAnyClient && knownClientsFile === undefined && !allowsAuthorities)
    throw wrong(
      isEthSigner
        ? 'Missing required argument(s): expecting either --tls-allow-any-client or one of --tls-known-clients-file=<FILE>, --tls-allow-ca-clients'
        : '--tls-known-clients-file must be specified if both --tls-allow-any-client and --tls-allow-ca-clients are set to false',
    );
  return {
    keyStore: { file, passwordFile },
    knownClientsFile,
    allowsAuthorities,
    authoritiesFile,
    allowsAnyClient,
  };
}

/** undefined: plain HTTP. Throws OPTION_VALUE_INVALID. */
export function upstreamTlsSettings(options: ParsedOptions): UpstreamTlsSettings | undefined {
  const prefix = 'downstream-http-tls';
  const file = options.string(`${prefix}-keystore-file`);
  const passwordFile = options.string(`${prefix}-keystore-password-file`);
  const knownServersFile = options.string(`${prefix}-known-servers-file`);
  const authoritiesFile = options.string(`${prefix}-ca-file`);
  const allowsAuthorities = options.boolean(`${prefix}-ca-auth-enabled`);
  if (!options.boolean(`${prefix}-enabled`)) {
    const given = [file, passwordFile, knownServersFile, authoritiesFile];
    if (given.every((one) => one === undefined) && allowsAuthorities) return undefined;
    throw wrong(`Missing required argument(s): '--${prefix}-enabled=true'`);
  }
  if (!allowsAuthorities && knownServersFile === undefined)
    throw wrong(
      `Missing required argument(s): '--${prefix}-known-servers-file' must be specified if '--${prefix}-ca-auth-enabled=false'`,
    );
  if ((file === undefined) !== (passwordFile === undefined)) {
    const missing = file === undefined ? 'keystore-file' : 'keystore-password-file';
    throw wrong(`Missing required argument(s): '--${prefix}-${missing}=<FILE>'`);
  }
  const keyStore =
    file !== undefined && passwordFile !== undefined ? { file, passwordFile } : undefined;
  return { keyStore, knownServersFile, allowsAuthorities, authoritiesFile };
}

function wrong(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
