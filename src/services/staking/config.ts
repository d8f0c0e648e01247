/** The configuration of `quorate staking` from its options, which are checked together. */
import { resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { type MetricsAddress, metricsAddress } from '../../io/options/metrics-address.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import type { StakingStoreSource } from './store/open.ts';
import { ATTEMPT_RULES, type AttemptRules } from './token/attempts.ts';
import { ERROR_STYLES, type ErrorStyle } from './token/oauth-error.ts';
import { ALGORITHMS, type Algorithm } from './token/signing-keys.ts';

const DAY_SECONDS = 24 * 60 * 60;

export interface KeyConfig {
  readonly algorithm: Algorithm;
  readonly tokenSeconds: number;
  readonly toleranceSeconds: number;
}

export interface StakingConfig extends StakingStoreSource, KeyConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Undefined: the bound address. */
  readonly issuer: string | undefined;
  readonly style: ErrorStyle;
  readonly rotateMs: number;
  readonly attempts: AttemptRules;
  readonly bootstrap: { readonly clientId: string; readonly secretFile: string } | undefined;
  readonly api: ApiConfig | undefined;
  readonly metrics: MetricsAddress | undefined;
}

export interface ApiConfig {
  /** Undefined: the bound address. */
  readonly audience: string | undefined;
  readonly ledgerUrl: string;
  /** Account that pays the deposits. Undefined: only reading is possible, no staking. */
  readonly from: string | undefined;
  readonly contract: string | undefined;
  readonly forkVersion: string;
}

export function storeSource(options: ParsedOptions): StakingStoreSource {
  const secretFile = options.string('secret-file');
  return {
    dataFolder: resolve(options.string('datadir')!),
    storeUrl: options.string('store'),
    secretFile: secretFile === undefined ? undefined : resolve(secretFile),
  };
}

/** Throws OPTION_VALUE_INVALID. */
export function stakingConfig(options: ParsedOptions): StakingConfig {
  const rate = atLeast(options, 'auth.rate', 1);
  return {
    ...storeSource(options),
    host: options.string('http.addr')!,
    port: options.number('http.port')!,
    tls: tlsFiles(options),
    bootstrap: bootstrapOf(options),
    issuer: urlOf(options, 'auth.issuer'),
    style: oneOf(options, 'auth.error-style', ERROR_STYLES),
    ...keyConfig(options),
    rotateMs: atLeast(options, 'auth.rotate-days', 0) * DAY_SECONDS * 1000,
    attempts: {
      ...ATTEMPT_RULES,
      rate,
      burst: 2 * rate,
      failuresMax: atLeast(options, 'auth.failures', 1),
      addressFailuresMax: atLeast(options, 'auth.address-failures', 0),
    },
    api: options.boolean('api') ? apiConfig(options) : undefined,
    metrics: metricsAddress(options),
  };
}

/** Throws OPTION_VALUE_INVALID. */
export function keyConfig(options: ParsedOptions): KeyConfig {
  return {
    algorithm: oneOf(options, 'auth.algorithm', ALGORITHMS),
    tokenSeconds: atLeast(options, 'auth.token-seconds', 1),
    toleranceSeconds: atLeast(options, 'auth.tolerance', 0),
  };
}

function apiConfig(options: ParsedOptions): ApiConfig {
  return {
    audience: options.string('api.audience'),
    ledgerUrl: urlOf(options, 'ledger.url')!,
    from: hexOf(options, 'deposit.from', 20),
    contract: hexOf(options, 'deposit.contract', 20),
    forkVersion: hexOf(options, 'deposit.fork-version', 4)!,
  };
}

function tlsFiles(options: ParsedOptions): StakingConfig['tls'] {
  const certFile = options.string('tls.cert');
  const keyFile = options.string('tls.key');
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw invalid('--tls.cert and --tls.key must be used together');
  }
  return { certFile, keyFile };
}

function bootstrapOf(options: ParsedOptions): StakingConfig['bootstrap'] {
  const clientId = options.string('bootstrap.client');
  const secretFile = options.string('bootstrap.secret-file');
  if (clientId === undefined && secretFile === undefined) return undefined;
  if (clientId === undefined || secretFile === undefined) {
    throw invalid('--bootstrap.client and --bootstrap.secret-file must be used together');
  }
  return { clientId, secretFile };
}

function oneOf<T extends string>(options: ParsedOptions, flag: string, values: readonly T[]): T {
  const found = values.find((value) => value === options.string(flag));
  if (found === undefined) throw invalid(`--${flag} must be one of ${values.join(', ')}`);
  return found;
}

function atLeast(options: ParsedOptions, flag: string, min: number): number {
  const value = options.number(flag)!;
  if (value < min) throw invalid(`--${flag} must be ${min} or more`);
  return value;
}

function urlOf(options: ParsedOptions, flag: string): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw invalid(`--${flag} must be a URL`);
  return text;
}

function hexOf(options: ParsedOptions, flag: string, bytes: number): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(text)) {
    throw invalid(`--${flag} must be 0x and ${2 * bytes} hex digits`);
  }
  return text.toLowerCase();
}

function invalid(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
