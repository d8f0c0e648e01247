/** This service's settings for Stripe. */
import { fail } from '../../../core/base/errors.ts';
import { readText } from '../../../io/host/files.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

const SECRET_KEY = /^(?:sk|rk)_(test|live)_\w{8,}$/;
const WEBHOOK_SECRET = /^whsec_\S{8,}$/;

export interface StripeSettings {
  readonly secretKey: string;
  readonly isLive: boolean;
  readonly url: URL;
  /** Read again at each use; undefined: events are polled, and none are accepted over HTTP. */
  readonly webhookSecrets: (() => readonly string[]) | undefined;
}

/**
 * Undefined: without --stripe.key-file. Throws OPTION_VALUE_INVALID, FILE_UNREADABLE; the error
 * texts contain no secret.
 */
export function stripeSettings(options: ParsedOptions): StripeSettings | undefined {
  const file = options.string('stripe.webhook-secret-file');
  if (file !== undefined) readSecrets(file);
  const account = stripeAccount(options);
  if (file === undefined || !account) return account;
  return { ...account, webhookSecrets: () => readSecrets(file) };
}

/** Settings without webhooks from Stripe. Throws OPTION_VALUE_INVALID, FILE_UNREADABLE. */
export function stripeAccount(options: ParsedOptions): StripeSettings | undefined {
  const keyFile = options.string('stripe.key-file');
  if (keyFile === undefined) return undefined;
  const secretKey = readText(keyFile).trim();
  const [, mode] = SECRET_KEY.exec(secretKey) ?? [];
  if (mode === undefined) {
    throw invalid('--stripe.key-file must hold a secret key of Stripe: sk_… or rk_…');
  }
  const url = options.string('stripe.url')!;
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw invalid('--stripe.url must be a URL');
  const isLive = mode === 'live';
  return { secretKey, isLive, url: new URL(url), webhookSecrets: undefined };
}

function readSecrets(file: string): readonly string[] {
  const lines = readText(file).split('\n');
  const secrets = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (secrets.length > 0 && secrets.every((each) => WEBHOOK_SECRET.test(each))) return secrets;
  throw invalid('--stripe.webhook-secret-file must hold whsec_…, one per line');
}

function invalid(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
