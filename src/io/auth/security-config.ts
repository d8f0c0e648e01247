/**
 * Configuration of the access control over JSON-RPC: the `--plugins` file and the security plugin's
 * own configuration as GoQuorum's users have them (GoQuorum plugin/security), or our own flags.
 */

import {
  type Environment,
  type Fields,
  invalidSettings as invalid,
  object,
  readPluginConfig,
} from './plugin-settings.ts';

/** TLS settings for an authorization server. Paths of PEM files. */
export interface ServerTrust {
  readonly isUnchecked: boolean;
  readonly certificates: readonly string[];
}

export type ClientProof =
  | { readonly kind: 'basic' | 'form'; readonly id: string; readonly secret: string }
  | { readonly kind: 'certificate'; readonly certFile: string; readonly keyFile: string }
  | { readonly kind: 'none' };

export interface KeySource {
  /** URL or path of a JSON web key set. */
  readonly place: string;
  readonly trust: ServerTrust;
}

export interface IntrospectionServer {
  readonly endpoint: string;
  readonly proof: ClientProof;
  readonly trust: ServerTrust;
}

export interface TokenRules {
  /** Issuers whose tokens are accepted; empty: any whose signature or introspection is valid. */
  readonly issuers: readonly string[];
  /** Required value in a token's `aud`; undefined: any. */
  readonly audience: string | undefined;
  readonly scopeField: string;
  readonly keys: KeySource | undefined;
  readonly introspection: IntrospectionServer | undefined;
  /** Whether the introspection's scopes apply to tokens that have their own. */
  readonly prefersIntrospection: boolean;
  readonly cache: { readonly entriesMax: number; readonly seconds: number };
  /** `typ` that a web token's header must name (RFC 9068 §4); undefined: any. */
  readonly type?: string | undefined;
  /** Tolerated difference between issuers' clocks and ours; undefined: none. */
  readonly toleranceSeconds?: number | undefined;
}

export interface ServerCertificate {
  /** Whether to create a certificate and key if the files do not exist. */
  readonly isMade: boolean;
  readonly certFile: string;
  readonly keyFile: string;
  /** Suite names as in RFC 5246 or TLS 1.3. */
  readonly cipherSuites: readonly string[];
}

export interface SecurityConfig {
  readonly tls: ServerCertificate | undefined;
  readonly tokens: TokenRules | undefined;
}

const CACHE_ENTRIES_DEFAULT = 80;
const CACHE_SECONDS_DEFAULT = 3_600;
export const CACHE_DEFAULT: TokenRules['cache'] = {
  entriesMax: CACHE_ENTRIES_DEFAULT,
  seconds: CACHE_SECONDS_DEFAULT,
};
export const SCOPE_FIELD_DEFAULT = 'scope';

/** Defaults of GoQuorum's plugin: no suite with RSA key exchange. */
const CIPHER_SUITES_DEFAULT = [
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
];

/**
 * Settings of the security provider that a `--plugins` URI names. Throws SECURITY_CONFIG_INVALID.
 */
export function readPluginSettings(uri: string, environment: Environment): SecurityConfig {
  const content = readPluginConfig(uri, 'security', environment);
  if (content === undefined) return { tls: undefined, tokens: undefined };
  return parseSecurityConfig(content, environment);
}

/** Parses the settings of GoQuorum's enterprise plugin. Throws SECURITY_CONFIG_INVALID. */
export function parseSecurityConfig(content: Fields, environment: Environment): SecurityConfig {
  const read = new Reader(environment);
  const tls = content.tls === undefined ? undefined : read.certificate(object(content.tls, 'tls'));
  const tokens =
    content.tokenValidation === undefined
      ? undefined
      : read.tokenRules(object(content.tokenValidation, 'tokenValidation'));
  if (!tls && !tokens) throw invalid('one of "tls" and "tokenValidation" must be configured');
  return { tls, tokens };
}

