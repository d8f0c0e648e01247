/** The configuration of `quorate ramp` from its options, checked together. */
import { resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { StoreSource } from '../../io/database/open.ts';
import { readText } from '../../io/host/files.ts';
import { isAddressBlock } from '../../io/http/dial-lookup.ts';
import { type MetricsAddress, metricsAddress } from '../../io/options/metrics-address.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { type StripeSettings, stripeAccount, stripeSettings } from './config/stripe.ts';
import { DEPLOY } from './settlement/collector.ts';
import { readWebhookSecrets } from './webhooks/signature.ts';

const TOKEN_CHARACTERS_MIN = 32;

export interface RampSettings extends StoreSource {
  readonly offerFile: string;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. Undefined: the URL at which the service listens. */
  readonly publicUrl: string | undefined;
  readonly verifyPaths: readonly string[];
  readonly auth: AuthSettings | undefined;
  /** Undefined: no operator API. */
  readonly operatorToken: string | undefined;
  /** Undefined: payment events are not accepted over HTTP. */
  readonly paymentsSecretFile: string | undefined;
  /** Undefined: no payments by Stripe. */
  readonly stripe: StripeSettings | undefined;
  readonly metrics: MetricsAddress | undefined;
  /** Requests per second of one address; 0: unlimited. */
  readonly rate: number;
  readonly trustedProxies: readonly string[];
  readonly ledgerUrl: string;
  /** Lower case. Undefined: nothing is paid out. */
  readonly from: string | undefined;
  /** The ledger's WebSocket, for new blocks. */
  readonly webSocketUrl: string;
  /**
   * The contract that collects the crypto of sells: an address in lower case, or DEPLOY. Undefined:
   * there are no sells.
   */
  readonly collector: string | undefined;
}

export interface AuthSettings {
  readonly issuer: string;
  readonly keys: string;
  /** Undefined: the URL at which the service listens. */
  readonly audience: string | undefined;
}

/** Throws OPTION_VALUE_INVALID, FILE_UNREADABLE. */
export function rampSettings(options: ParsedOptions): RampSettings {
  const trustedProxies = options.list('trusted-proxies');
  const wrong = trustedProxies.find((each) => !isAddressBlock(each));
  if (wrong !== undefined) {
    throw invalid(`--trusted-proxies ${wrong}: an address, or a block such as 10.0.0.0/8`);
  }
  const rate = options.number('rate')!;
  if (rate < 0) throw invalid('--rate must be 0 or more');
  const verifyPaths = options.list('verify-paths');
  if (verifyPaths.some((path) => !/^\/[\w./~-]*$/.test(path))) {
    throw invalid('--verify-paths are paths such as /verify-user');
  }
  const ledgerUrl = urlOf(options, 'ledger.url')!;
  const from = addressOf(options, 'ledger.from');
  return {
    dataFolder: resolve(options.string('datadir')!),
    storeUrl: options.string('store'),
    offerFile: resolve(options.string('offer')!),
    host: options.string('http.addr')!,
    port: options.number('http.port')!,
    publicUrl: urlOf(options, 'public-url')?.replace(/\/$/, ''),
    verifyPaths,
    auth: authOf(options),
    operatorToken: operatorTokenOf(options),
    paymentsSecretFile: paymentsSecretOf(options),
    stripe: stripeSettings(options),
    metrics: metricsAddress(options),
    rate,
    trustedProxies,
    ...{ ledgerUrl, from },
    webSocketUrl: webSocketOf(options, ledgerUrl),
    collector: collectorOf(options, from),
  };
}

/** Settings of the reconcile command. Throws OPTION_VALUE_INVALID, FILE_UNREADABLE. */
export function reconcileSettings(options: ParsedOptions) {
  return {
    dataFolder: resolve(options.string('datadir')!),
    storeUrl: options.string('store'),
    ledgerUrl: urlOf(options, 'ledger.url')!,
    from: addressOf(options, 'ledger.from'),
    stripe: stripeAccount(options),
    paymentsSecretFile: undefined,
  };
}

function authOf(options: ParsedOptions): AuthSettings | undefined {
  const issuer = options.string('auth.issuer');
  if (issuer === undefined) return undefined;
  const keys = options.string('auth.keys');
  if (keys === undefined && !URL.canParse(issuer)) {
    throw invalid('--auth.issuer must be a URL, or --auth.keys be given');
  }
  return {
    issuer,
    keys: keys ?? new URL('/.well-known/jwks.json', issuer).href,
    audience: options.string('auth.audience'),
  };
}

function operatorTokenOf(options: ParsedOptions): string | undefined {
  const file = options.string('operator.token-file');
  if (file === undefined) return undefined;
  const token = readText(file).trim();
  if (token.length >= TOKEN_CHARACTERS_MIN) return token;
  throw invalid(`--operator.token-file must hold ${TOKEN_CHARACTERS_MIN} characters at least`);
}

/** Reads the file at once, so that an invalid one is reported at startup. */
function paymentsSecretOf(options: ParsedOptions): string | undefined {
  const file = options.string('payments.secret-file');
  if (file !== undefined) readWebhookSecrets(file);
  return file;
}

function urlOf(options: ParsedOptions, flag: string): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw invalid(`--${flag} must be a URL`);
  return text;
}

function addressOf(options: ParsedOptions, flag: string): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw invalid(`--${flag} must be 0x and 40 hex digits`);
  return text.toLowerCase();
}

/**
 * Default: as --ledger.url, because a signing proxy and a Quorate node serve both at one address.
 */
function webSocketOf(options: ParsedOptions, ledgerUrl: string): string {
  const text = options.string('ledger.ws') ?? ledgerUrl.replace(/^http/, 'ws');
  if (URL.canParse(text) && /^wss?:/.test(text)) return text;
  throw invalid('--ledger.ws must be a ws:// or wss:// URL');
}

function collectorOf(options: ParsedOptions, from: string | undefined): string | undefined {
  const text = options.string('sell.collector');
  if (text === undefined) return undefined;
  if (from === undefined) throw invalid('--sell.collector needs --ledger.from, which it pays to');
  return text === DEPLOY ? text : addressOf(options, 'sell.collector');
}

function invalid(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
