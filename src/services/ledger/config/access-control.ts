/**
 * Access control of JSON-RPC over HTTP and WebSocket: turns flags or the security plugin's file
 * into the transports' settings.
 */

import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import {
  CACHE_DEFAULT,
  type ClientProof,
  readPluginSettings,
  SCOPE_FIELD_DEFAULT,
  type SecurityConfig,
  type ServerCertificate,
  type TokenRules,
} from '../../../io/auth/security-config.ts';
import { writeSelfSigned } from '../../../io/auth/self-signed.ts';
import { TokenChecker } from '../../../io/auth/token-checker.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { isThere, readText } from '../../../io/host/files.ts';
import { readKeyPair } from '../../../io/host/key-pair.ts';
import { opensslName } from '../../../io/http/cipher-name.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import { type Authenticate, NO_ACCESS_CONTROL } from '../../../io/rpc/access.ts';
import type { ServerTls } from '../../../io/rpc/http.ts';

export interface AccessControl {
  readonly authenticate: Authenticate;
  readonly tls: ServerTls | undefined;
  /** Whether tokens decide which private state and accounts a caller may use. */
  readonly isMultitenant: boolean;
  /**
   * Reloads the configuration of a plugin; later tokens are checked with it. Throws PLUGIN_UNKNOWN.
   * undefined: there are no plugins.
   */
  readonly reload: ((provider: string) => void) | undefined;
  close(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws SECURITY_CONFIG_INVALID. */
export function accessControlOf(
  options: ParsedOptions,
  log: Log,
  environment: Environment,
): AccessControl {
  const isMultitenant = options.boolean('multitenancy');
  const config = configOf(options, environment);
  if (isMultitenant && !config.tokens)
    throw invalid('multitenancy requires RPC Security Plugin to be configured');
  const tls = config.tls && serverTls(config.tls);
  let checker = checkerOf(config, options, log);
  if (!checker) {
    return {
      authenticate: NO_ACCESS_CONTROL,
      tls,
      isMultitenant,
      reload: undefined,
      close: () => {},
    };
  }
  return {
    authenticate: (authorization) => checker!.check(authorization),
    tls,
    isMultitenant,
    reload(provider) {
      if (provider !== 'security')
        throw fail('PLUGIN_UNKNOWN', `no such plugin provider: ${provider}`);
      const fresh = checkerOf(configOf(options, environment), options, log);
      if (!fresh) throw invalid('the new configuration checks no tokens: the old one stays');
      checker!.close();
      checker = fresh;
    },
    close: () => checker!.close(),
  };
}

function checkerOf(
  { tokens }: SecurityConfig,
  options: ParsedOptions,
  log: Log,
): TokenChecker | undefined {
  if (!tokens) return undefined;
  const rules: TokenRules = { ...tokens, audience: tokens.audience ?? options.string('identity') };
  return new TokenChecker({ rules, clock: systemClock, log });
}

function configOf(options: ParsedOptions, environment: Environment): SecurityConfig {
  const plugins = options.string('plugins');
  return plugins === undefined ? fromFlags(options) : fromFile(options, plugins, environment);
}

function fromFile(options: ParsedOptions, uri: string, environment: Environment): SecurityConfig {
  const both = ['rpc.auth.keys', 'rpc.auth.introspect', 'http.tls.cert'].filter(
    (flag) => options.string(flag) !== undefined,
  );
  if (both.length > 0) throw invalid(`give either --plugins or --${both[0]}`);
  return readPluginSettings(uri, environment);
}

function fromFlags(options: ParsedOptions): SecurityConfig {
  const certFile = options.string('http.tls.cert');
  const keyFile = options.string('http.tls.key');
  if ((certFile === undefined) !== (keyFile === undefined))
    throw invalid('--http.tls.cert and --http.tls.key must be used together');
  return {
    tls:
      certFile !== undefined && keyFile !== undefined
        ? { isMade: false, certFile, keyFile, cipherSuites: [] }
        : undefined,
    tokens: tokenRules(options),
  };
}

function tokenRules(options: ParsedOptions): TokenRules | undefined {
  const place = options.string('rpc.auth.keys');
  const endpoint = options.string('rpc.auth.introspect');
  if (place === undefined && endpoint === undefined) return undefined;
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw invalid('--rpc.auth.introspect must be a URL');
  const trust = { isUnchecked: false, certificates: [] };
  return {
    issuers: options.list('rpc.auth.issuer'),
    audience: options.string('rpc.auth.audience'),
    scopeField: SCOPE_FIELD_DEFAULT,
    keys: place === undefined ? undefined : { place, trust },
    introspection:
      endpoint === undefined ? undefined : { endpoint, proof: proofOf(options), trust },
    prefersIntrospection: false,
    cache: CACHE_DEFAULT,
  };
}

function proofOf(options: ParsedOptions): ClientProof {
  const id = options.string('rpc.auth.client-id');
  const file = options.string('rpc.auth.client-secret-file');
  if (id === undefined && file === undefined) return { kind: 'none' };
  if (id === undefined || file === undefined)
    throw invalid('--rpc.auth.client-id and --rpc.auth.client-secret-file must be used together');
  return { kind: 'basic', id, secret: readText(file).trim() };
}

function serverTls({ isMade, certFile, keyFile, cipherSuites }: ServerCertificate): ServerTls {
  const missing = [certFile, keyFile].filter((path) => !isThere(path));
  if (isMade && missing.length === 2) writeSelfSigned({ certFile, keyFile }, systemClock.nowMs());
  else if (missing.length > 0) throw missingFile(missing[0]!);
  return {
    ...readKeyPair({ certFile, keyFile }),
    ciphers: cipherSuites.length === 0 ? undefined : cipherSuites.map(opensslName).join(':'),
  };
}

function missingFile(path: string) {
  const text = `TLS of JSON-RPC: ${path} does not exist`;
  return fail('SECURITY_CONFIG_INVALID', text, { data: { path } });
}

function invalid(message: string) {
  return fail('SECURITY_CONFIG_INVALID', message);
}