class Reader {
  private readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  certificate(given: Fields): ServerCertificate {
    const advanced = object(given.advanced ?? {}, 'tls.advanced');
    return {
      isMade: given.auto === true,
      certFile: this.text(given.certFile, 'tls.certFile') ?? 'cert.pem',
      keyFile: this.text(given.keyFile, 'tls.keyFile') ?? 'key.pem',
      cipherSuites:
        advanced.cipherSuites === undefined
          ? CIPHER_SUITES_DEFAULT
          : texts(advanced.cipherSuites, 'tls.advanced.cipherSuites'),
    };
  }

  tokenRules(given: Fields): TokenRules {
    const cache = object(given.cache ?? {}, 'tokenValidation.cache');
    const jwt = object(given.jwt ?? {}, 'tokenValidation.jwt');
    const rules: TokenRules = {
      issuers: given.issuers === undefined ? [] : texts(given.issuers, 'tokenValidation.issuers'),
      audience: this.text(given.aud, 'tokenValidation.aud') || undefined,
      scopeField:
        this.text(jwt.authorizationField, 'tokenValidation.jwt.authorizationField') ??
        SCOPE_FIELD_DEFAULT,
      keys: given.jws === undefined ? undefined : this.keys(given.jws),
      introspection:
        given.introspect === undefined ? undefined : this.introspection(given.introspect),
      prefersIntrospection: jwt.preferIntrospection === true,
      cache: {
        entriesMax: count(cache.limit, CACHE_ENTRIES_DEFAULT, 'limit'),
        seconds: count(cache.expirationInSeconds, CACHE_SECONDS_DEFAULT, 'expirationInSeconds'),
      },
    };
    if (!rules.keys && !rules.introspection)
      throw invalid('tokenValidation needs "jws" or "introspect": nothing could be checked');
    return rules;
  }

  private keys(given: unknown): KeySource {
    const { endpoint, tlsConnection } = object(given, 'tokenValidation.jws');
    const place = this.text(endpoint, 'tokenValidation.jws.endpoint');
    if (!place) throw invalid('tokenValidation.jws.endpoint is missing');
    return { place, trust: this.trust(tlsConnection) };
  }

  private introspection(given: unknown): IntrospectionServer {
    const fields = object(given, 'tokenValidation.introspect');
    const endpoint = this.text(fields.endpoint, 'tokenValidation.introspect.endpoint');
    if (!endpoint || !URL.canParse(endpoint))
      throw invalid('tokenValidation.introspect.endpoint must be a URL');
    const trust = this.trust(fields.tlsConnection);
    return { endpoint, proof: this.proof(fields.authentication), trust };
  }

  private proof(given: unknown): ClientProof {
    const name = 'tokenValidation.introspect.authentication';
    const { method, credentials = {} } = object(given ?? {}, name);
    const held = object(credentials, `${name}.credentials`);
    const need = (key: string): string => {
      const value = this.text(held[key], `${name}.credentials.${key}`);
      if (!value) throw invalid(`${name}.credentials.${key} is missing`);
      return value;
    };
    switch (method) {
      case 'client_secret_basic':
        return { kind: 'basic', id: need('clientId'), secret: need('clientSecret') };
      case 'client_secret_form':
        return { kind: 'form', id: need('clientId'), secret: need('clientSecret') };
      case 'private_key':
        return { kind: 'certificate', certFile: need('certFile'), keyFile: need('keyFile') };
      default:
        throw invalid(
          `${name}.method must be client_secret_basic, client_secret_form or private_key`,
        );
    }
  }

  private trust(given: unknown): ServerTrust {
    const name = 'tlsConnection';
    const fields = object(given ?? {}, name);
    const files = [fields.certFile, fields.caFile].map((each) => this.text(each, name));
    return {
      isUnchecked: fields.insecureSkipVerify === true,
      certificates: files.filter((each) => each !== undefined && each !== '') as string[],
    };
  }

  /** Replaces `env://NAME` with the value of that variable. */
  private text(value: unknown, name: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw invalid(`${name} must be a string`);
    const variable = /^env:\/\/([^/?#]+)/.exec(value)?.[1];
    return variable === undefined ? value : (this.environment[variable] ?? '');
  }
}

function texts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw invalid(`${name} must be an array of strings`);
  return value;
}

function count(value: unknown, missing: number, name: string): number {
  if (value === undefined) return missing;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw invalid(`tokenValidation.cache.${name} must be a number`);
  return value;
}
